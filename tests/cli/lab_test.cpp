// attnscope-cli lab: lists, computes, sets controls, and says what is wrong.
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace attnscope::testing {
namespace {

TEST(LabCommand, ListsEveryLabWithItsControls) {
  const Json all = cli("lab --json").json()["rows"];
  ASSERT_GE(all.size(), 15u);
  for (const Json& lab : all) {
    EXPECT_FALSE(lab.at("title").get<std::string>().empty());
    EXPECT_GE(lab.at("controls").size(), 2u) << lab.at("id");
  }
  EXPECT_NE(cli("lab").out.find("sqrt"), std::string::npos);
}

TEST(LabCommand, ComputesAtTheValuesThatWereSet) {
  const Json lab = cli("lab loss --set vocab=30000 --set smoothing=0.1 --json").json();
  EXPECT_NE(lab.at("formula").get<std::string>().find("1.356"), std::string::npos);
  EXPECT_EQ(lab.at("controls")[0].at("value"), "30000");
  bool has_curve = false;
  for (const Json& piece : lab.at("pieces"))
    if (piece.at("kind") == "plot") has_curve |= piece.at("series")[0].at("points").size() > 10;
  EXPECT_TRUE(has_curve);
  std::size_t points = 0, cells = 0;  // every number is a row as well
  for (const Json& piece : lab.at("pieces"))
    if (piece.at("kind") == "plot")
      for (const Json& one : piece.at("series")) points += one.at("points").size();
  for (const Json& row : lab.at("rows")) cells += row.contains("x") ? 1 : 0;
  EXPECT_EQ(cells, points);
  EXPECT_NE(cli("lab sqrt --lang ko").out.find("분산"), std::string::npos);
}

TEST(LabCommand, SaysWhatIsWrong) {
  expect_refused("lab nothing", 1, "sqrt");
  expect_refused("lab sqrt --set d_k=0", 1, "512");
  expect_refused("lab sqrt --set d_q=1", 1, "d_k");
  expect_refused("lab sqrt --set scaling", 1, "CONTROL=VALUE");
  expect_refused("lab --set d_k=1", 1, "name");
}

}  // namespace
}  // namespace attnscope::testing
