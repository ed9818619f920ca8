// What changes scores besides scale and causal mask: soft caps, biases, rules and padding, in every
// combination.
#include <gtest/gtest.h>

#include "core/ops/mask.h"
#include "tests/core/ops/score_cases.h"

namespace attnscope {
namespace {

using namespace reference;

constexpr float kScoresInfinity = std::numeric_limits<float>::infinity();

// Distances at which each bucket begins, for 16 buckets up to 128 (half of T5's 32) and for 32.
TEST(Buckets, BeginWhereT5sBegin) {
  const std::vector<std::int64_t> half = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  const std::vector<std::int64_t> whole = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
  const auto bucket = [](const std::vector<std::int64_t>& begins, std::int64_t distance) {
    return std::upper_bound(begins.begin(), begins.end(), distance) - begins.begin() - 1;
  };
  ScoreBias bias;
  bias.kind = ScoreBias::Kind::buckets;
  bias.table = noise({{Axis::none, 32}, {Axis::head, 2}}, 1);
  for (std::int64_t distance = -300; distance <= 300; ++distance) {
    bias.both_directions = true;  // distance: how far the key is behind the query
    EXPECT_EQ(bias.bucket(300, 300 - distance), bucket(half, std::abs(distance)) + (distance < 0 ? 16 : 0))
        << distance;
    bias.both_directions = false;
    EXPECT_EQ(bias.bucket(300, 300 - distance), bucket(whole, std::max<std::int64_t>(0, distance)))
        << distance;
    EXPECT_EQ(bias.at(1, 300, 300 - distance), bias.table.at(bias.bucket(300, 300 - distance), 1));
  }
}

TEST(Buckets, FewAreStillBuckets) {
  ScoreBias bias;
  bias.kind = ScoreBias::Kind::buckets;
  for (std::int64_t count = 1; count < 6; ++count)
    for (bool both : {false, true})
      for (std::int64_t distance = -200; distance <= 200; ++distance) {
        bias.table = noise({{Axis::none, count}, {Axis::head, 1}}, 1);
        bias.both_directions = both;
        const std::int64_t found = bias.bucket(distance, 0);
        EXPECT_TRUE(found >= 0 && found < count) << count << " " << both << " " << distance << ": " << found;
      }
}

TEST(Alibi, GradientsFollowThePaper) {
  EXPECT_EQ(alibi_slopes(0), std::vector<float>{});
  EXPECT_EQ(alibi_slopes(1), std::vector<float>{1.f / 256});
  EXPECT_EQ(alibi_slopes(8), (std::vector<float>{1.f / 2, 1.f / 4, 1.f / 8, 1.f / 16, 1.f / 32, 1.f / 64,
                                                 1.f / 128, 1.f / 256}));
  const auto sixteen = alibi_slopes(16), twelve = alibi_slopes(12), eight = alibi_slopes(8);
  ASSERT_EQ(twelve.size(), 12u);  // those of 8, then every other one of 16
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(twelve[i], eight[i]);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(twelve[8 + i], sixteen[2 * i]);
  EXPECT_NEAR(sixteen[0], 0.70710678, 1e-7);
  ScoreBias bias;
  bias.kind = ScoreBias::Kind::alibi;
  bias.slopes = eight;
  EXPECT_EQ(bias.at(1, 10, 6), -1.f);
}

struct ScoresSizes {
  std::int64_t heads, kv_heads, queries, keys, d_head;
};

// z and lse by tiles and the pattern by rectangles, against plain loops in double.
void scores_expect_by_the_book(const AttentionInputs& in) {
  const AttentionResult found = attend(in);
  for (std::int64_t head = 0; head < in.q.size(0); ++head) {
    const Attention exact = attention(in, head);
    EXPECT_LT(worst_gap(found.z.select(0, head), exact.z), 1e-5);
    EXPECT_LT(worst_gap(found.lse.select(0, head), exact.lse), 1e-5);
    const Tensor pattern =
        attention_rectangle(in, found.lse, ScoreStage::pattern, head, 0, in.q.size(1), 0, in.k.size(1));
    EXPECT_LT(worst_gap(pattern, exact.pattern), 1e-5);
  }
}

TEST(Scores, EveryCombinationByTheBook) {
  with_every_kernel([] {
    for (const ScoresSizes& s :
         {ScoresSizes{2, 2, 9, 9, 4}, {4, 2, 70, 70, 8}, {4, 1, 3, 300, 5}, {2, 2, 66, 280, 6}}) {
      AttentionInputs in = attention_inputs(s.heads, s.kv_heads, s.queries, s.keys, s.d_head);
      for (float cap : {0.f, 1.5f})
        for (const ScoreBias& bias : biases(s.heads))
          for (const Mask& mask : masks(s.queries, s.keys)) {
            SCOPED_TRACE(shape_text({s.heads, s.kv_heads, s.queries, s.keys, s.d_head}) + " cap " +
                         std::to_string(cap) + " bias " + std::to_string(static_cast<int>(bias.kind)));
            in.cap = cap;
            in.bias = bias;
            in.mask = mask;
            scores_expect_by_the_book(in);
            if (::testing::Test::HasFailure()) return;
          }
    }
  });
}

TEST(Scores, MoreQueriesThanKeysAsInCrossAttention) {
  AttentionInputs in = attention_inputs(2, 2, 6, 6, 4);
  in.q = noise({{Axis::head, 2}, {Axis::query, 20}, {Axis::d_head, 4}}, 5);
  in.first_query = 0;
  in.mask.causal = false;
  in.cap = 2.f;
  for (const ScoreBias& bias : biases(2)) {
    in.bias = bias;
    scores_expect_by_the_book(in);
    in.mask.attention_mask = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 0});
    scores_expect_by_the_book(in);
  }
}

TEST(Scores, AllPaddingGivesZeros) {
  AttentionInputs in = attention_inputs(2, 1, 10, 10, 4);
  in.mask.attention_mask = std::make_shared<std::vector<std::uint8_t>>(10, std::uint8_t{0});
  for (bool ruled : {false, true}) {
    if (ruled) in.mask.rule = std::make_shared<Chequered>();
    const AttentionResult found = attend(in);
    EXPECT_EQ(stats(found.z).l2, 0.0);
    EXPECT_EQ(stats(found.z).nans, 0);
    for (std::int64_t query = 0; query < 10; ++query) EXPECT_EQ(found.lse.at(1, query), -kScoresInfinity);
    const Tensor pattern = attention_rectangle(in, found.lse, ScoreStage::pattern, 1, 0, 10, 0, 10);
    EXPECT_EQ(stats(pattern).l2, 0.0);
  }
}

TEST(Scores, StagesInTheirOrder) {
  AttentionInputs in = attention_inputs(2, 1, 6, 9, 5);
  in.cap = 0.7f;
  in.bias = biases(2)[2];
  in.mask_before_scale = true;  // speaks of attentions without cap and bias only
  const Tensor lse = attend(in).lse;
  const auto at = [&](ScoreStage stage) { return attention_rectangle(in, lse, stage, 1, 0, 6, 0, 9); };
  const Tensor scores = at(ScoreStage::scores), scaled = at(ScoreStage::scaled),
               capped = at(ScoreStage::capped), biased = at(ScoreStage::biased),
               masked = at(ScoreStage::masked), pattern = at(ScoreStage::pattern);
  for (std::int64_t query = 0; query < 6; ++query)
    for (std::int64_t key = 0; key < 9; ++key) {
      const std::int64_t position = in.first_query + query;
      EXPECT_EQ(scaled.at(query, key), scores.at(query, key) * in.scale);
      EXPECT_NEAR(capped.at(query, key), 0.7 * std::tanh(static_cast<double>(scaled.at(query, key)) / 0.7),
                  2e-7);
      EXPECT_EQ(biased.at(query, key), capped.at(query, key) + in.bias.at(1, position, key));
      const bool open = in.mask.allowed(position, key);
      EXPECT_EQ(masked.at(query, key), open ? biased.at(query, key) : -kScoresInfinity);
      EXPECT_NEAR(pattern.at(query, key), open ? std::exp(biased.at(query, key) - lse.at(1, query)) : 0.f,
                  1e-6);
    }
  in.cap = 0;
  in.bias = {};
  in.mask_before_scale = false;
  for (ScoreStage stage : {ScoreStage::capped, ScoreStage::biased})
    EXPECT_TRUE(same_bits(at(stage), at(ScoreStage::scaled)));
}

TEST(Scores, EveryCutShowsTheSameBits) {
  with_every_kernel([] {
    AttentionInputs in = attention_inputs(2, 2, 90, 150, 24);
    in.cap = 1.f;
    in.bias = biases(2)[1];
    in.mask = masks(90, 150)[6];
    const Tensor lse = attend(in).lse;
    expect_cuts_alike(in, lse, 90, 150,
                      {ScoreStage::capped, ScoreStage::biased, ScoreStage::masked, ScoreStage::pattern});
  });
}

TEST(Scores, ReachableSpanHoldsEveryAllowedCell) {
  for (const Mask& mask : masks(20, 30))
    for (std::int64_t begin = 10; begin < 30; ++begin)
      for (std::int64_t end = begin + 1; end <= 30; ++end) {
        const KeySpan span = reachable_span(mask, begin, end, 30);
        for (std::int64_t query = begin; query < end; ++query)
          for (std::int64_t key = 0; key < 30; ++key)
            EXPECT_TRUE(!mask.allowed(query, key) || (key >= span.begin && key < span.end));
      }
}

// The cap against tanh in double, from the smallest scores to far beyond it.
TEST(Scores, CapIsATanh) {
  with_every_kernel([] {
    for (double x = -400; x <= 400; x += 0.37) {
      for (double factor : {1e-6, 1e-2, 1.0}) {
        float row[3] = {static_cast<float>(x * factor), 0.f, kScoresInfinity};
        const double exact = 30 * std::tanh(static_cast<double>(row[0]) / 30);
        kernels().cap_row(row, 30.f, 3);
        EXPECT_NEAR(row[0], exact, 3e-7 * std::fabs(exact)) << x * factor;
        EXPECT_EQ(row[1], 0.f);
        EXPECT_EQ(row[2], 30.f);
      }
    }
    float nan[1] = {NAN};
    kernels().cap_row(nan, 30.f, 1);
    EXPECT_TRUE(std::isnan(nan[0]));
  });
}

}  // namespace
}  // namespace attnscope
