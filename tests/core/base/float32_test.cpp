// Typed numbers as float32: too large is not the same as none.
#include "core/base/float32.h"

#include <gtest/gtest.h>

#include <limits>

namespace attnscope {
namespace {

TEST(Float32, TooLargeIsNotNone) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(parse_float32("0.5"), 0.5f);
  EXPECT_EQ(parse_float32("-3e38"), -3e38f);
  for (const char* text : {"1e39", "3.5e38", "1e400", "1E999"})
    EXPECT_EQ(parse_float32(text), kInfinite) << text;
  EXPECT_EQ(parse_float32("-1e39"), -kInfinite);
  for (const char* text : {"1e-60", "1e-400", "-1E-999"}) EXPECT_EQ(parse_float32(text), 0.f) << text;
  for (const char* text : {"", "x", "1x", "1e39x", " 1", "1 ", "nan", "inf", "0x10", "1e"})
    EXPECT_EQ(parse_float32(text), std::nullopt) << text;
}

}  // namespace
}  // namespace attnscope
