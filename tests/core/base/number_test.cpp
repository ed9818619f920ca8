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

TEST(Numbers, AreTakenWithExponentsLettersAndPowers) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(*parse_real("3e-4", 0, 1), 3e-4);
  EXPECT_EQ(*parse_real("1.5k", 0, 1e4), 1500.0);
  EXPECT_EQ(*parse_real("0.3M", 0, 1e9), 3e5);
  EXPECT_EQ(*parse_real("2^20", 0, 1e9), 1048576.0);
  EXPECT_EQ(*parse_real("2^-3", 0, 1), 0.125);
  EXPECT_EQ(*parse_real("-2^10", -1e4, 0), -1024.0);
  EXPECT_EQ(*parse_whole("1e12", 0, kMost), 1000000000000u);
  EXPECT_EQ(*parse_whole("1k", 0, kMost), 1000u);
  EXPECT_EQ(*parse_whole("1.5K", 0, kMost), 1500u);
  EXPECT_EQ(*parse_whole("7B", 0, kMost), 7000000000u);
  EXPECT_EQ(*parse_whole("2^20", 0, kMost), 1048576u);
  EXPECT_EQ(*parse_whole("3^40", 0, kMost), 12157665459056928801u) << "every digit of it";
  EXPECT_EQ(*parse_whole("18446744073709551.615k", 0, kMost), kMost);
  for (const char* bad : {"2^64", "1e20", "1.5", "1.5e0", "0.0005k", "k", "1kk", "1e3k", "1m", "2^", "^3",
                          "2^3^2", "2^-1", "-2^2", "1.2.3k", "e3", "1e", "2^0.5", ".k"})
    EXPECT_FALSE(parse_whole(bad, 0, kMost)) << bad;
  for (const char* bad :
       {"k", "1kk", "1e3k", "1m", "2^", "^3", "2^3^2", "--2^2", "2^9999", "nank", "infk", "1 k"})
    EXPECT_FALSE(parse_real(bad, -1e300, 1e300)) << bad;
  std::string text = "1k";
  EXPECT_EQ(whole_number(0, 5000)(text), "");
  EXPECT_EQ(text, "1000") << "a command line reads it on in plain decimal";
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
