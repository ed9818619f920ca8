#include "core/base/power_text.h"

#include <cstdlib>

#include "core/base/text.h"

namespace attnscope {

std::string power_of_ten(int exponent) {
  static constexpr const char* kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) out += kRaised[digit - '0'];
  return out;
}

std::string with_power(double value, int digits) {
  std::string out = format("%.*e", digits, value);
  const std::size_t at = out.find('e');
  const int exponent = std::atoi(out.c_str() + at + 1);
  out.resize(at);
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out + "·" + power_of_ten(exponent);
}

std::string significant(double value, int digits) {
  std::string out = format("%.*g", digits, value);
  for (std::size_t at = out.find('-'); at != std::string::npos; at = out.find('-', at))
    out.replace(at, 1, "−");
  return out;
}

}  // namespace attnscope
