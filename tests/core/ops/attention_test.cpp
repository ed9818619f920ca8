#include <gtest/gtest.h>

#include <atomic>

#include "core/ops/mask.h"
#include "tests/core/ops/reference.h"

namespace attnscope {
namespace {

using namespace reference;

constexpr float kAttentionInfinity = std::numeric_limits<float>::infinity();

std::vector<double> in_double(const Tensor& t) {
  const auto values = t.values();
  return {values.begin(), values.end()};
}

Tensor whole_pattern(const AttentionInputs& in, const Tensor& lse, std::int64_t head) {
  return attention_rectangle(in, lse, ScoreStage::pattern, head, 0, in.q.size(1), 0, in.k.size(1));
}

// z, lse and pattern of every head against the plain loops, and z against pattern times v.
void attention_expect_by_the_book(const AttentionInputs& in) {
  const AttentionResult found = attend(in);
  ASSERT_EQ(found.z.sizes(), in.q.sizes());
  for (std::int64_t head = 0; head < in.q.size(0); ++head) {
    SCOPED_TRACE(head);
    const Attention exact = attention(in, head);
    EXPECT_LT(worst_gap(found.z.select(0, head), exact.z), 1e-5);
    EXPECT_LT(worst_gap(found.lse.select(0, head), exact.lse), 1e-5);
    const Tensor pattern = whole_pattern(in, found.lse, head);
    EXPECT_LT(worst_gap(pattern, exact.pattern), 1e-5);
    const Tensor v = in.v.select(0, head * in.k.size(0) / in.q.size(0));
    EXPECT_LT(worst_gap(found.z.select(0, head), in_double(weighted_sum(pattern, v))), 1e-5);
  }
}

struct AttentionSizes {
  std::int64_t heads, kv_heads, queries, keys, d_head;
};

TEST(Attend, AgreesWithPlainLoops) {
  with_every_kernel([] {
    for (const AttentionSizes& s : {AttentionSizes{1, 1, 1, 1, 1},
                                    {2, 2, 4, 4, 2},
                                    {2, 2, 5, 5, 3},
                                    {4, 2, 70, 70, 16},
                                    {4, 1, 33, 33, 7},
                                    {2, 2, 130, 300, 32},
                                    {3, 3, 1, 600, 64},
                                    {6, 2, 3, 257, 13},
                                    {1, 1, 65, 513, 256}}) {
      SCOPED_TRACE(shape_text({s.heads, s.kv_heads, s.queries, s.keys, s.d_head}));
      AttentionInputs in = attention_inputs(s.heads, s.kv_heads, s.queries, s.keys, s.d_head);
      attention_expect_by_the_book(in);
      in.mask.causal = false;
      attention_expect_by_the_book(in);
      in.mask.window = 9;
      attention_expect_by_the_book(in);
      in.mask.causal = true;
      attention_expect_by_the_book(in);
    }
  });
}

TEST(Attend, TakesAnyStrides) {
  AttentionInputs in = attention_inputs(2, 2, 20, 20, 6);
  const auto transposed = [](unsigned seed) {
    return noise({{Axis::d_head, 6}, {Axis::head, 2}, {Axis::key, 20}}, seed).permute({1, 2, 0});
  };
  in.q = transposed(5);
  in.k = transposed(6);
  in.v = transposed(7);
  attention_expect_by_the_book(in);
}

TEST(Attend, SwitchedCellsOverrideTheClosedForm) {
  AttentionInputs in = attention_inputs(2, 1, 100, 100, 8);
  in.mask.window = 20;
  in.mask.cells = {{3, 3, false},   {3, 90, true},   {70, 2, true},
                   {71, 60, false}, {71, 71, false}, {99, 0, true}};
  EXPECT_TRUE(in.mask.allowed(3, 90));
  EXPECT_FALSE(in.mask.allowed(71, 60));
  EXPECT_FALSE(in.mask.allowed(3, 91));
  EXPECT_FALSE(in.mask.allowed(70, 3));
  EXPECT_TRUE(in.mask.allowed(70, 2));
  with_every_kernel([&] { attention_expect_by_the_book(in); });
  in.first_query = 0;
  in.q = in.q.slice(1, 0, 80);
  attention_expect_by_the_book(in);
}

TEST(Attend, ReachableSpanHoldsEveryAllowedCell) {
  Mask mask;
  mask.window = 4;
  mask.cells = {{10, 2, true}, {11, 29, true}, {12, 1, false}};
  for (std::int64_t begin = 0; begin < 20; ++begin)
    for (std::int64_t end = begin + 1; end <= 20; ++end) {
      const KeySpan span = reachable_span(mask, begin, end, 30);
      for (std::int64_t query = begin; query < end; ++query)
        for (std::int64_t key = 0; key < 30; ++key)
          EXPECT_TRUE(!mask.allowed(query, key) || (key >= span.begin && key < span.end))
              << query << " " << key;
    }
}

TEST(Attend, FullyMaskedRowsGiveZeros) {
  with_every_kernel([] {
    for (std::int64_t queries : {2, 40}) {
      AttentionInputs in = attention_inputs(2, 2, queries, 300, 8);
      in.first_query = 0;
      in.mask.cells = {{0, 0, false}, {1, 0, false}, {1, 1, false}};
      const AttentionResult found = attend(in);
      for (std::int64_t row : {0, 1}) {
        EXPECT_EQ(found.lse.at(1, row), -kAttentionInfinity);
        for (std::int64_t d = 0; d < 8; ++d) EXPECT_EQ(found.z.at(1, row, d), 0.f);
      }
      EXPECT_EQ(stats(found.z).nans, 0);
      const Tensor pattern = whole_pattern(in, found.lse, 1);
      EXPECT_EQ(stats(pattern.slice(0, 0, 2)).max, 0.f);
      EXPECT_EQ(stats(pattern).nans, 0);
      attention_expect_by_the_book(in);
    }
  });
}

TEST(Attend, SinksTakeAShareOfEveryRow) {
  with_every_kernel([] {
    for (const AttentionSizes& s :
         {AttentionSizes{1, 1, 1, 1, 1}, {4, 2, 70, 70, 16}, {3, 3, 1, 600, 64}, {6, 2, 3, 257, 13}}) {
      AttentionInputs in = attention_inputs(s.heads, s.kv_heads, s.queries, s.keys, s.d_head);
      in.sinks = scale(noise({{Axis::head, s.heads}, {Axis::query, s.queries}, {Axis::unit, 1}}, 4), 4.f);
      attention_expect_by_the_book(in);
      const AttentionResult found = attend(in);
      const Tensor pattern = whole_pattern(in, found.lse, 0),
                   scores =
                       attention_rectangle(in, found.lse, ScoreStage::masked, 0, 0, s.queries, 0, s.keys);
      EXPECT_LT(max_abs_difference(softmax_rows(scores, in.sinks.select(0, 0)), pattern), 1e-5);
      for (std::int64_t row = 0; row < s.queries; ++row) {
        double sum = std::exp(static_cast<double>(in.sinks.at(0, row, 0) - found.lse.at(0, row)));
        EXPECT_GT(sum, 0);
        for (std::int64_t key = 0; key < s.keys; ++key) sum += static_cast<double>(pattern.at(row, key));
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  });
}

TEST(Attend, SinksTakeAllOfARowThatSeesNobody) {
  AttentionInputs in = attention_inputs(1, 1, 3, 3, 4);
  in.mask.cells = {{0, 0, false}};
  in.sinks = Tensor::filled({{Axis::head, 1}, {Axis::query, 3}, {Axis::unit, 1}}, 0.5f);
  const AttentionResult found = attend(in);
  EXPECT_EQ(found.lse.at(0, 0), 0.5f);
  EXPECT_EQ(stats(whole_pattern(in, found.lse, 0).slice(0, 0, 1)).max, 0.f);
  for (std::int64_t d = 0; d < 4; ++d) EXPECT_EQ(found.z.at(0, 0, d), 0.f);
}

TEST(Attend, LargeScoresDoNotOverflow) {
  AttentionInputs in = attention_inputs(1, 1, 40, 600, 8);
  in.q = scale(in.q, 300.f);
  const AttentionResult found = attend(in);
  EXPECT_EQ(stats(found.z).nans + stats(found.z).infs + stats(found.lse).infs, 0);
  const Tensor pattern = whole_pattern(in, found.lse, 0);
  for (std::int64_t query = 0; query < 40; ++query) {
    double sum = 0;
    for (std::int64_t key = 0; key < 600; ++key) sum += static_cast<double>(pattern.at(0 + query, key));
    EXPECT_NEAR(sum, 1.0, 1e-3);
  }
}

TEST(Attend, ThreadsDoNotChangeABit) {
  with_every_kernel([] {
    for (const AttentionSizes& s : {AttentionSizes{12, 12, 200, 200, 64}, {12, 4, 1, 2000, 64}}) {
      const AttentionInputs in = attention_inputs(s.heads, s.kv_heads, s.queries, s.keys, s.d_head);
      set_thread_count(1);
      const AttentionResult one = attend(in);
      set_thread_count(2);
      const AttentionResult two = attend(in);
      set_thread_count(0);
      EXPECT_TRUE(same_bits(one.z, two.z));
      EXPECT_TRUE(same_bits(one.lse, two.lse));
    }
  });
}

Tensor with_value(const Tensor& t, std::int64_t at, float value) {
  std::vector<float> values = t.values();
  values[static_cast<std::size_t>(at)] = value;
  return Tensor::from(std::move(values),
                      {{t.axis(0), t.size(0)}, {t.axis(1), t.size(1)}, {t.axis(2), t.size(2)}});
}

TEST(Attend, NaNReachesThoseWhoLookAndNobodyElse) {
  with_every_kernel([] {
    const AttentionInputs clean = attention_inputs(1, 1, 20, 20, 4);
    AttentionInputs in = clean;
    in.q = with_value(clean.q, 7 * 4, NAN);  // query 7
    EXPECT_TRUE(std::isnan(attend(in).lse.at(0, 7)));
    EXPECT_EQ(stats(attend(in).lse).nans, 1);
    EXPECT_EQ(stats(attend(in).z).nans, 4);

    in = clean;
    in.k = with_value(clean.k.packed(), 12 * 4, NAN);  // key 12: queries 12..19 see it
    EXPECT_EQ(stats(attend(in).lse).nans, 8);
    EXPECT_EQ(stats(attend(in).z).nans, 32);

    in = clean;
    in.v = with_value(clean.v.packed(), 12 * 4 + 1, NAN);  // one feature of value 12
    EXPECT_EQ(stats(attend(in).lse).nans, 0);
    EXPECT_EQ(stats(attend(in).z).nans, 8);
    EXPECT_TRUE(std::isnan(attend(in).z.at(0, 19, 1)));
    EXPECT_FALSE(std::isnan(attend(in).z.at(0, 19, 0)));
    EXPECT_FALSE(std::isnan(attend(in).z.at(0, 11, 1)));
  });
}

TEST(Attend, ComesBackEmptyWhenCancelled) {
  const AttentionInputs in = attention_inputs(4, 4, 300, 300, 32);
  std::atomic<int> asked{0};
  const AttentionResult found = attend(in, [&] { return ++asked > 3; });
  EXPECT_TRUE(found.z.empty());
  EXPECT_TRUE(found.lse.empty());
  EXPECT_LE(asked, 3 + thread_count());
  EXPECT_FALSE(attend(in, [] { return false; }).z.empty());
}

TEST(Rectangle, StagesInEitherOrder) {
  AttentionInputs in = attention_inputs(2, 1, 6, 9, 5);
  const Tensor lse = attend(in).lse;
  for (bool mask_first : {false, true}) {
    in.mask_before_scale = mask_first;
    const auto at = [&](ScoreStage stage) { return attention_rectangle(in, lse, stage, 1, 0, 6, 0, 9); };
    const Tensor scores = at(ScoreStage::scores), scaled = at(ScoreStage::scaled),
                 masked = at(ScoreStage::masked);
    for (std::int64_t query = 0; query < 6; ++query)
      for (std::int64_t key = 0; key < 9; ++key) {
        double exact = 0;
        for (std::int64_t d = 0; d < 5; ++d)
          exact += static_cast<double>(in.q.at(1, query, d)) * static_cast<double>(in.k.at(0, key, d));
        const bool open = in.mask.allowed(in.first_query + query, key);
        EXPECT_NEAR(scores.at(query, key), exact, 1e-5);
        const float both = scores.at(query, key) * in.scale;
        if (mask_first) {
          EXPECT_EQ(masked.at(query, key), open ? scores.at(query, key) : -kAttentionInfinity);
          EXPECT_EQ(scaled.at(query, key), open ? both : -kAttentionInfinity);
        } else {
          EXPECT_EQ(scaled.at(query, key), both);
          EXPECT_EQ(masked.at(query, key), open ? both : -kAttentionInfinity);
        }
        EXPECT_EQ(at(ScoreStage::pattern).at(query, key) > 0.f, open);
      }
    EXPECT_EQ(axes_text(scores), "[query, key]");
  }
}

TEST(Rectangle, EveryCutShowsTheSameBits) {
  with_every_kernel([] {
    AttentionInputs in = attention_inputs(2, 2, 90, 150, 24);
    in.mask.cells = {{100, 3, false}};
    const Tensor lse = attend(in).lse;
    expect_cuts_alike(in, lse, 90, 150,
                      {ScoreStage::scores, ScoreStage::scaled, ScoreStage::masked, ScoreStage::pattern});
    EXPECT_EQ(attention_rectangle(in, lse, ScoreStage::pattern, 0, 5, 5, 0, 150).count(), 0);
  });
}

}  // namespace
}  // namespace attnscope
