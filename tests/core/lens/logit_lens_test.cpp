// The lens against the model's own logits and against naive double loops.
#include "core/lens/logit_lens.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/model/model.h"

namespace attnscope {
namespace {

// A two-block model with every part, weights from a fixed recurrence.
std::shared_ptr<const Model> small_model(bool with_mlp) {
  ModelConfig config;
  config.d_model = config.d_in = 6;
  config.vocab_size = 11;
  config.position.kind = PositionSpec::Kind::learned;
  config.position.max_positions = 8;
  BlockSpec block;
  block.attention.n_heads = block.attention.n_kv_heads = 2;
  block.attention.d_head = 3;
  block.attention.scale = 0.5f;
  block.mlp.kind = with_mlp ? MlpSpec::Kind::plain : MlpSpec::Kind::none;
  block.mlp.d_mlp = 9;
  config.blocks.assign(2, block);
  Weights weights;
  unsigned state = 1;
  for (const WeightShape& expected : expected_weights(config)) {
    Shape shape;
    std::int64_t count = 1;
    for (const std::int64_t size : expected.shape) {
      shape.emplace_back(shape.empty() ? Axis::in : Axis::out, size);
      count *= size;
    }
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      values.push_back(static_cast<float>(state >> 8) / 16777216.f - 0.5f);
    }
    weights.set(expected.name, Tensor::from(std::move(values), shape));
  }
  auto model = Model::make(std::move(config), std::move(weights));
  EXPECT_TRUE(model) << model.error().text();
  return *model;
}

std::shared_ptr<const Trace> logit_lens_run(bool with_mlp) {
  return *small_model(with_mlp)->run(Input{{3, 1, 4, 1, 5}, {}});
}

TEST(LogitLens, HasARowAfterEveryPart) {
  const auto rows = lens_rows(*logit_lens_run(true));
  ASSERT_EQ(rows.size(), 5u);  // embed, then attention and MLP of two blocks
  EXPECT_EQ(rows[0].site.slot, Slot::embed);
  EXPECT_EQ(rows[1].site.slot, Slot::resid_mid);
  EXPECT_EQ(rows[2].site.slot, Slot::resid_post);
  EXPECT_TRUE(rows[4].final);
  EXPECT_FALSE(rows[3].final);
  EXPECT_EQ(lens_rows(*logit_lens_run(false)).size(), 3u);  // without MLPs one row per block
}

TEST(LogitLens, LastRowIsTheModelsOutput) {
  const auto trace = logit_lens_run(true);
  const LensRow last = lens_rows(*trace).back();
  for (std::int64_t pos = 0; pos < 5; ++pos)
    EXPECT_LT(max_abs_difference(lens_logits(*trace, last, pos), trace->logits_row(pos)), 1e-5);
  const auto cells = lens_row(*trace, last, {0, 5});
  const Tensor probs = *trace->tensor(site_of(Slot::probs));
  for (std::int64_t pos = 0; pos < 5; ++pos) {
    const LensCell& cell = cells[static_cast<std::size_t>(pos)];
    EXPECT_NEAR(cell.probability, probs.at(pos, cell.token), 1e-6);
    for (std::int64_t word = 0; word < 11; ++word) EXPECT_LE(probs.at(pos, word), cell.probability + 1e-6f);
    EXPECT_NEAR(cell.kl_to_final, 0.0, 1e-6);
  }
}

TEST(LogitLens, MiddleRowsAgainstNaive) {
  const auto trace = logit_lens_run(true);
  const auto rows = lens_rows(*trace);
  const Weights& weights = trace->weights();
  const Tensor x = trace->find(rows[1].site)->value();  // [pos, d_model]
  for (std::int64_t pos = 0; pos < 5; ++pos) {
    double mean = 0, variance = 0, sum = 0, entropy = 0;
    for (int i = 0; i < 6; ++i) mean += x.at(pos, i) / 6.0;
    for (int i = 0; i < 6; ++i) variance += (x.at(pos, i) - mean) * (x.at(pos, i) - mean) / 6.0;
    double logits[11];
    for (int word = 0; word < 11; ++word) {
      logits[word] = weights.get("logits.bias").at(word);
      for (int i = 0; i < 6; ++i) {
        const double y =
            (x.at(pos, i) - mean) / std::sqrt(variance + 1e-5) * weights.get("ln_final.weight").at(i) +
            weights.get("ln_final.bias").at(i);
        logits[word] += y * weights.get("logits.weight").at(i, word);
      }
      sum += std::exp(logits[word]);
    }
    for (const double logit : logits) entropy -= std::exp(logit) / sum * (logit - std::log(sum));
    const LensCell cell = lens_row(*trace, rows[1], {pos, pos + 1}).front();
    EXPECT_NEAR(cell.probability, std::exp(logits[cell.token]) / sum, 1e-5);
    EXPECT_NEAR(cell.entropy, entropy, 1e-4);
    EXPECT_GE(cell.kl_to_final, 0.f);
  }
}

TEST(LogitLens, TopIsSortedAndBeginsWithTheCell) {
  const auto trace = logit_lens_run(true);
  const auto rows = lens_rows(*trace);
  const auto top = lens_top(*trace, rows[2], 3, 5);
  ASSERT_EQ(top.size(), 5u);
  for (std::size_t i = 1; i < top.size(); ++i) EXPECT_LE(top[i].probability, top[i - 1].probability);
  EXPECT_EQ(top[0].token, lens_row(*trace, rows[2], {3, 4}).front().token);
  EXPECT_EQ(lens_top(*trace, rows[2], 3, 500).size(), 11u);
}

TEST(LogitLens, AdditionsAreTheNormsOfWhatIsAdded) {
  const auto trace = logit_lens_run(true);
  const auto parts = additions(*trace, 2);
  ASSERT_EQ(parts.size(), 5u);
  const Tensor out = trace->find(site_of(Slot::attn_out, 0))->value();
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += static_cast<double>(out.at(2, i)) * out.at(2, i);
  EXPECT_EQ(parts[1].site, site_of(Slot::attn_out, 0));
  EXPECT_NEAR(parts[1].norm, std::sqrt(sum), 1e-6);
  EXPECT_LE(std::fabs(parts[1].cosine), 1.0 + 1e-9);
}

TEST(LogitLens, AnAskedTokenHasItsProbabilityAndRankInEveryCell) {
  const auto trace = logit_lens_run(true);
  for (const LensRow& row : lens_rows(*trace))
    for (std::int64_t pos = 0; pos < 5; ++pos)
      for (const int asked : {0, 4, 10}) {
        const LensCell cell = lens_row(*trace, row, {pos, pos + 1}, nullptr, asked).front();
        for (const LensToken& token : lens_top(*trace, row, pos, 11))
          if (token.token == asked) {
            EXPECT_NEAR(cell.asked_probability, token.probability, 1e-6);
            EXPECT_EQ(cell.asked_rank, token.rank);
          }
      }
  EXPECT_EQ(lens_row(*trace, lens_rows(*trace)[0], {0, 1}).front().asked_rank, -1);
}

TEST(LogitLens, PushesAgainstNaiveAddUpToTheLogit) {
  const auto trace = logit_lens_run(true);
  const Weights& weights = trace->weights();
  const std::int64_t pos = 3;
  const int token = 7;
  const auto parts = additions(*trace, pos);
  const auto found = pushes(*trace, parts, pos, token);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->of.size(), parts.size());
  const Tensor last = trace->find(site_of(Slot::resid_post, 1))->value();
  double mean = 0, variance = 0, sum = found->bias + found->rest;
  for (int i = 0; i < 6; ++i) mean += static_cast<double>(last.at(pos, i)) / 6;
  for (int i = 0; i < 6; ++i) variance += std::pow(static_cast<double>(last.at(pos, i)) - mean, 2) / 6;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const Tensor added = trace->find(parts[part].site)->value();
    double own_mean = 0, push = 0;
    for (int i = 0; i < 6; ++i) own_mean += static_cast<double>(added.at(pos, i)) / 6;
    for (int i = 0; i < 6; ++i)
      push += (static_cast<double>(added.at(pos, i)) - own_mean) / std::sqrt(variance + 1e-5) *
              static_cast<double>(weights.get("ln_final.weight").at(i)) *
              static_cast<double>(weights.get("logits.weight").at(i, token));
    EXPECT_NEAR(found->of[part], push, 1e-4) << to_text(parts[part].site);
    sum += found->of[part];
  }
  EXPECT_NEAR(sum, found->total, 1e-5);
  EXPECT_NEAR(found->total, static_cast<double>(trace->logits_row(pos).at(token)), 1e-5);
}

}  // namespace
}  // namespace attnscope
