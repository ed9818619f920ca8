// A text without the blanks around it.
#pragma once

#include <string_view>

namespace attnscope {

/// The text without the `blanks` around it.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n\v\f") {
  const std::size_t begin = text.find_first_not_of(blanks), end = text.find_last_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

}  // namespace attnscope
