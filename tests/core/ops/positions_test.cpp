#include <gtest/gtest.h>

#include "tests/core/ops/reference.h"

namespace attnscope {
namespace {

using namespace reference;

TEST(Rope, FrequenciesFollowTheirFormulas) {
  RopeSpec spec;
  const auto plain = rope_frequencies(spec, 8);
  ASSERT_EQ(plain.size(), 4u);
  EXPECT_DOUBLE_EQ(plain[0], 1.0);
  EXPECT_NEAR(plain[1], 0.1, 1e-15);
  EXPECT_NEAR(plain[3], 0.001, 1e-15);

  spec.kind = RopeSpec::Kind::linear;
  spec.factor = 4;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(rope_frequencies(spec, 8)[i], plain[i] / 4);

  RopeSpec part;
  part.rotary_dims = 4;
  EXPECT_EQ(rope_frequencies(part, 8).size(), 2u);
  EXPECT_NEAR(rope_frequencies(part, 8)[1], 0.01, 1e-15);
}

// Wavelengths below original/high are kept, above original/low divided by the factor, blended between.
TEST(Rope, Llama3KeepsShortAndStretchesLongWavelengths) {
  const RopeSpec spec{.kind = RopeSpec::Kind::llama3,
                      .theta = 500000,
                      .factor = 8,
                      .low_freq_factor = 1,
                      .high_freq_factor = 4,
                      .original_max_positions = 8192,
                      .factors = {}};
  RopeSpec standard;
  standard.theta = 500000;
  const auto found = rope_frequencies(spec, 128), plain = rope_frequencies(standard, 128);
  int kept = 0, stretched = 0, blended = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double wavelength = 2 * M_PI / plain[i];
    double expected = plain[i];
    if (wavelength > 8192.0 / 1) {
      expected = plain[i] / 8;
      ++stretched;
    } else if (wavelength < 8192.0 / 4) {
      ++kept;
    } else {
      const double smooth = (8192 / wavelength - 1) / (4 - 1);
      expected = (1 - smooth) * plain[i] / 8 + smooth * plain[i];
      ++blended;
    }
    EXPECT_NEAR(found[i] / expected, 1.0, 1e-12) << i;
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(stretched, 0);
  EXPECT_GT(blended, 0);
}

TEST(Rope, TurnsPairsHalfTheRotaryWidthApart) {
  const Tensor x = noise({{Axis::pos, 5}, {Axis::concat, 3 * 10}}, 1)
                       .split(1, Axis::head, 3, Axis::d_head)
                       .permute({1, 0, 2});
  RopeSpec spec;
  spec.rotary_dims = 6;
  const auto frequencies = rope_frequencies(spec, 10);
  const Tensor y = rotate(x, frequencies, {7, {}});
  EXPECT_EQ(y.sizes(), x.sizes());
  EXPECT_TRUE(y.permute({1, 0, 2}).contiguous());
  for (std::int64_t head = 0; head < 3; ++head)
    for (std::int64_t pos = 0; pos < 5; ++pos) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const double angle = static_cast<double>(7 + pos) * frequencies[static_cast<std::size_t>(i)];
        const double a = static_cast<double>(x.at(head, pos, i)),
                     b = static_cast<double>(x.at(head, pos, i + 3));
        EXPECT_NEAR(y.at(head, pos, i), a * std::cos(angle) - b * std::sin(angle), 1e-6);
        EXPECT_NEAR(y.at(head, pos, i + 3), b * std::cos(angle) + a * std::sin(angle), 1e-6);
      }
      for (std::int64_t i = 6; i < 10; ++i) EXPECT_EQ(y.at(head, pos, i), x.at(head, pos, i));
    }
}

// Pairs (2i, 2i+1), a magnitude, and rows at positions of their own.
TEST(Rope, TurnsNeighboursAndPaddedRows) {
  const Tensor x = noise({{Axis::head, 2}, {Axis::pos, 4}, {Axis::d_head, 6}}, 3);
  RopeSpec spec;
  spec.rotary_dims = 4;
  const auto frequencies = rope_frequencies(spec, 6);
  const Positions positions{0, {0, 0, 0, 1}};  // three padded before it
  const Tensor y = rotate(x, frequencies, positions, true, 1.5);
  for (std::int64_t head = 0; head < 2; ++head)
    for (std::int64_t pos = 0; pos < 4; ++pos) {
      for (std::int64_t i = 0; i < 2; ++i) {
        const double angle = (pos == 3 ? 1.0 : 0.0) * frequencies[static_cast<std::size_t>(i)];
        const double a = static_cast<double>(x.at(head, pos, 2 * i)),
                     b = static_cast<double>(x.at(head, pos, 2 * i + 1));
        EXPECT_NEAR(y.at(head, pos, 2 * i), 1.5 * (a * std::cos(angle) - b * std::sin(angle)), 1e-6);
        EXPECT_NEAR(y.at(head, pos, 2 * i + 1), 1.5 * (b * std::cos(angle) + a * std::sin(angle)), 1e-6);
      }
      for (std::int64_t i = 4; i < 6; ++i) EXPECT_EQ(y.at(head, pos, i), x.at(head, pos, i));
    }
}

// Beyond the original length the slowest pair turns as slowly as with stretched positions, the fastest is
// kept (the two conditions that the NTK-aware theta was made from).
TEST(Rope, DynamicGrowsThetaBeyondTheOriginalLength) {
  RopeSpec spec;
  spec.kind = RopeSpec::Kind::dynamic;
  spec.factor = 2;
  spec.original_max_positions = 64;
  const auto plain = rope_frequencies({}, 16);
  for (std::int64_t length : {0, 1, 64}) EXPECT_EQ(rope_frequencies(spec, 16, length), plain) << length;
  for (std::int64_t length : {65, 128, 1000}) {
    const auto found = rope_frequencies(spec, 16, length);
    const double stretch = 2 * static_cast<double>(length) / 64 - 1;
    EXPECT_DOUBLE_EQ(found.front(), 1.0);
    EXPECT_NEAR(found.back() * stretch / plain.back(), 1.0, 1e-12) << length;
    for (std::size_t i = 1; i < 8; ++i)  // still one geometric series
      EXPECT_NEAR(found[i] / found[i - 1], found[1], 1e-12);
  }
  EXPECT_EQ(rope_frequencies(spec, 2, 1000), std::vector<double>{1.0});
  EXPECT_EQ(rope_magnitude(spec), 1.0);
}

// By turns over the original length: pairs above beta_fast are kept, those below beta_slow divided by the
// factor, between them a line over the pair's number.
TEST(Rope, YarnKeepsFastAndStretchesSlowPairs) {
  RopeSpec spec;
  spec.kind = RopeSpec::Kind::yarn;
  spec.theta = 1e6;
  spec.factor = 4;
  spec.original_max_positions = 32768;
  const auto pair_of = [](double turns) {  // theta^(-2 pair / 128) * 32768 / (2 pi) = turns
    return 64 * std::log(32768 / (2 * M_PI * turns)) / std::log(1e6);
  };
  for (bool whole : {true, false}) {
    spec.truncate = whole;
    const auto found = rope_frequencies(spec, 128);
    const double first = whole ? std::floor(pair_of(32)) : pair_of(32);
    const double last = whole ? std::ceil(pair_of(1)) : pair_of(1);
    int kept = 0, stretched = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      const double plain = 1 / std::pow(1e6, static_cast<double>(i) / 64), at = static_cast<double>(i);
      double share = (at - first) / (last - first);  // of the stretched frequency
      if (at <= first) share = 0, ++kept;
      if (at >= last) share = 1, ++stretched;
      EXPECT_NEAR(found[i] / (plain * (1 - share) + plain / 4 * share), 1.0, 1e-12) << i;
    }
    EXPECT_GT(kept, 10);
    EXPECT_GT(stretched, 10);
    EXPECT_LT(kept + stretched, 60);
  }
  EXPECT_NEAR(rope_magnitude(spec), 1.1386294361119891, 1e-12);  // 0.1 ln 4 + 1
  spec.attention_factor = 0.75;
  EXPECT_EQ(rope_magnitude(spec), 0.75);
  for (int d_head : {2, 4}) {  // borders beyond the few pairs
    spec.original_max_positions = 4;
    for (double frequency : rope_frequencies(spec, d_head)) EXPECT_TRUE(std::isfinite(frequency));
  }
}

// The reason for RoPE: q.k depends on the distance only.
TEST(Rope, DotProductsDependOnTheDistanceOnly) {
  const Tensor q = noise({{Axis::head, 1}, {Axis::pos, 1}, {Axis::d_head, 16}}, 1);
  const Tensor k = noise({{Axis::head, 1}, {Axis::pos, 1}, {Axis::d_head, 16}}, 2);
  const auto frequencies = rope_frequencies({}, 16);
  const auto dot_at = [&](std::int64_t query, std::int64_t key) {
    const Tensor a = rotate(q, frequencies, {query, {}}), b = rotate(k, frequencies, {key, {}});
    double sum = 0;
    for (std::int64_t i = 0; i < 16; ++i)
      sum += static_cast<double>(a.at(0, 0, i)) * static_cast<double>(b.at(0, 0, i));
    return sum;
  };
  EXPECT_NEAR(dot_at(9, 4), dot_at(1009, 1004), 1e-6);
  EXPECT_GT(std::fabs(dot_at(9, 4) - dot_at(9, 5)), 1e-3);
}

TEST(Sinusoids, FollowThePaper) {
  const Tensor table = sinusoidal_positions(3, 4, 7);
  EXPECT_EQ(shape_text(table), "(4, 7)");
  for (std::int64_t pos = 0; pos < 4; ++pos)
    for (std::int64_t i = 0; i < 7; ++i) {
      const double angle =
          static_cast<double>(pos + 3) / std::pow(10000.0, 2.0 * static_cast<double>(i / 2) / 7.0);
      EXPECT_NEAR(table.at(pos, i), i % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-6);
    }
}

// All sines, then all cosines; with an odd width the sines have one more.
TEST(Sinusoids, HalvesHoldTheSameWaves) {
  for (std::int64_t width : {1, 2, 6, 7}) {
    const Tensor mixed = sinusoidal_positions(3, 4, width), halves = sinusoidal_positions(3, 4, width, true);
    for (std::int64_t pos = 0; pos < 4; ++pos)
      for (std::int64_t i = 0; i < width; ++i)
        EXPECT_EQ(halves.at(pos, i % 2 == 0 ? i / 2 : (width + 1) / 2 + i / 2), mixed.at(pos, i));
  }
}

}  // namespace
}  // namespace attnscope
