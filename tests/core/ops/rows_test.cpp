#include <gtest/gtest.h>

#include "tests/core/ops/reference.h"
#include "tests/exact_activation.h"

namespace attnscope {
namespace {

using namespace reference;

constexpr float kRowsInfinity = std::numeric_limits<float>::infinity();

const std::vector<Activation> kActivations{Activation::gelu_tanh, Activation::gelu_exact, Activation::silu,
                                           Activation::relu, Activation::quick_gelu};

TEST(Activate, AgreesWithDouble) {
  std::vector<float> values;
  for (int i = -20000; i <= 20003; ++i) values.push_back(static_cast<float>(i) * 0.0007f);
  const std::int64_t count = static_cast<std::int64_t>(values.size());
  const Tensor x = Tensor::from(values, {{Axis::d_mlp, count}});
  with_every_kernel([&] {
    for (Activation kind : kActivations) {
      SCOPED_TRACE(static_cast<int>(kind));
      const Tensor y = activate(kind, x);
      for (std::int64_t i = 0; i < count; ++i) {
        const double exact = testing::exact_activation(kind, static_cast<double>(x.at(i)));
        ASSERT_NEAR(y.at(i), exact, 1e-6 * std::fabs(exact) + 1e-7) << "x = " << x.at(i);
        ASSERT_NEAR(activate(kind, x.at(i)), exact, 1e-6 * std::fabs(exact) + 1e-9) << "x = " << x.at(i);
      }
    }
  });
}

TEST(Activate, FarValuesAndNaN) {
  const Tensor x = Tensor::from({-1000.f, 1000.f, NAN, -90.f, 90.f}, {{Axis::d_mlp, 5}});
  with_every_kernel([&] {
    for (Activation kind : kActivations) {
      const Tensor y = activate(kind, x);
      EXPECT_EQ(y.at(0), 0.f);
      EXPECT_EQ(y.at(1), 1000.f);
      EXPECT_TRUE(std::isnan(y.at(2)));
      EXPECT_NEAR(y.at(3), 0.f, 1e-30);
      EXPECT_EQ(y.at(4), 90.f);
    }
  });
}

TEST(Softmax, AgreesWithDouble) {
  with_every_kernel([] {
    for (std::int64_t width : {1, 2, 7, 16, 33, 100, 1001}) {
      const Tensor x = scale(noise({{Axis::query, 5}, {Axis::key, width}}, 4), 20.f);
      std::vector<double> expected;
      for (std::int64_t r = 0; r < 5; ++r) {
        double sum = 0;
        for (std::int64_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(x.at(r, i)));
        for (std::int64_t i = 0; i < width; ++i)
          expected.push_back(std::exp(static_cast<double>(x.at(r, i))) / sum);
      }
      EXPECT_LT(worst_gap(softmax_rows(x), expected), 1e-6);
    }
  });
}

TEST(Softmax, MaskedRowsGiveZerosAndNaNStays) {
  with_every_kernel([] {
    const Tensor x = Tensor::from(
        {-kRowsInfinity, -kRowsInfinity, -kRowsInfinity, 0.f, -kRowsInfinity, 0.f, 1.f, NAN, 2.f},
        {{Axis::query, 3}, {Axis::key, 3}});
    const Tensor y = softmax_rows(x);
    for (std::int64_t key = 0; key < 3; ++key) EXPECT_EQ(y.at(0, key), 0.f);
    EXPECT_EQ(y.at(1, 0), 0.5f);
    EXPECT_EQ(y.at(1, 1), 0.f);
    EXPECT_EQ(stats(y.select(0, 2)).nans, 3);
  });
}

TEST(Softmax, HugeScoresDoNotOverflow) {
  const Tensor y = softmax_rows(Tensor::from({1e30f, 0.f, 88.f, 89.f}, {{Axis::query, 2}, {Axis::key, 2}}));
  EXPECT_EQ(y.at(0, 0), 1.f);
  EXPECT_EQ(y.at(0, 1), 0.f);
  EXPECT_NEAR(y.at(1, 1), 1 / (1 + std::exp(-1.0)), 1e-6);
}

TEST(Norms, LayerNormAgreesWithDouble) {
  with_every_kernel([] {
    for (std::int64_t width : {1, 3, 8, 31, 768}) {
      const Tensor wide = add(noise({{Axis::pos, 6}, {Axis::d_model, width + 2}}, 1),
                              Tensor::filled({{Axis::pos, 6}, {Axis::d_model, width + 2}}, 100.f));
      const Tensor x = wide.slice(1, 1, 1 + width);
      const Tensor weight = noise({{Axis::d_model, width}}, 2), bias = noise({{Axis::d_model, width}}, 3);
      const Normed found = layer_norm(x, weight, bias, 1e-5f), plain = layer_norm(x, {}, {}, 1e-5f);
      std::vector<double> out, bare, root;
      for (std::int64_t pos = 0; pos < 6; ++pos) {
        double mean = 0, var = 0;
        for (std::int64_t i = 0; i < width; ++i)
          mean += static_cast<double>(x.at(pos, i)) / static_cast<double>(width);
        for (std::int64_t i = 0; i < width; ++i)
          var += std::pow(static_cast<double>(x.at(pos, i)) - mean, 2) / static_cast<double>(width);
        root.push_back(std::sqrt(var + static_cast<double>(1e-5f)));
        for (std::int64_t i = 0; i < width; ++i) {
          bare.push_back((static_cast<double>(x.at(pos, i)) - mean) / root.back());
          out.push_back(bare.back() * static_cast<double>(weight.at(i)) + static_cast<double>(bias.at(i)));
        }
      }
      EXPECT_LT(worst_gap(found.scale, root), 1e-6);
      EXPECT_LT(worst_gap(found.out, out), 2e-6);
      EXPECT_LT(worst_gap(plain.out, bare), 2e-6);
      EXPECT_EQ(shape_text(found.scale), "(6, 1)");
    }
  });
}

TEST(Norms, RmsNormAgreesWithDouble) {
  with_every_kernel([] {
    for (float offset : {0.f, 1.f}) {
      const std::int64_t width = 45;
      const Tensor x = noise({{Axis::pos, 3}, {Axis::d_model, width}}, 1),
                   weight = noise({{Axis::d_model, width}}, 2);
      const Normed found = rms_norm(x, weight, 1e-6f, offset);
      std::vector<double> out;
      for (std::int64_t pos = 0; pos < 3; ++pos) {
        double square = 0;
        for (std::int64_t i = 0; i < width; ++i)
          square += std::pow(static_cast<double>(x.at(pos, i)), 2) / static_cast<double>(width);
        for (std::int64_t i = 0; i < width; ++i)
          out.push_back(static_cast<double>(x.at(pos, i)) / std::sqrt(square + static_cast<double>(1e-6f)) *
                        (static_cast<double>(weight.at(i)) + static_cast<double>(offset)));
      }
      EXPECT_LT(worst_gap(found.out, out), 1e-6);
    }
  });
}

TEST(Norms, NaNStaysInItsRow) {
  std::vector<float> values(30, 1.f);
  values[12] = NAN;
  const Normed found = layer_norm(Tensor::from(values, {{Axis::pos, 3}, {Axis::d_model, 10}}), {}, {}, 1e-5f);
  EXPECT_EQ(stats(found.out).nans, 10);
  EXPECT_TRUE(std::isnan(found.scale.at(1, 0)));
}

TEST(Elementwise, AddMultiplyScaleGather) {
  const Tensor a = noise({{Axis::pos, 5}, {Axis::d_model, 9}}, 1);
  const Tensor b = noise({{Axis::d_model, 9}, {Axis::pos, 5}}, 2).transpose();
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 9; ++j) {
      EXPECT_EQ(add(a, b).at(i, j), a.at(i, j) + b.at(i, j));
      EXPECT_EQ(multiply(a, b).at(i, j), a.at(i, j) * b.at(i, j));
      EXPECT_EQ(scale(b, 0.5f).at(i, j), b.at(i, j) * 0.5f);
    }
  const Tensor rows = gather_rows(a, {4, 0, 4});
  EXPECT_EQ(shape_text(rows), "(3, 9)");
  for (std::int64_t j = 0; j < 9; ++j) {
    EXPECT_EQ(rows.at(0, j), a.at(4, j));
    EXPECT_EQ(rows.at(1, j), a.at(0, j));
    EXPECT_EQ(gather_rows(b, {2}).at(0, j), b.at(2, j));
  }
  EXPECT_EQ(axes_text(rows), "[pos, d_model]");
}

}  // namespace
}  // namespace attnscope
