// Outer products, the triangle of three keys and the order of heads against plain loops and closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/lens/head_order.h"
#include "core/lens/head_stats.h"
#include "core/lens/outer_products.h"
#include "core/lens/simplex.h"
#include "tests/edits.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> attention_pictures_run(const std::string& name, const RunOptions& options = {}) {
  Input input;
  for (int i = 0; i < 9; ++i) input.ids.push_back((i * 7 + 3) % 40);
  return testing::golden_run(testing::golden_model(name), input, options);
}
const Site kAttentionPicturesPattern = site_of(Slot::pattern, 1);

TEST(OuterProducts, TheLastSumIsTheScoresOfTheRun) {
  for (const char* model : {"gpt2", "llama", "bloom"}) {
    const auto trace = attention_pictures_run(model);
    const Site pattern = trace->main(Slot::pattern, 1), scores = trace->main(Slot::scores, 1);
    for (std::int64_t head = 0; head < trace->find(pattern)->shape[0]; ++head) {
      const auto last = outer_step(*trace, pattern, head, 1 << 20, {0, 9}, {0, 9});
      ASSERT_TRUE(last) << last.error().text();
      EXPECT_LT(last->left, 1e-4);
      for (std::int64_t i = 0; i < last->sum.size(0); ++i)
        for (std::int64_t j = 0; j < last->sum.size(1); ++j)
          EXPECT_NEAR(last->sum.at(i, j), trace->cell(scores, {head, i, j}), 1e-4);
    }
  }
}

TEST(OuterProducts, EachStepAddsOneProduct) {
  const auto trace = attention_pictures_run("llama");
  const auto first = *outer_step(*trace, kAttentionPicturesPattern, 2, 0, {2, 7}, {0, 9});
  ASSERT_EQ(first.product.sizes(), (std::vector<std::int64_t>{5, 9}));
  EXPECT_GT(first.left, 1e-3);
  Tensor before = first.sum;
  for (std::int64_t feature = 1; feature < first.width; ++feature) {
    const auto step = *outer_step(*trace, kAttentionPicturesPattern, 2, feature, {2, 7}, {0, 9});
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j < 9; ++j) {
        EXPECT_FLOAT_EQ(step.product.at(i, j), step.q.at(i) * step.k.at(j));
        EXPECT_NEAR(step.sum.at(i, j), before.at(i, j) + step.product.at(i, j), 1e-5);
      }
    before = step.sum;
  }
}

TEST(OuterProducts, EditedScoresAreToldApart) {
  RunOptions options;
  options.edits = {testing::edit("blocks.1.attn.scores[head=0,query=3,key=1]+=2")};
  const auto trace = attention_pictures_run("gpt2", options);
  EXPECT_NEAR(outer_step(*trace, kAttentionPicturesPattern, 0, 1 << 20, {0, 9}, {0, 9})->left, 2, 1e-3);
  EXPECT_LT(outer_step(*trace, kAttentionPicturesPattern, 1, 1 << 20, {0, 9}, {0, 9})->left, 1e-4);
  EXPECT_FALSE(outer_step(*trace, kAttentionPicturesPattern, 99, 0, {0, 9}, {0, 9}));
}

TEST(Simplex, IsTheRowDividedByItsThree) {
  const auto trace = attention_pictures_run("gpt2");
  const auto row = *attention_row(*trace, kAttentionPicturesPattern, 1, 7);
  const ThreeKeys keys{0, 4, 6};
  const SimplexPoint point = simplex_point(row, keys);
  double three = 0;
  for (const auto key : keys) three += row.terms[static_cast<std::size_t>(key)].weight;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(point[i], row.terms[static_cast<std::size_t>(keys[i])].weight / three, 1e-5);
  const SimplexPoint warm = simplex_point(row, keys, 2.5);
  double sum = 0;
  for (const auto key : keys) sum += std::exp(row.terms[static_cast<std::size_t>(key)].scaled / 2.5);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(warm[i], std::exp(row.terms[static_cast<std::size_t>(keys[i])].scaled / 2.5) / sum, 1e-6);
  for (const double share : simplex_point(row, keys, 1e6)) EXPECT_NEAR(share, 1.0 / 3, 1e-4);
  const SimplexPoint cold = simplex_point(row, keys, 1e-6);
  EXPECT_NEAR(*std::max_element(cold.begin(), cold.end()), 1, 1e-9);
}

TEST(Simplex, MaskedKeysGetNothing) {
  const auto trace = attention_pictures_run("gpt2");
  const auto row = *attention_row(*trace, kAttentionPicturesPattern, 1, 2);
  EXPECT_EQ(simplex_point(row, {0, 5, 6}), (SimplexPoint{1, 0, 0}));
  EXPECT_EQ(simplex_point(row, {4, 5, 6}), (SimplexPoint{0, 0, 0}));
  const auto keys = strongest_keys(row);
  ASSERT_EQ(keys.size(), 3u);
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_GE(row.terms[static_cast<std::size_t>(keys[i - 1])].weight,
              row.terms[static_cast<std::size_t>(keys[i])].weight);
}

TEST(HeadOrder, FollowsStatisticsOfTheWholePattern) {
  const auto trace = attention_pictures_run("gpt2");
  const Thumbnails pictures = thumbnails(*trace, {Stack::single, Part::attn}, 64);
  for (const HeadThumbnail& head : pictures.heads) {
    const Site site = site_of(Slot::pattern, head.layer);
    EXPECT_NEAR(head.entropy, head_stats(*trace, site, head.head)->entropy, 1e-6);
    double largest = 0;
    for (std::int64_t q = 0; q < 9; ++q) {
      float most = 0;
      for (std::int64_t k = 0; k < 9; ++k) most = std::max(most, trace->cell(site, {head.head, q, k}));
      largest += static_cast<double>(most) / 9;
    }
    EXPECT_NEAR(head.largest, largest, 1e-6);
  }
  for (int i = 0; i < kHeadOrders; ++i) {
    const auto by = static_cast<HeadOrder>(i);
    const auto order = ordered_heads(pictures, by);
    ASSERT_EQ(order.size(), pictures.heads.size());
    std::vector<std::size_t> all = order;
    std::sort(all.begin(), all.end());
    for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(all[n], n);
    for (std::size_t n = 1; n < order.size(); ++n) {
      const double a = head_value(pictures.heads[order[n - 1]], by),
                   b = head_value(pictures.heads[order[n]], by);
      EXPECT_TRUE(by == HeadOrder::entropy ? a <= b : a >= b) << head_order_name(by);
    }
  }
}

TEST(RowSums, OfAPatternAreOne) {
  const auto trace = attention_pictures_run("gpt2");
  const Tensor plane = attention_plane(*trace, {kAttentionPicturesPattern, 0, {0, 9}, {0, 9}, false});
  for (const double sum : row_sums(plane)) EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(row_sums(Tensor()).empty());
}

}  // namespace
}  // namespace attnscope
