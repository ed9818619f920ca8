// Attributions close: whatever the family, however finely it is written out, the parts and what is left add
// up to the logit, and what is left is rounding.
#include "core/lens/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"
#include "core/trace/edit.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

class Attributions : public ::testing::TestWithParam<const char*> {};

TEST_P(Attributions, Close) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + GetParam());
  ASSERT_TRUE(opened) << opened.error().text();
  Input input{{5, 9, 3, 7, 2}, {}};
  if (opened->model->config().encoder()) input.source = {4, 8, 6, 3};
  const auto run = opened->model->run(input);
  ASSERT_TRUE(run) << run.error().text();
  for (const LogitMeasure& measure : {LogitMeasure{LogitMeasure::Kind::logit, 7, -1, -1, {}},
                                      LogitMeasure{LogitMeasure::Kind::logit_diff, 7, 11, 3, {}}})
    for (const AttributeBy by :
         {AttributeBy::part, AttributeBy::head, AttributeBy::token, AttributeBy::neuron}) {
      const auto found = attribute(**run, measure, by);
      ASSERT_TRUE(found) << found.error().text();
      double sum = found->rest;
      for (const LogitPart& part : found->parts) sum += part.value;
      EXPECT_NEAR(found->total, *measured(measure, **run), 1e-6);
      EXPECT_NEAR(sum, found->total, 1e-9);
      EXPECT_LE(std::fabs(found->rest), 1e-4 * std::max(1.0, std::fabs(found->total)));
      EXPECT_GT(found->parts.size(), 4u);
      EXPECT_FALSE(found->held.empty());
    }
}

// What an edit adds to the stream or to what leaves a norm is a source of its own, and the sum still closes.
TEST_P(Attributions, CloseUnderEdits) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + GetParam());
  ASSERT_TRUE(opened) << opened.error().text();
  Input input{{5, 9, 3, 7, 2}, {}};
  if (opened->model->config().encoder()) input.source = {4, 8, 6, 3};
  const std::string stack(stack_prefix(opened->model->config().stack)),
      stream = stack + "blocks.0.resid_post";
  const auto plain = opened->model->run(input);
  ASSERT_TRUE(plain);
  const Site out = stack_output(**plain, opened->model->config().stack);
  const std::string edited[] = {stream, to_text(out)};
  for (const std::string& step : edited) {
    RunOptions options;
    options.edits = {*parse_edit(step + "*=1.5")};
    const auto run = opened->model->run(input, options);
    ASSERT_TRUE(run) << run.error().text();
    const LogitMeasure measure{LogitMeasure::Kind::logit_diff, 7, 11, 3, {}};
    const auto found = attribute(**run, measure, AttributeBy::head);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_LE(std::fabs(found->rest), 1e-3 * std::max(1.0, std::fabs(found->total))) << step;
    const auto own = std::find_if(found->parts.begin(), found->parts.end(),
                                  [&](const LogitPart& part) { return part.step == step; });
    ASSERT_NE(own, found->parts.end()) << step;
    EXPECT_GT(std::fabs(own->value), 1e-3) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Attributions,
                         ::testing::Values("gpt2", "llama", "mistral", "qwen2", "gemma", "gemma2", "qwen3",
                                           "gpt_neox", "bloom", "bert", "roberta", "bart", "t5", "marian"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace attnscope
