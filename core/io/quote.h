// Text from files made fit for a sentence: names and paths come from strangers and may be long, ill-formed
// UTF-8 or full of control characters.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// The text in double quotes: at most `limit` code points (then "..."), control characters and ill-formed
/// bytes replaced by U+FFFD.
std::string in_quotes(std::string_view text, std::size_t limit = 96);

}  // namespace attnscope
