// The walk: nine steps for the nine-step scene, Q, K and V side by side, every record in exactly one step.
#include "core/session/timeline.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/arch/open.h"

namespace attnscope {
namespace {

std::vector<std::string> kinds(const std::vector<TimelineStep>& steps) {
  std::vector<std::string> names;
  for (const TimelineStep& step : steps) names.push_back(step_kind_name(step.kind));
  return names;
}

std::shared_ptr<const Trace> run(const std::string& model, std::vector<int> ids) {
  auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + model);
  EXPECT_TRUE(opened) << opened.error().text();
  return *opened->model->run(Input{std::move(ids), {}});
}

TEST(Timeline, TheSceneHasItsNineSteps) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  ASSERT_TRUE(opened) << opened.error().text();
  const auto trace = *opened->model->run(opened->scene->inputs.front());
  const std::vector<std::string> wanted{"qkv",     "split",  "transpose", "scores", "mask",
                                        "softmax", "values", "concat",    "output"};
  const auto steps = timeline(*trace, opened->scene->walk);
  EXPECT_EQ(kinds(steps), wanted);
  EXPECT_EQ(to_text(steps[0].main), "blocks.0.attn.q");
  EXPECT_EQ(to_text(steps[5].main), "blocks.0.attn.pattern");
  EXPECT_EQ(steps[0].sites.size(), 3u);
}

TEST(Timeline, EveryRecordStandsInOneStep) {
  for (const char* model : {"gpt2", "llama"}) {
    const auto trace = run(model, {1, 2, 3, 4});
    const auto steps = timeline(*trace, "");
    std::size_t sites = 0;
    for (const TimelineStep& step : steps) sites += step.sites.size();
    EXPECT_EQ(sites, trace->records().size()) << model;
    for (const Record& record : trace->records())
      EXPECT_GE(step_index(steps, record.site), 0) << to_text(record.site);
  }
}

TEST(Timeline, BlocksFollowEachOther) {
  const auto steps = timeline(*run("llama", {1, 2}), "");
  int layer = -1, rope = 0;
  for (const TimelineStep& step : steps) {
    if (step.layer >= 0) {
      EXPECT_GE(step.layer, layer);
      layer = step.layer;
    }
    rope += step.kind == StepKind::rope;
  }
  EXPECT_EQ(rope, layer + 1);  // one per block, for Q and K together
}

TEST(Timeline, ASceneThatScalesBeforeItMasksIsWalkedInThatOrder) {
  std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string first = "\"mask_before_scale\": true";
  ASSERT_NE(text.find(first), std::string::npos);
  text.replace(text.find(first), first.size(), "\"mask_before_scale\": false");
  const auto opened = open_scene_text(text, "scaled first");
  ASSERT_TRUE(opened) << opened.error().text();
  const auto trace = *opened->model->run(opened->scene->inputs.front());
  const auto steps = timeline(*trace, opened->scene->walk);
  const std::vector<std::string> wanted{"qkv",  "split",   "transpose", "scores", "scale",
                                        "mask", "softmax", "values",    "concat", "output"};
  EXPECT_EQ(kinds(steps), wanted);
  int before = -1;
  for (const TimelineStep& step : steps) {
    EXPECT_GT(trace->index_of(step.main), before) << to_text(step.main) << " comes after what it reads";
    if (step.kind != StepKind::qkv && step.kind != StepKind::split) before = trace->index_of(step.main);
  }
}

}  // namespace
}  // namespace attnscope
