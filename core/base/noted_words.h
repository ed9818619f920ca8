// Which texts are asked for, noted for tests that ask what a view says now. Off in the program. A text that
// its caller keeps is noted when it was made.
#pragma once

#include <map>
#include <string>

namespace attnscope {

/// Switches the noting on or off, and forgets what was noted.
void note_words(bool on);
/// By key the text that tr() last gave, with its arguments where it filled them. Any thread may ask.
std::map<std::string, std::string> noted_words();

}  // namespace attnscope
