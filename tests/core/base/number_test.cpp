// Numbers as people type them: what is taken, what is refused, and that the sentence says both.
#include "core/base/number.h"

#include <gtest/gtest.h>

#include <limits>

namespace attnscope {
namespace {

TEST(Numbers, WholeOnesAreDecimalAndWithinTheirBorders) {
  EXPECT_EQ(*parse_whole("0", 0, 5), 0u);
  EXPECT_EQ(*parse_whole("010", 0, 50), 10u);  // and not eight
  EXPECT_EQ(*parse_whole("18446744073709551615", 0, std::numeric_limits<std::uint64_t>::max()),
            std::numeric_limits<std::uint64_t>::max());
  for (const char* bad :
       {"", " 1", "1 ", "-1", "+1", "1.0", "1e3", "0x10", "six", "18446744073709551616", "6"})
    EXPECT_FALSE(parse_whole(bad, 0, 5)) << bad;
  EXPECT_EQ(parse_whole("six", 1, 5).error().sentence(),
            "it takes a whole number from 1 to 5, found \"six\".");
}

TEST(Numbers, RealOnesAreFiniteAndWithinTheirBorders) {
  EXPECT_EQ(*parse_real("0", 0, 1), 0.0);
  EXPECT_EQ(*parse_real("5e-1", 0, 1), 0.5);
  for (const char* bad :
       {"", "nan", "NaN", "-nan", "inf", "-inf", "1e999", "-0.1", "1.1", "0,5", "0.5x", "0x1p-2"})
    EXPECT_FALSE(parse_real(bad, 0, 1)) << bad;
  EXPECT_EQ(parse_real("nan", 0, 1).error().sentence(), "it takes a number from 0 to 1, found \"nan\".");
}

TEST(Numbers, ChecksWriteThemAnewInPlainDecimal) {
  std::string text = "010";
  EXPECT_EQ(whole_number(0, 50)(text), "");
  EXPECT_EQ(text, "10");
  text = "0.1";
  EXPECT_EQ(real_number(0, 1)(text), "");
  EXPECT_EQ(std::stod(text), 0.1);
  text = "\x1b[2J";
  EXPECT_EQ(whole_number(0, 50)(text).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace attnscope
