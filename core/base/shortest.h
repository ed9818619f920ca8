// Numbers as texts that read back as the same number.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace attnscope {

/// As short as it can be and still be read back as the same number: "0.1", "1e+20", "-inf".
template <class Number>
std::string shortest_text(Number value) {
  std::array<char, 48> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace attnscope
