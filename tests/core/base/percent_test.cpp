#include "core/base/percent.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(PercentText, IsWrittenAsTheLanguageWritesIt) {
  EXPECT_EQ(percent_text(0.5712), "57.1 %");
  EXPECT_EQ(percent_text(1, 0), "100 %");
  ASSERT_TRUE(set_language("ko").ok());
  EXPECT_EQ(percent_text(0.5712), "57.1%");
  ASSERT_TRUE(set_language("en").ok());
}

}  // namespace
}  // namespace attnscope
