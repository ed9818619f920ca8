// Training in the window: a task and sizes are chosen with the mouse, the model trains while every view
// follows, one goes back over its checkpoints, pauses, steps, stops, exports; and what cannot be trained is
// told at the button.
#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

const Json& training(const Json& now) { return now.at("training"); }
int step_of(const Json& now) { return training(now).value("step", -1); }
std::string state_of(const Json& now) { return training(now).at("state"); }

class TrainingWindow : public WindowTest {
 protected:
  /// Opens the form with the Sorter and sizes that train fast.
  Window& small_sorter(int steps) {
    Window& window = start();
    window.click("tab_training");
    window.click("task_sorter");
    fill(window, "train_layers", 1);
    fill(window, "train_heads", 2);
    fill(window, "train_width", 16);
    fill(window, "train_batch", 4);
    fill(window, "train_steps", steps);
    return window;
  }
  static void fill(Window& window, const std::string& field, int value) {
    window.click(field);
    window.wait("typing into " + field, [](const Json& now) { return now.at("typing") == true; });
    window.key("ctrl+a");
    window.type(std::to_string(value));
    window.key("Return");
    window.wait(field + " was typed", [](const Json& now) { return now.at("typing") == false; });
  }
  static void wait_for_state(Window& window, const std::string& state, double seconds = 30) {
    window.wait(
        "the run is " + state, [&](const Json& now) { return state_of(now) == state; }, seconds);
  }
};

TEST_F(TrainingWindow, FromTheFirstClickToTheMeasuredModel) {
  Window& window = small_sorter(60);
  window.click("train_start");
  window.wait("the model in training is open", [](const Json& now) {
    return now.at("path") == "training:sorter" && training(now).at("shown_step") >= 0;
  });
  window.wait("steps are done", [](const Json& now) { return step_of(now) > 3; });
  wait_for_state(window, "finished");
  const Json now = window.state();
  EXPECT_EQ(step_of(now), 60);
  EXPECT_TRUE(training(now).at("measures").contains("accuracy"));
  EXPECT_EQ(now.at("undo"), "") << "training makes no undo points";
  EXPECT_EQ(now.at("error"), "");
  window.wait("the views show the last step",
              [](const Json& state) { return training(state).at("shown_step") == 60; });
  // Another view works on it.
  window.click("tab_attention");
  window.wait("the attention view", [](const Json& state) { return state.at("view") == "attention"; });
  EXPECT_EQ(window.state().at("error"), "");
}

TEST_F(TrainingWindow, PausesStepsOnceGoesBackAndOn) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  window.wait("steps are done", [](const Json& now) { return step_of(now) > 20; });
  window.click("train_play");
  wait_for_state(window, "paused");
  window.settled();
  const int paused = step_of(window.state());
  window.click("train_step");
  window.wait("one step more", [&](const Json& now) { return step_of(now) == paused + 1; });
  // Back to the beginning: every view shows the first model.
  const std::string before = window.state().at("digest").dump();
  window.click("train_scrubber", 0.004);
  window.wait("the first model is shown",
              [](const Json& now) { return training(now).at("shown_step") == 0; });
  window.wait("its numbers too", [&](const Json& now) { return now.at("digest").dump() != before; });
  window.key("Right");
  window.wait("the next checkpoint", [](const Json& now) { return training(now).at("shown_step") > 0; });
  window.click("train_newest");
  window.wait("the newest again",
              [&](const Json& now) { return training(now).at("shown_step") == paused + 1; });
  // The learning rate changes while it runs.
  window.click("train_play");
  wait_for_state(window, "running");
  window.click("train_factor", 0.25);
  window.wait("a lower learning rate", [](const Json& now) {
    const double factor = training(now).at("rate_factor");
    return factor > 0.05 && factor < 0.2;
  });
  window.click("train_stop");
  wait_for_state(window, "finished");
}

TEST_F(TrainingWindow, SizesThatDoNotDivideAreToldAndNothingStarts) {
  Window& window = small_sorter(60);
  fill(window, "train_width", 17);
  window.wait("the sentence stands at the button",
              [](const Json& now) { return now.at("items").contains("train_error"); });
  window.click("train_start");
  window.settled();
  EXPECT_EQ(state_of(window.state()), "none");
  EXPECT_NE(window.state().at("path"), "training:sorter");
  fill(window, "train_width", 32);
  window.wait("all is well", [](const Json& now) { return !now.at("items").contains("train_error"); });
  window.click("train_start");
  window.wait("it trains", [](const Json& now) { return step_of(now) > 0; });
}

TEST_F(TrainingWindow, AClosedWindowLosesNothing) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  window.wait("steps are done", [](const Json& now) { return step_of(now) > 10; });
  window.key("ctrl+q");
  ASSERT_EQ(window.wait_for_end(), 0) << window.errors();
  Window& again = start();
  again.click("tab_training");
  again.click("task_sorter");
  again.click("train_go_on");
  again.wait("the run stands where it was", [](const Json& now) { return step_of(now) > 10; });
  EXPECT_EQ(state_of(again.state()), "paused");
}

TEST_F(TrainingWindow, OpeningAnotherModelPausesTheRun) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  window.wait("steps are done", [](const Json& now) { return step_of(now) > 5; });
  window.key("ctrl+o");
  window.click("browser.path");
  window.wait("the path can be typed", [](const Json& now) { return now.at("typing") == true; });
  window.key("ctrl+a");
  window.type(golden_model("gpt2").string());
  window.key("Return");
  window.wait("the other model is open", [](const Json& now) { return now.at("path") != "training:sorter"; });
  wait_for_state(window, "paused");
  window.click("train_follow");
  window.wait("the model in training is open again",
              [](const Json& now) { return now.at("path") == "training:sorter"; });
}

}  // namespace
}  // namespace attnscope::testing
