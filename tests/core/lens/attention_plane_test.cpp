// Planes, pictures and rows of attention against the whole pattern and plain loops.
#include "core/lens/attention_plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"
#include "core/lens/attention_row.h"
#include "core/lens/thumbnails.h"
#include "tests/edits.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> attention_plane_run(const std::string& name, const std::vector<int>& ids,
                                                 const RunOptions& options = {}) {
  return testing::golden_run(testing::golden_model(name), Input{ids, {}}, options);
}
std::vector<int> some_ids(int count) {
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) ids.push_back((i * 7 + 3) % 40);
  return ids;
}
const Site kAttentionPlanePattern = site_of(Slot::pattern, 1);

TEST(AttentionPlane, MaskedCellsAreMarkedInAnyRectangle) {
  const auto trace = attention_plane_run("gpt2", some_ids(20));
  const Tensor all = trace->tensor(kAttentionPlanePattern)->select(0, 2);
  const Tensor part = attention_plane(*trace, {kAttentionPlanePattern, 2, {5, 12}, {3, 20}, false});
  ASSERT_EQ(part.sizes(), (std::vector<std::int64_t>{7, 17}));
  for (std::int64_t row = 0; row < 7; ++row) {
    for (std::int64_t col = 0; col < 17; ++col) {
      if (col + 3 > row + 5)
        EXPECT_TRUE(std::isinf(part.at(row, col)));
      else
        EXPECT_NEAR(part.at(row, col), all.at(row + 5, col + 3), 1e-6f);
    }
  }
}

// softmax over the real keys up to the query, in a plain loop; rows of padding are queries like all others.
TEST(AttentionPlane, RowsOfPaddingHoldWhatTheRunComputed) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2");
  ASSERT_TRUE(opened) << opened.error().text();
  Input input{some_ids(5), {}};
  input.attention_mask = {1, 1, 1, 0, 0};
  const auto run = opened->model->run(input);
  ASSERT_TRUE(run) << run.error().text();
  const AttentionState& state = *(*run)->attention(kAttentionPlanePattern);
  const Tensor plane = attention_plane(**run, {kAttentionPlanePattern, 0, {0, 5}, {0, 5}, false});
  for (std::int64_t query = 0; query < 5; ++query) {
    double sum = 0, weights[5] = {};
    for (std::int64_t key = 0; key <= query && key < 3; ++key) {
      double score = 0;
      for (std::int64_t d = 0; d < state.in.q.size(2); ++d)
        score += static_cast<double>(state.in.q.at(0, query, d)) * state.in.k.at(0, key, d);
      sum += weights[key] = std::exp(score * state.in.scale);
    }
    for (std::int64_t key = 0; key < 5; ++key) {
      if (key <= query && key < 3)
        EXPECT_NEAR(plane.at(query, key), weights[key] / sum, 1e-5) << query << "," << key;
      else
        EXPECT_TRUE(std::isinf(plane.at(query, key))) << query << "," << key;
    }
    EXPECT_NEAR(row_sums(plane)[static_cast<std::size_t>(query)], 1, 1e-5) << query;
  }
}

TEST(AttentionPlane, WithoutTheFirstTokenRowsSumToOneAgain) {
  const auto trace = attention_plane_run("gpt2", some_ids(12));
  for (const std::int64_t begin : {0, 1, 4}) {
    const Tensor plane = attention_plane(*trace, {kAttentionPlanePattern, 0, {2, 12}, {begin, 12}, true});
    const Tensor all = trace->tensor(kAttentionPlanePattern)->select(0, 0);
    for (std::int64_t row = 0; row < plane.size(0); ++row) {
      double sum = 0, left_out = 0;
      for (std::int64_t col = 0; col < plane.size(1); ++col)
        if (std::isfinite(plane.at(row, col))) sum += static_cast<double>(plane.at(row, col));
      for (std::int64_t key = 1; key < begin; ++key)
        left_out += static_cast<double>(all.at(row + 2, key) / (1 - all.at(row + 2, 0)));
      EXPECT_NEAR(sum + left_out, 1, 1e-5) << "row " << row << " from key " << begin;
    }
    EXPECT_EQ(std::isinf(plane.at(3, 0)), begin == 0);
  }
}

TEST(AttentionPlane, DifferenceIsNewMinusOldAndAMaskedWeightCountsAsZero) {
  const auto before = attention_plane_run("gpt2", some_ids(6));
  RunOptions options;
  options.edits = {testing::cells({{4, 2, false}})};
  const auto now = attention_plane_run("gpt2", some_ids(6), options);
  PlaneRequest request{site_of(Slot::pattern, 0), 1, {0, 6}, {0, 6}, false};
  request.before = against(*now, before, request.site);
  ASSERT_TRUE(request.before);
  const Tensor change = attention_plane(*now, request);
  const Tensor a = now->tensor(request.site)->select(0, 1), b = before->tensor(request.site)->select(0, 1);
  for (std::int64_t query = 0; query < 6; ++query)
    for (std::int64_t key = 0; key <= query; ++key)
      EXPECT_NEAR(change.at(query, key), a.at(query, key) - b.at(query, key), 1e-6f) << query << "," << key;
  EXPECT_LT(change.at(4, 2), 0);
  EXPECT_TRUE(std::isinf(change.at(0, 3)));
  EXPECT_FALSE(against(*now, attention_plane_run("llama", some_ids(6)), request.site)) << "other heads";
  EXPECT_FALSE(against(*now, nullptr, request.site));
}

TEST(AttentionPlane, RunsOfDifferentLengthAreComparedTokenByToken) {
  const std::vector<int> now_ids{5, 9, 17, 33, 21, 40}, old_ids{5, 17, 33, 40};  // 9 and 21 are new
  const std::vector<std::int64_t> partner{0, -1, 1, 2, -1, 3};
  const auto now = attention_plane_run("gpt2", now_ids), old = attention_plane_run("gpt2", old_ids);
  for (const Slot slot : {Slot::pattern, Slot::scaled}) {
    PlaneRequest request{site_of(slot, 1), 2, {1, 6}, {0, 5}, false};
    request.before = against(*now, old, request.site);
    ASSERT_TRUE(request.before && request.before->shifted);
    const Tensor change = attention_plane(*now, request);
    const Tensor a = now->tensor(request.site)->select(0, 2), b = old->tensor(request.site)->select(0, 2);
    for (std::int64_t query = 1; query < 6; ++query)
      for (std::int64_t key = 0; key < 5; ++key) {
        const std::int64_t q = partner[static_cast<std::size_t>(query)],
                           k = partner[static_cast<std::size_t>(key)];
        const float cell = change.at(query - 1, key);
        if (q < 0 || k < 0 || (slot == Slot::pattern && key > query))
          EXPECT_TRUE(std::isinf(cell)) << query << "," << key;
        else
          EXPECT_NEAR(cell, a.at(query, key) - b.at(q, k), 1e-6f) << query << "," << key;
      }
  }
}

TEST(AttentionPlane, ThumbnailsOfTwoRunsHoldTheLargestChange) {
  const auto now = attention_plane_run("gpt2", {5, 9, 17, 33, 21, 40}),
             old = attention_plane_run("gpt2", {5, 17, 33, 40});
  const Thumbnails all = thumbnails(*now, {}, 64, {}, old);
  ASSERT_TRUE(all.difference);
  float largest = 0;
  for (const HeadThumbnail& head : all.heads) {
    PlaneRequest request{site_of(Slot::pattern, head.layer), head.head, {0, 6}, {0, 6}, false};
    request.before = against(*now, old, request.site);
    const Tensor plane = attention_plane(*now, request);
    EXPECT_EQ(max_abs_difference(head.cells, plane), 0) << head.layer << "." << head.head;
    for (const float cell : plane.values())
      if (std::isfinite(cell)) largest = std::max(largest, std::fabs(cell));
  }
  EXPECT_GT(largest, 0);
  EXPECT_EQ(all.largest, largest);
  EXPECT_FALSE(thumbnails(*now, {}, 64).difference);
}

// The strongest of a block; cells past the end do not count.
float strongest_of(const Tensor& all, std::int64_t row, std::int64_t col, std::int64_t block) {
  float want = -INFINITY;
  for (std::int64_t i = row * block; i < std::min(all.size(0), (row + 1) * block); ++i)
    for (std::int64_t j = col * block; j < std::min(all.size(1), (col + 1) * block); ++j) {
      const float cell = all.at(i, j);
      if (std::isnan(want) || cell == -INFINITY) continue;
      if (std::isnan(cell) || want == -INFINITY || std::fabs(cell) > std::fabs(want)) want = cell;
    }
  return want;
}

TEST(AttentionPlane, PicturesHoldTheLargestOfEachBlock) {
  const auto trace = attention_plane_run("llama", some_ids(45));
  for (const Slot slot : {Slot::pattern, Slot::masked}) {
    const Site site = site_of(slot, 0);
    const PooledPlane pooled = pooled_plane(*trace, {site, 1, {}, {}, false}, 16);
    ASSERT_EQ(pooled.block, 3);
    const Tensor all = attention_plane(*trace, {site, 1, {0, 45}, {0, 45}, false});
    for (std::int64_t row = 0; row < 15; ++row) {
      for (std::int64_t col = 0; col < 15; ++col) {
        EXPECT_EQ(pooled.cells.at(row, col), strongest_of(all, row, col, 3)) << row << "," << col;
      }
    }
  }
}

TEST(AttentionPlane, PicturesOfSeveralBandsLeaveNothingOut) {
  const auto cells = testing::cells({{9, 4, false}, {3, 180, true}, {70, 199, true}});
  const std::vector<std::vector<std::shared_ptr<const Edit>>> runs{
      {},
      {cells},
      {testing::mask("window(40)")},
      {testing::mask("full")},
      {testing::mask("prefix(100)")},
      {testing::edit("blocks.0.attn.pattern[head=1,query=20,key=150]=0.5")},
      {testing::edit("blocks.0.attn.masked[head=1,query=20,key=150]=1e30")},
      {testing::edit("blocks.0.attn.k[pos=170]=3e38")}};
  const auto plain = attention_plane_run("llama3", some_ids(200)),
             shorter = attention_plane_run("llama3", some_ids(190));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunOptions options;
    options.edits = runs[i];
    const auto trace = attention_plane_run("llama3", some_ids(200), options);
    for (const Slot slot : {Slot::scores, Slot::masked, Slot::pattern})
      for (const auto& before : {std::shared_ptr<const Trace>(), plain, shorter}) {
        const Site site = site_of(slot, 0);
        PlaneRequest request{site, 1, {0, 200}, {0, 200}, false};
        request.before = against(*trace, before, site);
        const Tensor all = attention_plane(*trace, request);
        const PooledPlane pooled = pooled_plane(*trace, request, 30);
        ASSERT_EQ(pooled.block, 7);
        for (std::int64_t row = 0; row < pooled.cells.size(0); ++row)
          for (std::int64_t col = 0; col < pooled.cells.size(1); ++col) {
            const float want = strongest_of(all, row, col, 7), got = pooled.cells.at(row, col);
            EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
                << "run " << i << ", " << to_text(site) << " " << row << "," << col << ": " << got << " for "
                << want;
          }
      }
  }
}

TEST(AttentionPlane, StopsWhenAsked) {
  const auto trace = attention_plane_run("gpt2", some_ids(20));
  EXPECT_TRUE(pooled_plane(*trace, {kAttentionPlanePattern, 0, {}, {}, false}, 8, [] {
                return false;
              }).cells.empty());
  EXPECT_TRUE(thumbnails(*trace, {}, 8, [](float) { return false; }).heads.empty());
  EXPECT_TRUE(attention_plane(*trace, {site_of(Slot::z, 0), 0, {0, 4}, {0, 4}, false}).empty());
}

TEST(Thumbnails, EveryHeadIsThereAndProgressGrows) {
  const auto trace = attention_plane_run("gpt2", some_ids(20));
  float last = -1;
  const Thumbnails all = thumbnails(*trace, {}, 64, [&](float share) {
    EXPECT_GE(share, last);
    last = share;
    return true;
  });
  EXPECT_EQ(all.layers, 3);
  EXPECT_EQ(all.widest, 4);
  ASSERT_EQ(all.heads.size(), 12u);
  EXPECT_EQ(all.block, 1);
  const HeadThumbnail* one = all.find(1, 2);
  ASSERT_NE(one, nullptr);
  const Tensor pattern = trace->tensor(kAttentionPlanePattern)->select(0, 2);
  for (std::int64_t query = 0; query < 20; ++query)
    for (std::int64_t key = 0; key <= query; ++key)
      EXPECT_NEAR(one->cells.at(query, key), pattern.at(query, key), 1e-6f);
  EXPECT_EQ(all.find(3, 0), nullptr);
  EXPECT_GT(thumbnails_cost(*trace, {}), 0);
}

TEST(AttentionRow, ExponentialsGiveThePattern) {
  for (const char* name : {"gpt2", "llama"}) {
    RunOptions options;
    options.edits = {testing::cells({{9, 4, false}})};
    const auto trace = attention_plane_run(name, some_ids(12), options);
    const auto row = attention_row(*trace, kAttentionPlanePattern, 1, 9);
    ASSERT_TRUE(row) << row.error().text();
    ASSERT_EQ(row->terms.size(), 12u);
    double total = 0;
    for (std::size_t key = 0; key < 12; ++key) {
      const AttentionTerm& term = row->terms[key];
      EXPECT_EQ(term.allowed, key <= 9 && key != 4);
      EXPECT_NEAR(term.scaled, term.score * row->scale, 1e-5);
      EXPECT_NEAR(term.weight, term.exponential / row->sum, 1e-5);
      EXPECT_EQ(term.exponential == 0, !term.allowed);
      total += term.weight;
    }
    EXPECT_NEAR(total, 1, 1e-5);
    EXPECT_FALSE(row->edited);
  }
}

TEST(AttentionRow, ARowThatSeesNothingIsAllZeros) {
  RunOptions options;
  options.edits = {testing::cells({{3, 0, false}, {3, 1, false}, {3, 2, false}, {3, 3, false}})};
  const auto row =
      attention_row(*attention_plane_run("gpt2", some_ids(5), options), kAttentionPlanePattern, 0, 3);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->sum, 0);
  for (const AttentionTerm& term : row->terms) EXPECT_EQ(term.weight, 0);
}

TEST(AttentionRow, WhatIsNotThereIsSaid) {
  const auto trace = attention_plane_run("gpt2", {1, 2, 3});
  EXPECT_FALSE(attention_row(*trace, site_of(Slot::scores, 0), 0, 0));
  EXPECT_FALSE(attention_row(*trace, site_of(Slot::pattern, 9), 0, 0));
  EXPECT_FALSE(attention_row(*trace, kAttentionPlanePattern, 0, 3));
}

}  // namespace
}  // namespace attnscope
