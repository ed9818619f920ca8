// Positions in numbers: the shift of the sinusoids is exact, RoPE's dot product knows the distance only.
#include "core/lens/positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace attnscope {
namespace {

TEST(Positions, SinusoidsMoveByARotation) {
  const Tensor table = sinusoid_table(80, 16);
  for (const std::int64_t pos : {0, 3, 20})
    for (const std::int64_t distance : {0, 1, 7, 50})
      EXPECT_LT(shift_encoding(table, pos, distance).error, 1e-5);
}

TEST(Positions, ALearnedTableDoesNot) {
  std::vector<float> values;
  for (int i = 0; i < 8 * 4; ++i) values.push_back(static_cast<float>((i * 37) % 11) - 5.f);
  EXPECT_GT(shift_encoding(Tensor::from(values, {{Axis::pos, 8}, {Axis::dim, 4}}), 1, 2).error, 0.5);
}

TEST(Positions, WavelengthsRunFromTwoPiToTenThousandTwoPi) {
  EXPECT_NEAR(sinusoid_wavelength(0, 512), 2 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(sinusoid_wavelength(1, 512), 2 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(sinusoid_wavelength(256, 512), 2 * std::numbers::pi * 100, 1e-6);
  RopeSpec rope;
  EXPECT_NEAR(rope_wavelengths(rope, 8)[0], 2 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(rope_wavelengths(rope, 8)[2], 2 * std::numbers::pi * 100, 1e-6);
}

TEST(Positions, RotaryDotDependsOnTheDistanceAlone) {
  const Tensor q = Tensor::from({0.3f, -1.2f, 0.7f, 2.0f}, {{Axis::d_head, 4}});
  const Tensor k = Tensor::from({1.1f, 0.4f, -0.6f, 0.9f}, {{Axis::d_head, 4}});
  const auto frequencies = rope_frequencies(RopeSpec{}, 4);
  const double at_5 = rotary_dot(q, k, frequencies, 5, 2);
  for (const double moved : {0.0, 1.0, 40.0, 1000.0})
    EXPECT_NEAR(rotary_dot(q, k, frequencies, 5 + moved, 2 + moved), at_5, 1e-9);
  EXPECT_GT(std::fabs(rotary_dot(q, k, frequencies, 5, 3) - at_5), 1e-3);
  const RotaryPair pair = rotary_pair(q, k, frequencies, 0, 5, 2);
  EXPECT_NEAR(std::hypot(pair.rotated_q[0], pair.rotated_q[1]), std::hypot(pair.q[0], pair.q[1]), 1e-9);
}

TEST(Positions, TheTableIsWhatTheModelAdds) {
  ModelConfig config;
  config.d_in = 6;
  config.position.kind = PositionSpec::Kind::sinusoidal;
  const Tensor table = position_table(config, {}, 10);
  EXPECT_EQ(table.sizes(), (std::vector<std::int64_t>{10, 6}));
  EXPECT_NEAR(table.at(3, 2), std::sin(3 / std::pow(10000.0, 2.0 / 6)), 1e-6);
  config.position.kind = PositionSpec::Kind::rope;
  EXPECT_TRUE(position_table(config, {}, 10).empty());
}

}  // namespace
}  // namespace attnscope
