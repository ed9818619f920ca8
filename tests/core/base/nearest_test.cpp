// Names that come nearest to a slip of the keyboard.
#include "core/base/nearest.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(Nearest, FewestLettersFirstAndEachNameOnce) {
  const std::vector<std::string> known{"attn.z", "mlp.out", "attn.out", "attn.q", "attn.z"};
  EXPECT_EQ(nearest_names("atn.z", known, 2), (std::vector<std::string>{"attn.z", "attn.q"}));
  EXPECT_EQ(nearest_names("mlp.outt", known, 1), std::vector<std::string>{"mlp.out"});
  EXPECT_EQ(nearest_names("x", known).size(), 3u);
  EXPECT_TRUE(nearest_names("x", {}).empty());
  EXPECT_EQ(nearest_names(std::string(100000, 'a'), known).size(), 3u) << "long ones take no time";
}

}  // namespace
}  // namespace attnscope
