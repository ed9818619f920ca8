// The window itself: its size, splitters, look, what is remembered, and how it rests and ends.
#include <cmath>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

using Settings = WindowTest;

TEST_F(Settings, TheWindowFollowsItsSize) {
  Window& window = start({"--size", "1440x900"});
  const auto has_size = [](int width, int height) {
    return [=](const Json& now) { return now.at("window") == Json({width, height}); };
  };
  window.wait("1440 x 900", has_size(1440, 900));
  window.resize(1280, 720);
  window.wait("1280 x 720", has_size(1280, 720));
  for (const char* item : {"export", "theme", "next", "timeline.steps", "tab_mask", "tabs_words"})
    EXPECT_TRUE(window.has(item)) << item << " is not to be seen at 1280 x 720";
  window.resize(1440, 900);
  window.wait("1440 x 900 again", has_size(1440, 900));
}

TEST_F(Settings, AWindowIsNoLargerThanTheScreen) {
  Window& window = start({"--size", "6000x4000", "scene:nine_steps"});
  window.wait("a run", [](const Json& now) { return now.at("steps").size() > 3; });
  const Json size = window.state().at("window");
  EXPECT_LT(size[0], 6000);
  EXPECT_LT(size[1], 4000);
  for (const char* item : {"export", "theme", "next"}) EXPECT_TRUE(window.has(item)) << item;
}

TEST_F(Settings, SplittersAreDragged) {
  Window& window = start();
  const double before = window.state().at("map_width");
  window.drag("split_map", 60, 0);
  window.wait("the map is wider by 60", [=](const Json& now) {
    return std::abs(now.at("map_width").get<double>() - before - 60) < 12;
  });
  const double inspector = window.state().at("inspector_width");
  window.drag("split_inspector", 40, 0);
  window.wait("the inspector is narrower by 40", [=](const Json& now) {
    return std::abs(now.at("inspector_width").get<double>() - inspector + 40) < 12;
  });
}

TEST_F(Settings, ThemeDifferenceAndMenus) {
  Window& window = start();
  window.click("theme");
  window.wait("light", [](const Json& now) { return now.at("theme") == "light"; });
  window.key("t");
  window.wait("dark", [](const Json& now) { return now.at("theme") == "dark"; });
  window.click("difference");
  window.wait("new minus old", [](const Json& now) { return now.at("difference") == true; });
  window.key("d");
  window.wait("the numbers themselves", [](const Json& now) { return now.at("difference") == false; });
  window.click("toolbar.view");
  window.click("view.theme");
  window.wait("light by the menu", [](const Json& now) { return now.at("theme") == "light"; });
}

TEST_F(Settings, WhatWasArrangedIsRemembered) {
  Window& first = start({golden_model("gpt2").string()});
  first.key("t");
  first.wait("light", [](const Json& now) { return now.at("theme") == "light"; });
  first.key("2");
  first.wait("another view", [](const Json& now) { return now.at("view") == "attention"; });
  first.key("ctrl+q");
  EXPECT_EQ(first.wait_for_end(), 0) << first.errors();
  Window& second = start();
  EXPECT_EQ(second.state().at("theme"), "light");
  EXPECT_EQ(second.state().at("view"), "attention");
  const Json recent = second.state().at("recent");
  ASSERT_FALSE(recent.empty());
  EXPECT_EQ(recent.at(0), golden_model("gpt2").string());
}

TEST_F(Settings, AtRestItDoesNothing) {
  Window& window = start();
  window.key("Right");
  window.wait("the next step", [](const Json& now) { return now.at("cursor").at("index") == 1; });
  sleep_ms(1500);  // measured, not waited for: animations have ended by then
  const double before = window.cpu_ms(), begin = now_ms();
  sleep_ms(2000);
  const double share = (window.cpu_ms() - before) / (now_ms() - begin);
  std::printf("at rest: %.1f %% of one processor\n", share * 100);
  EXPECT_LT(share, 0.1);
}

}  // namespace
}  // namespace attnscope::testing
