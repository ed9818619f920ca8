// The backward mode in the window: from the loss back step by step, a cell pinned, its gradient checked
// against a finite difference, forward again.
#include <algorithm>
#include <cmath>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

using Backward = WindowTest;

std::string name_of(const Json& now) { return now.at("backward").value("name", std::string()); }

void wait_for_gradient(Window& window, const std::string& name) {
  window.wait("the gradient " + name, [=](const Json& now) { return name_of(now) == name; });
}

void expect_agreement(const Json& check) {
  ASSERT_FALSE(check.contains("error")) << check;
  const double analytic = check.at("analytic"), measured = check.at("measured"),
               uncertainty = check.at("uncertainty");
  EXPECT_TRUE(check.at("agrees").get<bool>()) << check;
  EXPECT_NEAR(analytic, measured, 2 * uncertainty + 1e-3 * std::abs(analytic)) << check;
  EXPECT_GT(check.at("step").get<double>(), 0.0);
}

// Has the pinned gradient measured; the state's "check" once both numbers are there.
Json check_of_the_cell(Window& window) {
  window.wait("the button is there",
              [](const Json& now) { return now.at("items").contains("check_gradient"); });
  window.click("check_gradient");
  window.wait("both numbers are there", [](const Json& now) {
    const Json& backward = now.at("backward");
    return backward.contains("check") && backward.at("check").at("done").get<bool>();
  });
  return window.state().at("backward").at("check");
}

TEST_F(Backward, FromTheLossThroughTheGradientsToACheckedCell) {
  Window& window = start({golden_model("gpt2").string(), "--view", "steps"});
  window.key("b");
  wait_for_gradient(window, "logits.grad");
  const Json& first = window.state();
  EXPECT_TRUE(first.at("backward").at("on").get<bool>());
  EXPECT_GT(first.at("backward").at("loss").get<double>(), 0.0);
  EXPECT_EQ(first.at("steps").front(), "logits");
  EXPECT_EQ(first.at("cursor").at("index"), 0);
  const std::vector<std::string> steps = first.at("steps").get<std::vector<std::string>>();
  for (int step = 1; step <= 5; ++step) {
    window.key("Right");
    wait_for_gradient(window, steps[static_cast<std::size_t>(step)] + ".grad");
  }
  window.key("Left");
  wait_for_gradient(window, steps[4] + ".grad");
  window.key("End");
  window.wait("the last gradient", [&](const Json& now) {
    return now.at("cursor").at("index") == static_cast<int>(steps.size()) - 1;
  });
  window.key("Home");
  wait_for_gradient(window, "logits.grad");

  const auto pattern = std::find_if(steps.begin(), steps.end(),
                                    [](const std::string& step) { return step.ends_with("attn.pattern"); });
  ASSERT_NE(pattern, steps.end());
  const auto at = static_cast<double>(pattern - steps.begin()) + 0.5;
  window.click("timeline.steps", at / static_cast<double>(steps.size()));
  wait_for_gradient(window, *pattern + ".grad");
  window.click_cell("matrix.steps/result", 3, 1);
  window.wait("the cell is pinned", [&](const Json& now) {
    const std::string pinned = now.at("cursor").at("pinned");
    return pinned.starts_with(*pattern) && pinned.find("query=3") != std::string::npos;
  });
  const Json check = check_of_the_cell(window);
  EXPECT_EQ(check.at("name"), *pattern + ".grad");
  expect_agreement(check);
}

TEST_F(Backward, AWeightIsCheckedAndTheSwitchGoesForwardAgain) {
  Window& window = start({golden_model("gpt2").string(), "--view", "steps", "--step", "blocks.1.attn.q"});
  window.click("direction_backward");
  wait_for_gradient(window, "blocks.1.attn.q.grad");
  window.click("gradient_of_weight");
  window.wait("the weight's gradient is shown", [](const Json& now) {
    const Json& items = now.at("items");
    const std::string result = "matrix.steps/result";
    return items.contains(result) && items.at(result).size() > 4 && items.at(result).at(4) == 48;
  });
  window.click_cell("matrix.steps/result", 5, 7);
  const Json check = check_of_the_cell(window);
  EXPECT_EQ(check.at("name"), "blocks.1.attn.q.weight.grad");
  EXPECT_EQ(check.at("index"), Json({5, 7}));
  expect_agreement(check);
  window.click("direction_forward");
  window.wait("forward", [](const Json& now) {
    return now.at("backward").at("on") == false && now.at("steps").front() != "logits";
  });
  EXPECT_EQ(window.state().at("cursor").at("step"), "blocks.1.attn.q");
}

TEST_F(Backward, WhatCameBackIsToldApart) {
  Window& window = start({golden_model("gpt2").string(), "--view", "steps", "--step", "blocks.1.resid_mid"});
  const auto wait_for_items = [&](const char* what, const std::vector<std::string>& ids) {
    window.wait(what, [=](const Json& now) {
      return std::all_of(ids.begin(), ids.end(),
                         [&](const std::string& id) { return now.at("items").contains(id); });
    });
  };
  window.key("b");
  wait_for_gradient(window, "blocks.1.resid_mid.grad");
  wait_for_items("a matrix for each share",
                 {"matrix.steps/share0", "matrix.steps/share1", "gradient_from_1"});
  window.click("gradient_from_1");
  wait_for_items("the parts of the norm",
                 {"matrix.steps/from0", "matrix.steps/gamma", "matrix.steps/normed", "matrix.steps/mean",
                  "matrix.steps/mean_with", "matrix.steps/inverse", "matrix.steps/result"});
  window.click("gradient_from_all");
  wait_for_items("the shares again", {"matrix.steps/share0", "matrix.steps/result"});
  window.click_cell("matrix.steps/result", 2, 5);
  window.wait("the cell is pinned", [](const Json& now) {
    const std::string pinned = now.at("cursor").at("pinned");
    return pinned.starts_with("blocks.1.resid_mid") && pinned.find("pos=2") != std::string::npos;
  });
}

TEST_F(Backward, PlayingWalksFromTheLoss) {
  Window& window = start({golden_model("gpt2").string(), "--view", "steps"});
  window.key("b");
  wait_for_gradient(window, "logits.grad");
  window.key("space");
  window.wait("it has walked", [](const Json& now) { return now.at("cursor").at("index").get<int>() >= 2; });
  window.key("space");
  window.wait("it stands", [](const Json& now) { return now.at("playing") == false; });
}

TEST_F(Backward, AModelWithoutAHeadSaysWhyThereIsNoWayBack) {
  Window& window = start({"scene:nine_steps"});
  window.key("b");
  window.wait("a sentence", [](const Json& now) {
    const Json& backward = now.at("backward");
    return backward.contains("error") && !backward.at("error").get<std::string>().empty();
  });
}

}  // namespace
}  // namespace attnscope::testing
