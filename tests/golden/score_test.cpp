// A score taken apart closes however finely its sides are written out, rotation included; finer parts add up
// to coarser ones, and the directions of the QK circuit add up to the score.
#include <gtest/gtest.h>

#include <map>

#include "core/lens/attribution.h"
#include "tests/golden/helpers.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class Scores : public ::testing::TestWithParam<const char*> {};

// "blocks.0.attn.out" of "blocks.0.attn.z[head=1,pos=2]" and of "blocks.0.attn.out.bias".
std::string coarse(const std::string& name) {
  const auto z = name.find("attn.z[");
  if (z != std::string::npos) return name.substr(0, z) + "attn.out";
  return name.ends_with("attn.out.bias") ? name.substr(0, name.size() - 5) : name;
}

std::map<std::pair<std::string, std::string>, double> coarse_sums(const ScoreSplit& split) {
  std::map<std::pair<std::string, std::string>, double> out;
  for (std::size_t i = 0; i < split.values.size(); ++i)
    out[{coarse(split.query_sources[i / split.key_sources.size()]),
         coarse(split.key_sources[i % split.key_sources.size()])}] += split.values[i];
  return out;
}

TEST_P(Scores, CloseHoweverFine) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const auto run = must_run(*opened.model, {{5, 9, 3, 7, 2}, {}});
  const Site pattern = run->main(StepRole::pattern, 1);
  const auto whole = split_score(*run, pattern, 1, 4, 2);
  ASSERT_TRUE(whole) << whole.error().text();
  const auto wanted = coarse_sums(*whole);
  std::size_t sources = whole->query_sources.size();
  for (const ScoreBy by : {ScoreBy::head, ScoreBy::token}) {
    const auto split = split_score(*run, pattern, 1, 4, 2, by);
    ASSERT_TRUE(split) << split.error().text();
    EXPECT_GT(split->query_sources.size(), sources);
    sources = split->query_sources.size();
    EXPECT_NEAR(split->rest, 0, 2e-5 * std::max(1.0, std::fabs(split->total)));
    EXPECT_EQ(split->total, whole->total);
    const auto sums = coarse_sums(*split);
    ASSERT_EQ(sums.size(), wanted.size());
    for (const auto& [names, value] : sums)
      EXPECT_NEAR(value, wanted.at(names), 2e-5) << names.first << names.second;
  }
  EXPECT_EQ(split_score(*run, pattern, 1, 4, 5).error().code(), Code::out_of_range);
}

TEST_P(Scores, DirectionsAddUp) {
  const OpenedModel opened = must_open(model_path(GetParam()));
  const auto run = must_run(*opened.model, {{5, 9, 3, 7, 2}, {}});
  const auto found = score_loadings(*run, run->main(StepRole::pattern, 1), 1, 4, 2);
  ASSERT_TRUE(found) << found.error().text();
  double sum = found->bias;
  for (std::size_t i = 0; i < found->directions.size(); ++i) {
    sum += found->directions[i].value;
    const double before = i > 0 ? found->directions[i - 1].singular : INFINITY;
    EXPECT_LE(found->directions[i].singular, before);
  }
  EXPECT_NEAR(sum, found->total, 2e-5 * std::max(1.0, std::fabs(found->total)));
  EXPECT_EQ(found->directions.size(), static_cast<std::size_t>(run->config().blocks[1].attention.d_head));
}

INSTANTIATE_TEST_SUITE_P(Families, Scores,
                         ::testing::Values("gpt2", "llama", "llama_yarn", "mistral", "gemma2", "qwen3",
                                           "gpt_neox", "bloom", "bert"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace attnscope
