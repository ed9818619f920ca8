// Positions in numbers: the shift of the sinusoids is exact, RoPE's dot product knows the distance only.
#include "core/lens/positions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/arch/open.h"

namespace attnscope {
namespace {

TEST(Positions, SinusoidsMoveByARotation) {
  const Tensor table = sinusoid_table(80, 16);
  for (const std::int64_t pos : {0, 3, 20})
    for (const std::int64_t distance : {0, 1, 7, 50})
      EXPECT_LT(shift_encoding(table, pos, distance).error, 1e-5);
}

TEST(Positions, SinusoidsInTwoHalvesMoveTheSameWay) {
  const Tensor halves = sinusoid_table(80, 16, true), pairs = sinusoid_table(80, 16);
  EXPECT_LT(shift_encoding(halves, 3, 9, true).error, 1e-5);
  EXPECT_GT(shift_encoding(halves, 3, 9, false).error, 1e-2) << "the pairs stand elsewhere";
  for (std::int64_t dim = 0; dim < 16; ++dim) {
    const SinusoidPair pair = sinusoid_pair(dim, 16, true);
    EXPECT_EQ(pair.cosine - pair.sine, 8);
    EXPECT_FLOAT_EQ(halves.at(5, pair.sine), pairs.at(5, 2 * pair.sine));
    EXPECT_NEAR(sinusoid_wavelength(dim, 16, true), sinusoid_wavelength(2 * pair.sine, 16), 1e-9);
  }
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
  const Rotary rotary{rope_frequencies(RopeSpec{}, 8)};
  EXPECT_NEAR(wavelengths_of(rotary)[0], 2 * std::numbers::pi, 1e-9);
  EXPECT_NEAR(wavelengths_of(rotary)[2], 2 * std::numbers::pi * 100, 1e-6);
}

TEST(Positions, RotaryDotDependsOnTheDistanceAlone) {
  const Tensor q = Tensor::from({0.3f, -1.2f, 0.7f, 2.0f}, {{Axis::d_head, 4}});
  const Tensor k = Tensor::from({1.1f, 0.4f, -0.6f, 0.9f}, {{Axis::d_head, 4}});
  const Rotary rotary{rope_frequencies(RopeSpec{}, 4)};
  const double at_5 = rotary_dot(q, k, rotary, 5, 2);
  for (const double moved : {0.0, 1.0, 40.0, 1000.0})
    EXPECT_NEAR(rotary_dot(q, k, rotary, 5 + moved, 2 + moved), at_5, 1e-9);
  EXPECT_GT(std::fabs(rotary_dot(q, k, rotary, 5, 3) - at_5), 1e-3);
  const RotaryPair pair = rotary_pair(q, k, rotary, 0, 5, 2);
  EXPECT_NEAR(std::hypot(pair.rotated_q[0], pair.rotated_q[1]), std::hypot(pair.q[0], pair.q[1]), 1e-9);
}

TEST(Positions, TheTableIsWhatTheModelAdds) {
  ModelConfig config;
  config.d_in = 6;
  config.position.kind = PositionSpec::Kind::sinusoidal;
  const Tensor table = position_table(config, {}, 10);
  EXPECT_EQ(table.sizes(), (std::vector<std::int64_t>{10, 6}));
  EXPECT_NEAR(table.at(3, 2), std::sin(3 / std::pow(10000.0, 2.0 / 6)), 1e-6);
  config.position.kind = PositionSpec::Kind::none;
  EXPECT_TRUE(position_table(config, {}, 10).empty());
}

TEST(Positions, ATableBeginsAtItsOffset) {
  ModelConfig config;
  config.stack = Stack::enc;
  config.position = {PositionSpec::Kind::learned, 4, 2};
  Weights weights;
  weights.set("enc.pos_embed.weight", Tensor::from({0, 1, 2, 3, 4, 5}, {{Axis::pos, 6}, {Axis::d_model, 1}}));
  const Tensor table = position_table(config, weights, 10);
  EXPECT_EQ(table.sizes(), (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(table.at(0, 0), 2.f) << "position 0 reads row 2";
}

TEST(Positions, AnInterleavedPairIsTwoNeighbours) {
  const Tensor q = Tensor::from({0.3f, -1.2f, 0.7f, 2.0f}, {{Axis::d_head, 4}});
  const Rotary rotary{rope_frequencies(RopeSpec{}, 4), true, 1};
  const RotaryPair pair = rotary_pair(q, q, rotary, 1, 0, 0);
  EXPECT_FLOAT_EQ(static_cast<float>(pair.q[0]), 0.7f);
  EXPECT_FLOAT_EQ(static_cast<float>(pair.q[1]), 2.0f);
}

TEST(Positions, EveryDistanceHasOneBucketRange) {
  ScoreBias bias;
  bias.kind = ScoreBias::Kind::buckets;
  bias.table = Tensor::filled({{Axis::none, 32}, {Axis::head, 2}}, 0.f);
  bias.max_distance = 128;
  for (const bool both : {true, false}) {
    bias.both_directions = both;
    const std::vector<BucketRange> ranges = bucket_ranges(bias);
    ASSERT_FALSE(ranges.empty());
    EXPECT_TRUE(ranges.front().open);
    EXPECT_EQ(ranges.back().open, both);
    for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_EQ(ranges[i].first, ranges[i - 1].last + 1);
    for (const BucketRange& range : ranges)
      for (const std::int64_t distance : {range.first, range.last})
        EXPECT_EQ(bias.bucket(500, 500 + distance), range.bucket);
    EXPECT_EQ(ranges.size(), both ? 31u : 32u);
  }
}

// ALiBi by its definition: slope times (key - query), slopes 2^(-8/p), 2^(-16/p), ... for the largest power
// of two p, then every other one of those for 2p; a key after the query is masked in a causal model, and
// raised where a mask lets it be seen.
TEST(Positions, TheBiasInSightEndsAtTheMaskOfTheRun) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/bloom");
  ASSERT_TRUE(opened) << opened.error().text();
  Input input;
  input.ids = {5, 7, 9, 11, 3};
  for (const bool causal : {true, false}) {
    RunOptions options;
    if (!causal) options.edits = {make_edit(MaskEdit{AttentionKind::main, *MaskSpec::parse("full"), {}})};
    const auto run = opened->model->run(input, options);
    ASSERT_TRUE(run) << run.error().text();
    const int heads = opened->model->config().blocks.front().attention.n_heads;
    for (int head = 0; head < heads; ++head) {
      const Tensor seen = bias_in_sight(**run, site_of(Slot::pattern, 0), head, {1, 5}, {0, 5});
      ASSERT_EQ(seen.sizes(), (std::vector<std::int64_t>{4, 5}));
      int p = 1;
      while (2 * p <= heads) p *= 2;
      const double slope =
          head < p ? std::pow(2.0, -8.0 * (head + 1) / p) : std::pow(2.0, -4.0 * (2 * (head - p) + 1) / p);
      for (std::int64_t q = 1; q < 5; ++q)
        for (std::int64_t k = 0; k < 5; ++k) {
          if (causal && k > q)
            EXPECT_TRUE(std::isinf(seen.at(q - 1, k))) << q << "," << k;
          else
            EXPECT_NEAR(seen.at(q - 1, k), slope * static_cast<double>(k - q), 1e-6) << q << "," << k;
        }
    }
  }
}

}  // namespace
}  // namespace attnscope
