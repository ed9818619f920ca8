// A text that is one number from its first sign to its last, as std::from_chars reads it: in decimal, without
// spaces or a plus. What people type goes through number.h, which takes more forms and names the range.
#pragma once

#include <charconv>
#include <string_view>

namespace attnscope {

/// True where all of `text` is a number that `value` can hold; then it is there.
template <class T>
bool read_all(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace attnscope
