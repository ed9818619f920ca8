// How the window ends, and what it does not lose: by a signal, with its display, with a model that is saved
// under it.
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

struct Ends : WindowTest {
  fs::path config() const { return folder_ / "config/attnscope"; }
  // A training run of a few steps and another theme than at first.
  Window& start_training() {
    Window& window = start({"--train", "sorter", "--train-steps", "100000"});
    window.wait("ten steps are done",
                [](const Json& now) { return now.at("training").value("step", 0) >= 10; });
    window.key("t");
    window.wait("light", [](const Json& now) { return now.at("theme") == "light"; });
    return window;
  }
  void expect_all_kept() {
    EXPECT_EQ(Json::parse(read_text(config() / "workspace.json")).at("theme"), "light");
    EXPECT_TRUE(fs::exists(config() / "training/sorter.safetensors")) << window_->report();
  }
};

TEST_F(Ends, ASignalKeepsRunAndSettings) {
  for (const int signal : {SIGINT, SIGHUP}) {
    Window& window = start_training();
    window.send(signal);
    EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
    expect_all_kept();
    fs::remove_all(config());
  }
}

TEST_F(Ends, ADisplayThatDiesKeepsRunSettingsAndScene) {
  start_training();
  if (!display_->die()) GTEST_SKIP() << "the display is not the test's own";
  EXPECT_EQ(window_->wait_for_end(), 1) << window_->errors();
  EXPECT_NE(window_->errors().find("The display is gone"), std::string::npos) << window_->errors();
  expect_all_kept();
}

TEST_F(Ends, AnUnsavedSceneIsOfferedAtTheNextStart) {
  Window& first = start();
  const int rows = first.state().at("sequences").at(0).at("length");
  first.click("add_token");
  first.wait("one more row", [](const Json& now) { return now.at("undo") != ""; });
  first.send(SIGTERM);
  EXPECT_EQ(first.wait_for_end(), 0) << first.errors();
  Window& second = start();
  ASSERT_TRUE(second.has("unsaved.act"));
  second.click("unsaved.act");
  second.wait("the scene with its change", [&](const Json& now) {
    return !now.at("items").contains("unsaved.act") &&
           now.at("sequences").at(0).value("length", 0) == rows + 1;
  });
}

TEST_F(Ends, ClosingAsksAboutAChangeAndEnterKeepsIt) {
  Window& first = start();
  first.click("add_token");
  first.wait("one more row", [](const Json& now) { return now.at("undo") != ""; });
  const auto asked = [](const Json& now) { return now.at("items").contains("leave_keep"); };
  first.key("ctrl+q");
  first.wait("the question", asked);
  first.key("Escape");
  first.wait("no question", [&](const Json& now) { return !asked(now); });
  first.key("ctrl+q");
  first.wait("the question again", asked);
  first.key("Return");
  EXPECT_EQ(first.wait_for_end(), 0) << first.errors();
  EXPECT_TRUE(start().has("unsaved.act"));
}

TEST_F(Ends, AWorkThatWasRecoveredIsThereAfterASecondCrash) {
  Window& first = start();
  first.click("add_token");
  const auto left = [&](const char* begin) {
    std::error_code none;
    for (const auto& file : fs::directory_iterator(config(), none))
      if (file.path().filename().string().starts_with(begin)) return true;
    return false;
  };
  first.wait(
      "it was written", [&](const Json&) { return left("autosave-"); }, 20);
  first.send(SIGKILL);
  (void)first.wait_for_end();
  for (int crash = 0; crash < 2; ++crash) {
    Window& again = start();
    ASSERT_TRUE(again.has("unsaved.act")) << crash;
    again.click("unsaved.act");
    again.wait("it is open", [](const Json& now) { return !now.at("items").contains("unsaved.act"); });
    again.send(SIGKILL);
    (void)again.wait_for_end();
  }
  EXPECT_TRUE(start().has("unsaved.act"));
}

TEST_F(Ends, WhatTheCommandLineAskedForIsNoChange) {
  for (const char* model : {"model:storyteller", "model:translator"}) {
    Window& first = start({model, "--text", "the cat saw a dog"});
    first.wait("the text", [](const Json& now) { return now.at("undo") != "" && now.at("busy") == false; });
    first.send(SIGTERM);
    EXPECT_EQ(first.wait_for_end(), 0) << first.errors();
    EXPECT_FALSE(start().has("unsaved.act")) << model;
  }
}

TEST_F(Ends, AKilledTrainingIsOfferedAndGoesOn) {
  Window& first = start_training();
  const auto left = [&] {
    std::set<std::string> endings;  // ".attnscope", and ".safetensors" of the run
    std::error_code none;
    for (const auto& file : fs::directory_iterator(config(), none))
      if (file.is_regular_file()) endings.insert(file.path().extension().string());
    return endings.contains(".attnscope") && endings.contains(".safetensors");
  };
  first.wait(
      "it was written", [&](const Json&) { return left(); }, 40);
  first.send(SIGKILL);
  (void)first.wait_for_end();
  Window& second = start();
  ASSERT_TRUE(second.has("unsaved.act"));
  second.click("unsaved.act");
  second.wait("the run is back, paused", [](const Json& now) {
    return now.at("path") == "training:sorter" && now.at("training").value("step", 0) >= 10 &&
           now.at("training").at("state") == "paused";
  });
  const int step = second.state().at("training").at("step");
  second.click_view("training");
  second.click("train_play");
  second.wait("it goes on", [&](const Json& now) { return now.at("training").at("step") > step; });
}

TEST_F(Ends, AModelCutShortWhileItIsMappedIsReadAgain) {
  const fs::path model = folder_ / "model";
  fs::create_directory(model);
  for (const char* name : {"config.json", "model.safetensors"})
    fs::copy_file(golden_model("gpt2") / name, model / name);
  Window& window = start({model.string(), "--memory-limit", "1K", "--ids", "5,6,7"});
  const Json ids = {5, 6, 7};
  const auto has_ids = [&](const Json& now) { return now.at("sequences").at(0).at("ids") == ids; };
  window.wait("its ids", has_ids);
  window.settled();
  fs::resize_file(model / "model.safetensors", 4096);
  window.wait("the sentence and its button",
              [](const Json& now) { return now.at("items").contains("changed_file.act"); });
  fs::copy_file(golden_model("gpt2") / "model.safetensors", model / "model.safetensors",
                fs::copy_options::overwrite_existing);
  const int version = window.state().at("version");
  window.click("changed_file.act");
  window.wait("another run", [&](const Json& now) {
    return now.at("version") > version && !now.at("items").contains("changed_file.act");
  });
  EXPECT_TRUE(has_ids(window.state()));
}

TEST_F(Ends, SettingsThatAreAPipeDoNotHangIt) {
  fs::create_directories(config());
  ASSERT_EQ(mkfifo((config() / "workspace.json").c_str(), 0600), 0);
  Window& window = start();
  window.key("ctrl+q");
  EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
  EXPECT_NE(window.errors().find("not a regular file"), std::string::npos) << window.errors();
}

}  // namespace
}  // namespace attnscope::testing
