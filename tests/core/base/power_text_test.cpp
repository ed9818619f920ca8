// Numbers with a power of ten.
#include "core/base/power_text.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(PowerText, HasAMantissaWithoutZerosAtItsEnd) {
  EXPECT_EQ(power_of_ten(12), "10¹²");
  EXPECT_EQ(power_of_ten(-3), "10⁻³");
  EXPECT_EQ(power_of_ten(0), "10⁰");
  EXPECT_EQ(with_power(3.4028235e38, 3), "3.403·10³⁸");
  EXPECT_EQ(with_power(1e20, 0), "1·10²⁰");
  EXPECT_EQ(with_power(10e20, 2), "1·10²¹");
  EXPECT_EQ(with_power(-1.25e-7, 3), "-1.25·10⁻⁷");
  EXPECT_EQ(with_power(9.996e9, 2), "1·10¹⁰");  // rounded into the next power
}

}  // namespace
}  // namespace attnscope
