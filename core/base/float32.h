// Decimal text to the nearest float32; what overflows is infinity.
#pragma once

#include <optional>
#include <string_view>

namespace attnscope {

/// The nearest float32 to all of `text`: +-infinity where the number is too large for float32, +-0 where it
/// is too small; nullopt where the text is not a finite decimal number.
std::optional<float> parse_float32(std::string_view text);

}  // namespace attnscope
