// Training in the window: a task and sizes are chosen with the mouse, the model trains while every view
// follows, one goes back over its checkpoints, pauses, steps, stops, saves, exports; a text file is learned;
// what cannot be trained or written is told where it was asked for.
#include <fstream>

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
    window.click_view("training");
    window.click("task_sorter");
    more_settings(window);
    fill(window, "train_layers", 1);
    fill(window, "train_heads", 2);
    fill(window, "train_width", 16);
    fill(window, "train_batch", 4);
    fill(window, "train_steps", steps);
    return window;
  }
  static void more_settings(Window& window) {
    window.click("train_more");
    window.wait("the settings", [](const Json& now) { return now.at("items").contains("train_layers"); });
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
  /// Types a path into the file browser that is open: the folder's line, or the name to save under.
  static void give_path(Window& window, const std::string& field, const fs::path& path) {
    window.click(field);
    window.wait("the path can be typed", [](const Json& now) { return now.at("typing") == true; });
    window.key("ctrl+a");
    window.type(path.string());
    window.key("Return");
    window.wait("the browser is gone", [](const Json& now) { return now.at("popup") == false; });
  }
  /// A small Sorter that did some steps and stands still; how many it did.
  int paused_sorter(Window& window, int least) {
    window.wait("steps are done", [&](const Json& now) { return step_of(now) > least; });
    window.click("train_play");
    wait_for_state(window, "paused");
    window.settled();
    return step_of(window.state());
  }
  std::size_t kept_files() const {
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "config/attnscope/training"))
      files += file.path().extension() == ".safetensors" ? 1 : 0;
    return files;
  }
  static std::string message(const Json& now) { return training(now).value("message", ""); }
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
  window.click_view("attention");
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
  again.click_view("training");
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

TEST_F(TrainingWindow, ANewRunLeavesTheOldOneAndEitherGoesOn) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  const int first = paused_sorter(window, 300);
  window.click("train_new");
  window.click("train_start");
  window.wait("another run", [&](const Json& now) { return step_of(now) < first; });
  const int second = paused_sorter(window, 3);
  EXPECT_EQ(kept_files(), 2u);
  window.click("train_new");
  window.click("train_kept");
  window.wait("both are listed", [](const Json& now) {
    return now.at("items").contains("train_kept_0") && now.at("items").contains("train_kept_1");
  });
  window.click("train_kept_go_1");
  window.wait("the first run stands where it was", [&](const Json& now) { return step_of(now) == first; });
  EXPECT_EQ(state_of(window.state()), "paused");
  // Removing asks once more.
  window.click("train_new");
  window.click("train_kept");
  window.click("train_remove_0");
  window.settled();
  EXPECT_EQ(kept_files(), 2u);
  window.click("train_remove_0");
  window.wait("one is gone", [&](const Json&) { return kept_files() == 1; });
  window.key("Escape");
  window.wait("the list is closed", [](const Json& now) { return now.at("popup") == false; });
  window.click("train_go_on");
  window.wait("the other goes on", [&](const Json& now) {
    return now.at("items").contains("train_play") && step_of(now) == first;
  });
  EXPECT_NE(first, second);
}

TEST_F(TrainingWindow, ASavedCheckpointIsOpenedAgain) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  const int saved = paused_sorter(window, 10);
  const fs::path file = folder_ / "mine.safetensors";
  window.click("train_save");
  give_path(window, "browser.name", file);
  window.wait("it is said", [&](const Json& now) { return message(now) == "saved"; });
  EXPECT_TRUE(fs::exists(file));
  window.click("train_step");
  window.wait("a step more", [&](const Json& now) { return step_of(now) == saved + 1; });
  window.click("train_new");
  window.click("train_open");
  give_path(window, "browser.path", file);
  window.wait("it goes on from there",
              [&](const Json& now) { return step_of(now) == saved && message(now) == "resumed"; });
  EXPECT_EQ(state_of(window.state()), "paused");
  window.click("train_step");
  window.wait("a step from there", [&](const Json& now) { return step_of(now) == saved + 1; });
  // Another file is no checkpoint.
  window.click("train_new");
  window.click("train_open");
  give_path(window, "browser.path", golden_model("gpt2") / "model.safetensors");
  window.wait("a sentence", [](const Json& now) { return now.at("error") != ""; });
  EXPECT_NE(window.state().at("error").get<std::string>().find("no checkpoint"), std::string::npos);
  EXPECT_NE(window.state().at("hint"), "");
  EXPECT_EQ(step_of(window.state()), saved + 1) << "the run stands";
}

TEST_F(TrainingWindow, TheExportedFolderOpensAsAModel) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  paused_sorter(window, 10);
  const fs::path model = folder_ / "my-sorter";
  window.click("train_export");
  give_path(window, "browser.name", model);
  window.wait("it is said", [&](const Json& now) { return message(now) == "exported"; });
  for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "card.json", "README.md"})
    EXPECT_TRUE(fs::exists(model / file)) << file;
  window.key("ctrl+o");
  give_path(window, "browser.path", model);
  window.wait("it is open", [&](const Json& now) { return now.at("path") == model.string(); });
  window.settled();
  EXPECT_EQ(window.state().at("error"), "");
  EXPECT_FALSE(window.state().at("sequences").at(0).at("tokens").empty());
}

TEST_F(TrainingWindow, WhatCannotBeWrittenIsASentenceAndTheRunStands) {
  Window& window = small_sorter(100000);
  window.click("train_start");
  const int step = paused_sorter(window, 5);
  std::ofstream(folder_ / "file") << "no folder";
  const auto refused = [&](const char* button, const fs::path& path) {
    window.click(button);
    give_path(window, "browser.name", path);
    window.wait("a sentence for " + path.string(), [&](const Json& now) {
      return message(now) == "failed" &&
             training(now).at("sentence").get<std::string>().find(path.filename().string()) !=
                 std::string::npos;
    });
    EXPECT_NE(training(window.state()).at("hint"), "") << path;
    window.click("train_dismiss");
    window.wait("dismissed", [](const Json& now) { return message(now).empty(); });
  };
  refused("train_save", folder_ / "file/run.safetensors");
  refused("train_save", "/proc/run.safetensors");  // nobody may write there
  refused("train_export", folder_ / "file/model");
  refused("train_export", "/proc/model");
  if (fs::is_character_file("/dev/full")) refused("train_save", "/dev/full");
  EXPECT_EQ(step_of(window.state()), step);
  EXPECT_EQ(state_of(window.state()), "paused");
}

TEST_F(TrainingWindow, ATextFileIsLearnedAndBadOnesAreTold) {
  const fs::path good = folder_ / "tales.txt", bad = folder_ / "bad.txt", words = folder_ / "words.txt";
  std::ofstream(good) << "the cat sat\nthe dog ran\na bird flew\na fish swam\nthe bird sat\n";
  std::ofstream(bad) << "the cat sat\n\nthe dog ran\n";
  std::ofstream(words) << "the\ncat\nsat\n";
  Window& window = start();
  window.click_view("training");
  window.click("task_file");
  give_path(window, "browser.path", bad);
  window.wait("a sentence", [](const Json& now) { return now.at("items").contains("train_file_error"); });
  EXPECT_FALSE(window.has("train_start"));
  window.click("task_file");
  give_path(window, "browser.path", good);
  window.wait("the file is read",
              [](const Json& now) { return now.at("items").contains("train_file_found"); });
  window.click("train_words_file");
  give_path(window, "browser.path", words);
  window.wait("a word is outside of it",
              [](const Json& now) { return now.at("items").contains("train_file_error"); });
  window.click("train_words_own");
  window.wait("its own words", [](const Json& now) { return now.at("items").contains("train_file_found"); });
  more_settings(window);
  fill(window, "train_width", 16);
  fill(window, "train_batch", 4);
  fill(window, "train_steps", 30);
  window.click("train_start");
  wait_for_state(window, "finished");
  EXPECT_EQ(step_of(window.state()), 30);
  EXPECT_EQ(training(window.state()).at("task"), "file");
  EXPECT_EQ(window.state().at("path"), "training:file");
  EXPECT_EQ(window.state().at("error"), "");
  // The next day: the file is chosen again, and its run is there.
  window.key("ctrl+q");
  ASSERT_EQ(window.wait_for_end(), 0) << window.errors();
  Window& again = start();
  again.click_view("training");
  again.click("task_file");
  give_path(again, "browser.path", good);
  again.click("train_go_on");
  again.wait("the run stands where it was", [](const Json& now) { return step_of(now) == 30; });
}

}  // namespace
}  // namespace attnscope::testing
