// Starting, stepping, playing, views, pinning a cell: all that changes where one looks and no number.
#include <algorithm>

#include "tests/window/driver.h"

namespace attnscope::testing {
namespace {

int index_of(const Json& now) { return now.at("cursor").at("index"); }

void wait_for_step(Window& window, int index) {
  window.wait("the cursor stands on step " + std::to_string(index), [=](const Json& now) {
    return index_of(now) == index && (index == 0 || now.at("cursor").at("step") == now.at("steps").at(index));
  });
}

using Stepping = WindowTest;

// What travels with the program is what lies in assets/models when it is built.
TEST_F(Stepping, TheProgramStartsOnAModelThatHasLearned) {
  if (!fs::exists(fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/storyteller/config.json"))
    GTEST_SKIP() << "no model is shipped";
  Window& window = start({});
  const Json now = window.state();
  EXPECT_EQ(now.at("path"), "model:storyteller");
  EXPECT_EQ(now.at("view"), "attention");
  EXPECT_EQ(now.at("error"), "");
  EXPECT_EQ(now.at("notices").size(), 0u);
  ASSERT_EQ(now.at("sequences").size(), 1u);
  EXPECT_EQ(now.at("sequences").at(0).at("text"), "The cat sat on the mat because it was tired. So the");
  window.key("1");
  window.wait("the first view", [](const Json& state) { return state.at("view") == "steps"; });
  window.key("ctrl+q");
  EXPECT_EQ(window.wait_for_end(), 0) << window.errors();
  EXPECT_EQ(start({}).state().at("view"), "steps");  // as it was left
}

TEST_F(Stepping, ASceneOfNineSteps) {
  Window& window = start();
  const Json& now = window.state();
  EXPECT_EQ(now.at("path"), "scene:nine_steps");
  EXPECT_EQ(now.at("steps").size(), 9u);
  EXPECT_EQ(now.at("view"), "steps");
  EXPECT_EQ(now.at("error"), "");
  ASSERT_EQ(now.at("sequences").size(), 2u);
  EXPECT_EQ(now.at("sequences").at(0).at("length"), 4);
  // The last numbers of the fixture's first sequence, as the scene's test of the core has them.
  EXPECT_EQ(now.at("last_values").size(), 2u);
  std::printf("%s", window.errors().c_str());  // how long it took: a goal, no assertion on a shared machine
}

TEST_F(Stepping, ArrowsHomeAndEndWalk) {
  Window& window = start();
  for (int step = 1; step <= 3; ++step) {
    window.key("Right");
    wait_for_step(window, step);
  }
  const Json at_three = window.state().at("values");
  window.key("Left");
  wait_for_step(window, 2);
  EXPECT_NE(window.state().at("values"), at_three);
  window.key("End");
  wait_for_step(window, 8);
  window.key("Right");  // stays
  window.key("Home");
  wait_for_step(window, 0);
}

TEST_F(Stepping, TimelineIsClickedAndItsButtonsToo) {
  Window& window = start();
  window.click("timeline.steps", 5.5 / 9);
  wait_for_step(window, 5);
  window.click("next");
  wait_for_step(window, 6);
  window.click("previous");
  wait_for_step(window, 5);
}

TEST_F(Stepping, SpacePlaysAndStops) {
  Window& window = start();
  window.key("space");
  window.wait("it plays", [](const Json& now) { return now.at("playing") == true; });
  window.wait("it has walked", [](const Json& now) { return index_of(now) >= 1; });
  window.key("space");
  window.wait("it stands", [](const Json& now) { return now.at("playing") == false; });
  window.click("play");
  window.wait("it plays again", [](const Json& now) { return now.at("playing") == true; });
  window.key("Left");
  window.wait("a step by hand ends playing", [](const Json& now) { return now.at("playing") == false; });
}

TEST_F(Stepping, EveryViewOpensByKeyAndByTab) {
  Window& window = start();
  const auto views = window.state().at("views").get<std::vector<std::string>>();
  ASSERT_GE(views.size(), 5u);
  const auto shows = [&](const std::string& view) {
    window.wait("the view " + view, [&](const Json& now) { return now.at("view") == view; });
    window.settled();
    EXPECT_EQ(window.state().at("error"), "");
  };
  for (std::size_t i = std::min<std::size_t>(9, views.size()); i-- > 0;) {
    window.key(std::to_string(i + 1));
    shows(views[i]);
  }
  const auto offered =
      window.state().at("offered_views").get<std::vector<std::string>>();  // the others have no tab
  EXPECT_GE(offered.size(), 5u);
  for (const std::string& view : offered) {
    window.click_view(view);
    shows(view);
  }
}

TEST_F(Stepping, TwoViewsSideBySide) {
  Window& window = start();
  window.click("two_views");
  window.wait("a second view", [](const Json& now) { return now.at("second_view") != ""; });
  const std::string second = window.state().at("second_view");
  EXPECT_NE(second, "steps");
  window.settled();
  EXPECT_EQ(window.state().at("error"), "");
}

TEST_F(Stepping, AClickedCellIsPinned) {
  Window& window = start();
  window.key("End");
  wait_for_step(window, 8);
  window.hover_cell("matrix.steps/result", 1, 0);
  window.click_cell("matrix.steps/result", 2, 1);
  window.wait("the cell is pinned", [](const Json& now) {
    return now.at("cursor").at("pinned") == "blocks.0.attn.out[pos=2,d_model=1]" ||
           now.at("cursor").at("pinned").get<std::string>().find("=2,") != std::string::npos;
  });
  EXPECT_TRUE(window.has("matrix.steps/result"));
  window.key("Escape");
  window.wait("nothing is pinned", [](const Json& now) { return now.at("cursor").at("pinned") == ""; });
}

}  // namespace
}  // namespace attnscope::testing
