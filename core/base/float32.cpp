#include "core/base/float32.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace attnscope {

std::optional<float> parse_float32(std::string_view text) {
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return std::isfinite(value) ? std::optional(value) : std::nullopt;
  // Overflow or underflow: from_chars reports both as result_out_of_range.
  double wide = 0;
  const bool read = std::from_chars(text.data(), text.data() + text.size(), wide).ec == std::errc();
  const std::size_t exponent = text.find_first_of("eE");
  const bool small = read ? std::fabs(wide) < 1
                          : exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
  const float size = small ? 0.f : std::numeric_limits<float>::infinity();
  return text.front() == '-' ? -size : size;
}

}  // namespace attnscope
