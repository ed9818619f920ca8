// What stands beside the curves of an earlier run: its settings where they are other than those of now.
#include "core/session/training_difference.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(TrainingDifference, NamesWhatTheOtherRunHas) {
  const auto now = training_settings("sorter");
  ASSERT_TRUE(now);
  TrainingSettings other = *now;
  EXPECT_EQ(other_settings(other, *now), "");
  other.sizes.order = "post";
  other.recipe.warmup = 0;
  other.recipe.smoothing = 0.1;
  other.seed = 5;
  EXPECT_EQ(other_settings(other, *now), "order=post, smoothing=0.1, warmup=0, seed=5");
  EXPECT_EQ(other_settings(*now, other).substr(0, 12), "order=model,");
  other.task = "pilot";
  EXPECT_EQ(other_settings(other, *now), "") << "they learn different things";
}

}  // namespace
}  // namespace attnscope
