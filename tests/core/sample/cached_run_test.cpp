// One sequence token by token: the cached run is the full one, and what is counted is what was done.
#include "core/sample/cached_run.h"

#include <gtest/gtest.h>

#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Model> golden(const std::string& name) { return testing::golden_model(name).model; }

Input words() {
  Input input;
  input.ids = {5, 17, 5, 33, 17, 8, 1, 2};
  return input;
}

TEST(CachedRun, ChangesNothingAndComputesOneRowPerToken) {
  for (const char* name : {"gpt2", "llama", "gemma2"}) {
    const auto model = golden(name);
    for (const std::int64_t prompt : {1, 5, 8}) {
      const auto run = run_with_cache(*model, words(), {}, prompt);
      ASSERT_TRUE(run) << name;
      ASSERT_EQ(std::ssize(run->steps), 8 - prompt + 1);
      EXPECT_EQ(run->prompt(), prompt);
      EXPECT_EQ(run->length(), 8);
      std::int64_t passes = 0, plain = 0;
      for (const CacheStep& step : run->steps) {
        passes += step.with.rows;
        plain += step.without.rows;
        EXPECT_EQ(step.first, &step == &run->steps.front() ? 0 : step.length - 1) << name;
        EXPECT_EQ(step.difference, 0) << name << " " << step.length;
        EXPECT_TRUE(step.without.ran());
      }
      EXPECT_EQ(passes, 8);
      EXPECT_EQ(plain, 8 * 9 / 2 - prompt * (prompt - 1) / 2);
    }
  }
}

TEST(CachedRun, CountsWhatTheMatricesHave) {
  const auto model = golden("gpt2");
  const ModelConfig& config = model->config();
  const std::int64_t d = config.d_model, f = config.blocks[0].mlp.d_mlp, layers = config.n_layers();
  const std::int64_t row = layers * (4 * d * d + 2 * d * f), head = d * config.vocab_size;
  const auto run = run_with_cache(*model, words(), {}, 3);
  ASSERT_TRUE(run);
  for (const CacheStep& step : run->steps) {
    EXPECT_EQ(step.with.products, row * step.with.rows + head) << step.length;
    EXPECT_EQ(step.without.products, row * step.length + head) << step.length;
    EXPECT_LE(step.with.attention, step.without.attention);
  }
}

TEST(CachedRun, KeepsTwoVectorsPerHeadAndPosition) {
  for (const char* name : {"gpt2", "llama"}) {
    const auto model = golden(name);
    const auto run = run_with_cache(*model, words(), {}, 2);
    ASSERT_TRUE(run);
    std::int64_t per_position = 0;
    for (const BlockSpec& block : model->config().blocks)
      per_position += 2 * block.attention.n_kv_heads * block.attention.d_head;
    EXPECT_EQ(run->cache_bytes, per_position * 8 * 4) << name;
    EXPECT_EQ(run->cross_bytes, 0);
  }
}

TEST(CachedRun, ReadsAnEncoderOnce) {
  const auto model = golden("bart");
  Input input = words();
  input.source = {4, 9, 11};
  const auto run = run_with_cache(*model, input, {}, 2);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_GT(run->cross_bytes, 0);
  for (const CacheStep& step : run->steps) EXPECT_EQ(step.difference, 0);
  EXPECT_EQ(run->steps.back().with.rows, 1);
}

// The image's rows see each other, but none of them sees a word: a new word changes no earlier row.
TEST(CachedRun, ABidirectionalImageIsReadOnceAsLongAsItSeesNoWord) {
  const auto model = golden("gpt2");
  Input input = words();
  input.spans = {{"image", 0, 3}, {"action", 3, 8}};
  for (const auto& [text, one_row] :
       {std::pair{"causal | image>image", true}, {"causal | image>action", false}}) {
    auto spec = MaskSpec::parse(text);
    ASSERT_TRUE(spec);
    MaskEdit mask;
    mask.spec = *spec;
    const auto run = run_with_cache(*model, input, {make_edit(mask)}, 3);
    ASSERT_TRUE(run);
    for (const CacheStep& step : run->steps) {
      EXPECT_EQ(step.difference, 0) << text << step.length;
      if (&step != &run->steps.front()) {
        EXPECT_EQ(step.with.rows == 1, one_row) << text << step.length;
      }
    }
  }
}

TEST(CachedRun, WithoutTimeItDoesNotCompare) {
  const auto run = run_with_cache(*golden("gpt2"), words(), {}, 4, 0);
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->steps.back().without.ran());
  EXPECT_LT(run->steps.back().difference, 0);
}

TEST(CachedRun, RefusesWhatReadsInBothDirections) {
  EXPECT_FALSE(run_with_cache(*golden("bert"), words(), {}, 2));
}

TEST(CachedRun, PaddingOnTheLeftBelongsToThePrefill) {
  Input input = words();
  input.attention_mask = {0, 0, 1, 1, 1, 1, 1, 1};
  const auto model = golden("gpt2");
  EXPECT_EQ(least_prompt(model->config(), input), 3);
  const auto run = run_with_cache(*model, input, {}, 1);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->prompt(), 3);
  EXPECT_EQ(run->steps.back().difference, 0);
  EXPECT_EQ(std::ssize(first_positions(input, 4).attention_mask), 4);
}

}  // namespace
}  // namespace attnscope
