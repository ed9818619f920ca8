// The parts of a softmax and of a norm put together again give what core/ops makes of the same rows.
#include "core/trace/row_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

TEST(RowParts, AnglesTurnTheWayRotateDoes) {
  auto config = std::make_shared<ModelConfig>();
  const Trace trace(config, std::make_shared<Weights>());
  const Tensor angles = rotation_angles(trace, 4, {1, 3});  // positions 1 and 2, two pairs
  const Tensor ones = Tensor::filled({{Axis::head, 1}, {Axis::pos, 3}, {Axis::d_head, 4}}, 1.f);
  const Tensor rotated = rotate(ones, rope_frequencies(config->position.rope, 4), {0, {}});
  for (std::int64_t row = 0; row < 2; ++row)
    for (std::int64_t pair = 0; pair < 2; ++pair)
      EXPECT_NEAR(rotated.at(0, row + 1, pair),
                  std::cos(angles.at(row, pair)) - std::sin(angles.at(row, pair)), 1e-5f);
}

}  // namespace
}  // namespace attnscope
