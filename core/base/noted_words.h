// Records which texts tr() was called for, so that tests can check what a view shows. Off in the program.
// A text that its caller caches is recorded when it is made, not when it is drawn again.
#pragma once

#include <map>
#include <string>

namespace attnscope {

/// Switches recording on or off and clears the record.
void note_words(bool on);
/// By key: the text that tr() last returned, with its arguments where it has any. Thread-safe.
std::map<std::string, std::string> noted_words();

}  // namespace attnscope
