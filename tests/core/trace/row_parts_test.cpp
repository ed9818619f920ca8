// The parts of a softmax and of a norm put together again give what core/ops makes of the same rows.
#include "core/trace/row_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/trace/rotary.h"

namespace attnscope {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(RowParts, ASoftmaxIsItsParts) {
  const Tensor rows =
      Tensor::from({0.5f, -kInf, 2.f, -1.f, -kInf, -kInf, -kInf, -kInf}, {{Axis::query, 2}, {Axis::key, 4}});
  const SoftmaxParts parts = softmax_parts(rows);
  const Tensor whole = softmax_rows(rows);
  EXPECT_EQ(parts.high.at(0), 2.f);
  EXPECT_EQ(parts.exponential.at(0, 1), 0.f);
  for (std::int64_t col = 0; col < 4; ++col) {
    EXPECT_NEAR(parts.exponential.at(0, col) / parts.sum.at(0), whole.at(0, col), 1e-6f);
    EXPECT_EQ(parts.exponential.at(1, col), 0.f) << "a row with everything masked has no weights";
  }
  EXPECT_EQ(parts.sum.at(1), 0.f);
  EXPECT_TRUE(std::isinf(parts.high.at(1)));
}

TEST(RowParts, OnlyLayerNormSubtractsAMean) {
  const Tensor rows = Tensor::from({1.f, 2.f, 6.f}, {{Axis::pos, 1}, {Axis::d_model, 3}});
  NormSpec spec;
  EXPECT_FLOAT_EQ(norm_means(rows, spec).at(0), 3.f);
  spec.kind = NormSpec::Kind::rms;
  EXPECT_FLOAT_EQ(norm_means(rows, spec).at(0), 0.f);
}

TEST(Rotary, AnglesTurnTheWayRotateDoes) {
  const Rotary rotary = rotary_of(RopeSpec{}, 4, 3);
  ASSERT_EQ(rotary.pairs(), 2);
  const Tensor ones = Tensor::filled({{Axis::head, 1}, {Axis::pos, 3}, {Axis::d_head, 4}}, 1.f);
  const Tensor rotated = rotate(ones, rotary.frequencies, {0, {}});
  for (std::int64_t row = 1; row < 3; ++row)
    for (std::int64_t pair = 0; pair < 2; ++pair) {
      const double angle = static_cast<double>(row) * rotary.frequencies[static_cast<std::size_t>(pair)];
      EXPECT_NEAR(rotated.at(0, row, rotary.first_of(pair)), std::cos(angle) - std::sin(angle), 1e-5);
      EXPECT_NEAR(rotated.at(0, row, rotary.second_of(pair)), std::cos(angle) + std::sin(angle), 1e-5);
      EXPECT_EQ(rotary.pair_of(rotary.second_of(pair)), pair);
    }
}

}  // namespace
}  // namespace attnscope
