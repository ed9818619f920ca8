// Which rows of two texts belong together must not depend on which of the two is named first.
#include "core/lens/alignment.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

// "near the big the cat" and "on the cat": "the" of the shorter one could be either of the longer.
TEST(Alignment, IsTheSameFromBothSides) {
  const std::vector<int> longer{1, 2, 3, 4, 3, 5, 7}, shorter{1, 6, 3, 5, 8};
  const Alignment there = align(longer, shorter), back = align(shorter, longer);
  EXPECT_EQ(there.to_b, (std::vector<std::int64_t>{0, 1, 2, -1, -1, 3, 4}));
  EXPECT_EQ(back.to_b, (std::vector<std::int64_t>{0, 1, 2, 5, 6}));
}

TEST(Alignment, OfManyListsIsTheSameFromBothSides) {
  unsigned state = 7;
  const auto next = [&](unsigned below) {
    return static_cast<int>((state = state * 1664525U + 1013904223U) >> 16) % static_cast<int>(below);
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<int> a(static_cast<std::size_t>(1 + next(9))), b(static_cast<std::size_t>(1 + next(9)));
    for (int& id : a) id = next(4);
    for (int& id : b) id = next(4);
    EXPECT_EQ(align(a, b).to_b, align(b, a).reversed(std::ssize(a)).to_b);
  }
}

}  // namespace
}  // namespace attnscope
