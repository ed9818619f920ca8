// Numbers as people type them, as float32. Refuses to call a number that is too large for float32 none.
#pragma once

#include <optional>
#include <string_view>

namespace attnscope {

/// The nearest float32 to all of `text`; infinity with its sign where that is none, because the number is too
/// large; nothing where the text is no finite number in decimal.
std::optional<float> parse_float32(std::string_view text);

}  // namespace attnscope
