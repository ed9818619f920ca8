// Very large and very small numbers as people write them: with a power of ten.
#pragma once

#include <string>

namespace attnscope {

/// "10¹²", "10⁻³".
std::string power_of_ten(int exponent);
/// "8.8·10¹²", "-1.25·10⁻⁷": a finite number that is not 0, with at most `digits` digits behind the point,
/// without zeros at their end; the minus is the keyboard's.
std::string with_power(double value, int digits);
/// The shortest form with so many significant digits (%.*g), with a real minus (U+2212).
std::string significant(double value, int digits);

}  // namespace attnscope
