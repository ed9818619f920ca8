// Probes of the shipped Storyteller: the token is there from the start, the antecedent only where attention
// has brought it, and models of unknown tasks say so.
#include "core/session/probing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(Probing, WhatIsAskedComesAsOnTheCommandLineAndStaysWhenStopped) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
  ASSERT_TRUE(opened);
  const auto model = std::make_shared<const OpenedModel>(*std::move(opened));
  AskedProbes probes;
  Workers workers;
  const auto wait = [&] {
    while (workers.any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_FALSE(probes.newest());
  probes.start(workers, model, model->model, 60);
  wait();
  auto answer = probes.newest();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->done);
  EXPECT_FALSE(answer->stopped);
  for (const Probed what : {Probed::token, Probed::position, Probed::antecedent}) {
    const auto want = probe(*model, model->model, what, 60);
    ASSERT_TRUE(want);
    const ProbeAnswer& found = answer->found[static_cast<std::size_t>(what)];
    ASSERT_EQ(found.depths.size(), want->depths.size());
    for (std::size_t depth = 0; depth < found.depths.size(); ++depth)
      EXPECT_EQ(found.depths[depth].held_out, want->depths[depth].held_out);
  }
  probes.start(workers, model, model->model);
  while (probes.newest()->found[0].depths.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  probes.stop();
  wait();
  answer = probes.newest();
  EXPECT_TRUE(answer->stopped);
  EXPECT_FALSE(answer->found[0].depths.empty()) << "what is known stays";
  EXPECT_TRUE(answer->found[2].depths.empty());
}

}  // namespace
}  // namespace attnscope
