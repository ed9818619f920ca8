// Probes of the shipped Storyteller: the token is there from the start, the antecedent only where attention
// has brought it, and models of unknown tasks say so.
#include "core/session/probing.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

TEST(Probing, TheStorytellerLearnsTheAntecedentOverDepth) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  ASSERT_TRUE(opened) << opened.error().text();
  const auto noun = probe(*opened, opened->model, Probed::antecedent, 150);
  ASSERT_TRUE(noun) << noun.error().text();
  ASSERT_EQ(noun->depths.size(), 3u);
  EXPECT_LT(noun->depths.front().held_out, 0.25) << "the word before the noun does not say which noun";
  EXPECT_GT(noun->depths.back().held_out, 0.6) << "after the last block it does";
  EXPECT_LT(noun->guessing, 0.25);
  const auto token = probe(*opened, opened->model, Probed::token, 120);
  ASSERT_TRUE(token);
  EXPECT_GT(token->depths.front().held_out, 0.75) << "rare words were never seen";
  const auto again = probe(*opened, opened->model, Probed::token, 120);
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < token->depths.size(); ++i)
    EXPECT_EQ(again->depths[i].held_out, token->depths[i].held_out) << "the same every time";
}

TEST(Probing, ModelsOfUnknownTasksSaySo) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(can_probe(*opened, Probed::token));
  const auto none = probe(*opened, opened->model, Probed::token);
  ASSERT_FALSE(none);
  EXPECT_FALSE(none.error().sentence().empty());
  const auto sorter = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/sorter");
  ASSERT_TRUE(sorter);
  EXPECT_TRUE(can_probe(*sorter, Probed::position));
  EXPECT_FALSE(probe(*sorter, sorter->model, Probed::antecedent));
}

}  // namespace
}  // namespace attnscope
