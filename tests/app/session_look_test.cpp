// Where one looked, as sessions keep it: by name, whatever the order of an enum; numbers of older files.
#include "app/state/session_look.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/shell/startup.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

TEST(TheLookOfTheWorkspace, IsWrittenByNameAndReadByTheNumbersOfOldFiles) {
  Workspace workspace;
  workspace.asking.settings.page = AskPage::graph;
  workspace.asking.settings.stack = Stack::vision;
  workspace.backward_rows = LossRows::last;
  workspace.output_page = OutputPage::draws;
  workspace.level = Level::easy;
  nlohmann::json look = look_of(workspace);
  const auto expect_same = [&] {
    Workspace other;
    take_look(look, other);
    EXPECT_EQ(other.asking.settings.page, AskPage::graph);
    EXPECT_EQ(other.asking.settings.stack, Stack::vision);
    EXPECT_EQ(other.backward_rows, LossRows::last);
    EXPECT_EQ(other.output_page, OutputPage::draws);
    EXPECT_EQ(other.level, Level::easy);
  };
  EXPECT_EQ(look.at("ask").at("page"), "graph");
  EXPECT_EQ(look.at("ask").at("stack"), "vision");
  EXPECT_EQ(look.at("backward_rows"), "last");
  EXPECT_EQ(look.at("output_page"), "draws");
  EXPECT_EQ(look.at("level"), "easy");
  expect_same();
  look["ask"]["page"] = 5;
  look["ask"]["stack"] = 3;
  look["backward_rows"] = 2;
  look["output_page"] = 2;
  expect_same();
}

class OpenedLookTest : public testing::FrameTest {};

// The easy window begins with where a model looks; a session that is opened with it has a view of its own.
TEST_F(OpenedLookTest, ASessionOpensOnItsOwnViewInTheEasyWindowToo) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(::testing::TempDir()) / "easy_mask.attnscope";
  std::ofstream(path) << R"({"format": "attnscope-session", "version": 1,
    "model": {"path": "model:storyteller", "title": "Storyteller"},
    "look": {"level": "easy", "view": "mask"}})";
  Options options;
  options.path = path.string();
  open_asked(state(), options);
  settle();
  ASSERT_TRUE(apply_look(state(), options));
  settle();
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_EQ(workspace().view, "mask");
  fs::remove(path);
  options = {};
  options.level = "easy";
  workspace().view = "residual";  // as it was left
  open_asked(state(), options);
  ASSERT_TRUE(apply_look(state(), options));
  settle();
  EXPECT_EQ(workspace().view, "attention");
}

}  // namespace
}  // namespace attnscope
