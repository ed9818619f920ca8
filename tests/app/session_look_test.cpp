// Where one looked, as sessions keep it: by name, whatever the order of an enum; numbers of older files.
#include "app/state/session_look.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace attnscope
