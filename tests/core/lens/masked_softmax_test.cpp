// A row that sees nothing, and one that sees something.
#include "core/lens/masked_softmax.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope {
namespace {

Tensor row(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::from(std::move(values), {{Axis::key, count}});
}

TEST(MaskedSoftmax, OfNothingButInfinities) {
  const MaskedSoftmax out = masked_softmax(row({1, 2, 3, 4}), row({0, 0, 0, 0}));
  for (std::int64_t key = 0; key < 4; ++key) {
    EXPECT_TRUE(std::isinf(out.entering.at(key)));
    EXPECT_TRUE(std::isnan(out.naive.at(key)));
    EXPECT_EQ(out.filled.at(key), 0.25f);
    EXPECT_EQ(out.safe.at(key), 0.f);
  }
}

TEST(MaskedSoftmax, AllAgreeWhereSomethingIsSeen) {
  const MaskedSoftmax out = masked_softmax(row({1, 2, 3, 4}), row({1, 0, 1, 0}));
  const double sum = std::exp(1.0) + std::exp(3.0);
  const double wanted[] = {std::exp(1.0) / sum, 0, std::exp(3.0) / sum, 0};
  for (std::int64_t key = 0; key < 4; ++key)
    for (const Tensor* one : {&out.naive, &out.filled, &out.safe})
      EXPECT_NEAR(one->at(key), wanted[key], 1e-6);
}

}  // namespace
}  // namespace attnscope
