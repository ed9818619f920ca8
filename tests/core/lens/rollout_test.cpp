// Rollout against whole matrices multiplied in a plain loop; flow against every cut of small graphs (the
// smallest cut is the largest flow), and both on each kind of model.
#include "core/lens/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> rollout_run(const std::string& name, std::vector<int> ids) {
  return testing::golden_run(testing::golden_model(name), std::move(ids), {4, 9, 4, 11, 6});
}
const std::vector<int> kRolloutIds{5, 17, 9, 33, 5, 17};

using Matrix = std::vector<std::vector<double>>;

// (mean of the heads + identity) / 2, rows divided by their sum.
Matrix plain_step(const Trace& trace, const Site& pattern) {
  const Tensor all = *trace.tensor(pattern);
  const auto n = static_cast<std::size_t>(all.size(1));
  Matrix out(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::int64_t head = 0; head < all.size(0); ++head)
        out[i][j] +=
            static_cast<double>(all.at(head, std::int64_t(i), std::int64_t(j))) / double(all.size(0));
      out[i][j] = out[i][j] / 2 + (i == j ? 0.5 : 0);
      sum += out[i][j];
    }
    for (double& x : out[i]) x /= sum;
  }
  return out;
}
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<double>(b[0].size(), 0.0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

// The smallest sum of capacities that parts the source from the sink, over all ways to part them.
double smallest_cut(const std::vector<double>& capacities, int count, int source, int sink) {
  double best = INFINITY;
  for (int set = 0; set < (1 << count); ++set) {
    if (!(set >> source & 1) || (set >> sink & 1)) continue;
    double cut = 0;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j)
        if ((set >> i & 1) && !(set >> j & 1)) cut += capacities[std::size_t(i * count + j)];
    best = std::min(best, cut);
  }
  return best;
}

TEST(MaxFlow, IsTheSmallestCutOfEverySmallGraph) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> weight(0, 1);
  for (int round = 0; round < 60; ++round) {
    const int count = 3 + round % 6;
    std::vector<double> capacities(std::size_t(count * count));
    for (double& c : capacities) c = weight(random) < 0.45 ? weight(random) : 0;
    EXPECT_NEAR(max_flow(capacities, count, 0, count - 1), smallest_cut(capacities, count, 0, count - 1),
                1e-9);
  }
}

TEST(AttentionPaths, RolloutIsTheProductOfTheBlocks) {
  for (const char* name : {"gpt2", "bert"}) {
    const auto trace = rollout_run(name, kRolloutIds);
    const AttentionPlace place{trace->config().stack, Part::attn};
    for (std::int64_t query = 0; query < 6; ++query) {
      const auto found = attention_path(*trace, place, AttentionPath::rollout, query);
      ASSERT_TRUE(found) << found.error().text();
      ASSERT_EQ(std::ssize(found->layers), trace->config().n_layers());
      Matrix all;
      for (int layer = 0; layer < trace->config().n_layers(); ++layer) {
        const Matrix step = plain_step(*trace, place.site(Slot::pattern, layer));
        all = layer == 0 ? step : product(step, all);
        double sum = 0;
        for (std::int64_t key = 0; key < 6; ++key) {
          EXPECT_NEAR(found->weights.at(layer, key), all[std::size_t(query)][std::size_t(key)], 1e-6) << name;
          sum += static_cast<double>(found->weights.at(layer, key));
        }
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
}

TEST(AttentionPaths, FlowIsTheSmallestCutOfTheBlocks) {
  const auto trace = rollout_run("gpt2", {5, 17, 9, 33});
  const AttentionPlace place{Stack::single, Part::attn};
  const auto found = attention_path(*trace, place, AttentionPath::flow, 3);
  ASSERT_TRUE(found) << found.error().text();
  const int rows = 4, levels = 3;
  std::vector<double> capacities(std::size_t(rows * levels * rows * levels), 0.0);
  for (int layer = 0; layer < 2; ++layer) {
    const Matrix step = plain_step(*trace, place.site(Slot::pattern, layer));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j)
        capacities[std::size_t(((layer + 1) * rows + i) * rows * levels + layer * rows + j)] =
            step[std::size_t(i)][std::size_t(j)];
  }
  for (int key = 0; key < rows; ++key)
    EXPECT_NEAR(found->weights.at(1, key), smallest_cut(capacities, rows * levels, 2 * rows + 3, key), 1e-6);
  const auto one = plain_step(*trace, place.site(Slot::pattern, 0));
  for (int key = 0; key < rows; ++key)
    EXPECT_NEAR(found->weights.at(0, key), one[3][std::size_t(key)], 1e-6) << "one block: its own weights";
}

TEST(AttentionPaths, RawIsTheMeanOfTheHeads) {
  const auto trace = rollout_run("gpt2", kRolloutIds);
  const auto found = attention_path(*trace, {Stack::single, Part::attn}, AttentionPath::raw, 4);
  ASSERT_TRUE(found);
  const Tensor all = *trace->tensor(site_of(Slot::pattern, 1));
  for (std::int64_t key = 0; key < 6; ++key) {
    double mean = 0;
    for (std::int64_t head = 0; head < all.size(0); ++head)
      mean += static_cast<double>(all.at(head, 4, key)) / double(all.size(0));
    EXPECT_NEAR(found->weights.at(1, key), mean, 1e-6);
  }
}

TEST(AttentionPaths, CrossAttentionReachesTheSourceThroughTheEncoder) {
  const auto trace = rollout_run("bart", {2, 7, 9});
  const AttentionPlace cross{Stack::dec, Part::cross}, own{Stack::enc, Part::attn};
  const auto raw = attention_path(*trace, cross, AttentionPath::raw, 2),
             rolled = attention_path(*trace, cross, AttentionPath::rollout, 2);
  ASSERT_TRUE(raw && rolled);
  Matrix encoder;
  for (int layer = 0; layer < trace->config().encoder()->n_layers(); ++layer) {
    const Matrix step = plain_step(*trace, own.site(Slot::pattern, layer));
    encoder = layer == 0 ? step : product(step, encoder);
  }
  for (std::size_t block = 0; block < raw->layers.size(); ++block)
    for (std::size_t key = 0; key < 5; ++key) {
      double want = 0;
      for (std::size_t at = 0; at < 5; ++at)
        want +=
            static_cast<double>(raw->weights.at(std::int64_t(block), std::int64_t(at))) * encoder[at][key];
      EXPECT_NEAR(rolled->weights.at(std::int64_t(block), std::int64_t(key)), want, 1e-6);
    }
  const auto flow = attention_path(*trace, cross, AttentionPath::flow, 2);
  ASSERT_FALSE(flow);
  EXPECT_FALSE(flow.error().sentence().empty());
}

TEST(AttentionPaths, WhatCannotBeToldIsSaid) {
  const auto trace = rollout_run("gpt2", kRolloutIds);
  const AttentionPlace place{Stack::single, Part::attn};
  for (const auto& wrong : {attention_path(*trace, place, AttentionPath::raw, 6),
                            attention_path(*trace, place, AttentionPath::raw, -1),
                            attention_path(*trace, {Stack::dec, Part::cross}, AttentionPath::raw, 0),
                            attention_path(*trace, place, AttentionPath::flow, 0, [] { return false; })}) {
    ASSERT_FALSE(wrong);
    EXPECT_FALSE(wrong.error().sentence().empty());
  }
}

}  // namespace
}  // namespace attnscope
