#include <gtest/gtest.h>

#include "tests/core/ops/reference.h"

namespace attnscope {
namespace {

using namespace reference;

struct LinearSizes {
  std::int64_t rows, in, out;
};
const std::vector<LinearSizes> kSizes{
    {1, 1, 1},   {1, 3, 2},     {2, 4, 4},      {4, 37, 65},   {1, 768, 130}, {3, 129, 31}, {5, 64, 64},
    {7, 13, 17}, {63, 65, 130}, {256, 96, 400}, {1, 64, 1200}, {300, 33, 50}, {5, 1, 7},    {1, 200, 1}};

TEST(Linear, AgreesWithPlainLoopsInEveryLayout) {
  with_every_kernel([] {
    for (const LinearSizes& s : kSizes) {
      SCOPED_TRACE(shape_text({s.rows, s.in, s.out}));
      const Tensor x = noise({{Axis::pos, s.rows}, {Axis::in, s.in}}, 1);
      const Tensor bias = noise({{Axis::out, s.out}}, 2);
      const Tensor fused = noise({{Axis::in, s.in}, {Axis::out, 3 * s.out}}, 3);
      const Tensor doubled = noise({{Axis::in, s.in}, {Axis::out, s.out}, {Axis::unit, 2}}, 5);
      for (const Tensor& w :
           {noise({{Axis::in, s.in}, {Axis::out, s.out}}, 3), fused.slice(1, s.out, 2 * s.out),
            noise({{Axis::out, s.out}, {Axis::in, s.in}}, 4).transpose(), doubled.select(2, 1)}) {
        EXPECT_LT(worst_gap(linear(x, w, bias, Axis::d_mlp), product(x, w, bias)), 1e-5);
        EXPECT_LT(worst_gap(linear(x, w, {}, Axis::d_mlp), product(x, w, {})), 1e-5);
      }
    }
  });
}

TEST(Linear, TakesRowsWithGapsAndColumnsAsRows) {
  const Tensor wide = noise({{Axis::pos, 9}, {Axis::in, 40}}, 1);
  const Tensor w = noise({{Axis::in, 20}, {Axis::out, 11}}, 2);
  const Tensor transposed = noise({{Axis::in, 20}, {Axis::pos, 9}}, 3).transpose();
  for (const Tensor& x : {wide.slice(1, 10, 30), wide.slice(1, 10, 30).slice(0, 4, 5), transposed})
    EXPECT_LT(worst_gap(linear(x, w, {}, Axis::out), product(x, w, {})), 1e-5);
}

TEST(Linear, NamesTheAxes) {
  const Tensor y = linear(noise({{Axis::pos, 2}, {Axis::d_model, 3}}, 1),
                          noise({{Axis::in, 3}, {Axis::out, 4}}, 2), {}, Axis::d_mlp);
  EXPECT_EQ(axes_text(y), "[pos, d_mlp]");
  EXPECT_EQ(shape_text(y), "(2, 4)");
}

TEST(Linear, ThreadsDoNotChangeABit) {
  with_every_kernel([] {
    for (const LinearSizes& s :
         {LinearSizes{1, 768, 3072}, {1, 3072, 768}, {4, 300, 1000}, {256, 768, 500}, {700, 64, 1000}}) {
      const Tensor x = noise({{Axis::pos, s.rows}, {Axis::in, s.in}}, 1);
      const Tensor w = noise({{Axis::in, s.in}, {Axis::out, s.out}}, 2);
      const Tensor transposed = noise({{Axis::out, s.out}, {Axis::in, s.in}}, 2).transpose();
      for (const Tensor& weight : {w, transposed}) {
        set_thread_count(1);
        const Tensor one = linear(x, weight, {}, Axis::out);
        set_thread_count(2);
        EXPECT_TRUE(same_bits(one, linear(x, weight, {}, Axis::out))) << shape_text({s.rows, s.in, s.out});
        set_thread_count(0);
      }
    }
  });
}

TEST(Linear, CarriesNaN) {
  std::vector<float> values(40, 1.f);
  values[13] = NAN;  // pos 1, in 3
  const Tensor x = Tensor::from(values, {{Axis::pos, 4}, {Axis::in, 10}});
  const Tensor y = linear(x, noise({{Axis::in, 10}, {Axis::out, 6}}, 2), {}, Axis::out);
  EXPECT_EQ(stats(y).nans, 6);
  EXPECT_EQ(stats(y.select(0, 1)).nans, 6);
}

TEST(WeightedSum, AgreesAndLetsZerosHideNaN) {
  const Tensor pattern = softmax_rows(noise({{Axis::query, 9}, {Axis::key, 12}}, 1));
  const Tensor v = noise({{Axis::key, 12}, {Axis::d_head, 5}}, 2);
  EXPECT_LT(worst_gap(weighted_sum(pattern, v), product(pattern, v, {})), 1e-6);
  EXPECT_EQ(axes_text(weighted_sum(pattern, v)), "[query, d_head]");

  const Tensor choice = Tensor::from({1, 0, 0, 1}, {{Axis::query, 2}, {Axis::key, 2}});
  const Tensor spoiled = Tensor::from({1, 2, NAN, 4}, {{Axis::key, 2}, {Axis::d_head, 2}});
  const Tensor sum = weighted_sum(choice, spoiled);
  EXPECT_EQ(sum.at(0, 0), 1.f);
  EXPECT_EQ(sum.at(0, 1), 2.f);
  EXPECT_TRUE(std::isnan(sum.at(1, 0)));
  EXPECT_EQ(sum.at(1, 1), 4.f);
}

TEST(Machine, YardsticksCompute) {
  with_every_kernel([] {
    const Tensor a = noise({{Axis::pos, 70}, {Axis::in, 50}}, 1),
                 b = noise({{Axis::in, 50}, {Axis::out, 90}}, 2);
    Buffer c({{Axis::pos, 70}, {Axis::out, 90}});
    sgemm(a.data(), b.data(), c.data(), 70, 90, 50);
    EXPECT_LT(worst_gap(std::move(c).freeze(), product(a, b, {})), 1e-5);
    const std::vector<float> twos(100001, 2.f);
    EXPECT_EQ(stream_read(twos.data(), 100001), 400004.0);
  });
}

TEST(Kernels, UnknownTableIsRefused) {
  const std::string before = kernel_name();
  EXPECT_FALSE(use_kernels("v9"));
  EXPECT_EQ(before, kernel_name());
  EXPECT_TRUE(use_kernels("base"));
}

}  // namespace
}  // namespace attnscope
