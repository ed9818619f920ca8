// attnscope-cli compare model:NAME --reference: a shipped model against what PyTorch says of it.
#include "core/base/text.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(Reference, EveryShippedModelEqualsPyTorch) {
  int models = 0;
  for (const auto& folder : std::filesystem::directory_iterator(source_path("assets/models"))) {
    const std::string name = folder.path().filename().string();
    const Ran ran = cli("compare model:" + name + " --reference");
    EXPECT_EQ(ran.exit_code, 0) << name << ": " << ran.err;
    EXPECT_EQ(ran.out.find("  <"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("scripts/references.sh"), std::string::npos) << ran.out;
    const Json json = cli("compare model:" + name + " --reference --json").json();
    EXPECT_TRUE(json["first"].is_null());
    EXPECT_TRUE(json["not_compared"].empty());
    EXPECT_EQ(json["reference"]["equal"], json["steps"].size());
    EXPECT_NE(ran.out.find("All " + std::to_string(json["steps"].size()) + " steps"), std::string::npos);
    ++models;
  }
  EXPECT_EQ(models, 8);
}

TEST(Reference, WhatDiffersIsNamedAndTheExitStatusSaysSo) {
  const std::string edit = "compare model:sorter --reference --edit \"blocks.0.mlp.pre.weight[in=3]*=1.01\"";
  const Ran edited = cli(edit);
  EXPECT_EQ(edited.exit_code, 1);
  EXPECT_NE(edited.err.find("blocks.0.mlp.pre is the first"), std::string::npos) << edited.err;
  EXPECT_EQ(cli(edit + " --json").json()["first"], "blocks.0.mlp.pre");
  EXPECT_EQ(cli(edit + " --tolerance 100").exit_code, 0);
  EXPECT_EQ(cli("compare model:sorter --reference --tolerance 0").exit_code, 1);
}

TEST(Reference, FilesOfOthersAndBrokenOnesAreSaid) {
  const std::string own = source_path("assets/references/sorter.json");
  EXPECT_EQ(cli("compare model:sorter --reference=" + own).exit_code, 0);
  EXPECT_EQ(cli("compare " + source_path("assets/models/sorter") + " --reference=" + own).exit_code, 0);
  expect_refused("compare model:storyteller --reference=" + own, 1, "is the reference of \"sorter\"");
  expect_refused("compare " + model_path("gpt2") + " --reference", 1, "has no reference");
  expect_refused("compare scene:tiny_gpt --reference", 1, "has no reference");
  expect_refused("compare model:sorter --reference --ids 1,2,3", 1, "of another input");
  expect_refused("compare model:sorter --reference=/nowhere.json", 1, "nowhere.json");
  const TempFolder folder;
  const std::string path = folder / "cut.json";
  std::ofstream(path) << read_text(own).substr(0, 4000);
  expect_refused("compare model:sorter --reference=" + path, 1, "scripts/references.sh");
  expect_refused("compare model:sorter", 2, "MODEL_B");
  expect_refused("compare model:sorter model:sorter --reference", 2, "MODEL_B");
}

}  // namespace
}  // namespace attnscope
