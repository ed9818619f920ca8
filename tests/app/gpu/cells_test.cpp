// Values on their way to the texture: markers, reduction, layout. No OpenGL.
#include "app/gpu/cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/look/colormap.h"

namespace attnscope {
namespace {

constexpr float kCellsInf = std::numeric_limits<float>::infinity();

TEST(Cells, FiniteNumbersStayAndTheRestIsMarkedFinite) {
  EXPECT_EQ(marked(-0.25f), -0.25f);
  EXPECT_TRUE(is_masked(marked(-kCellsInf)));
  EXPECT_TRUE(is_masked(marked(std::numeric_limits<float>::lowest())));
  EXPECT_TRUE(std::isfinite(marked(kCellsInf)) && std::isfinite(marked(std::nanf(""))));
  EXPECT_GT(marked(std::nanf("")), marked(kCellsInf));
}

TEST(Cells, StrongerKeepsWhatMustNotVanish) {
  EXPECT_EQ(stronger(-3.0f, 2.0f), -3.0f);
  EXPECT_EQ(stronger(2.0f, -2.0f), stronger(-2.0f, 2.0f));
  EXPECT_EQ(stronger(kMasked, 0.0f), 0.0f);
  EXPECT_EQ(stronger(marked(kCellsInf), marked(std::nanf(""))), marked(std::nanf("")));
  EXPECT_TRUE(is_masked(stronger(kMasked, kMasked)));
}

TEST(Cells, LayoutFitsTheLimits) {
  const CellLayout whole = fit_cells(12, 4, 11, 7, 4096, 1 << 20);
  EXPECT_EQ(whole.block, 1);
  EXPECT_EQ(whole.columns * whole.rows, 12);
  const CellLayout large = fit_cells(1, 1, 5000, 3, 2048, 1 << 24);
  EXPECT_EQ(large.block, 3);
  EXPECT_EQ(large.texels_x, 1667);
  const CellLayout many = fit_cells(144, 12, 1024, 1024, 16384, 16 << 20);
  EXPECT_LE(1ll * many.texels_x * many.columns * many.texels_y * many.rows, 16 << 20);
  const CellLayout absurd = fit_cells(100, 100, 4, 4, 16, 16);  // cannot fit: one texel each, and an end
  EXPECT_EQ(absurd.texels_x, 1);
}

TEST(Cells, ReductionIsTheLargestMagnitudePerBlock) {
  const int width = 7, height = 5;
  std::vector<float> values(width * height);
  for (int at = 0; at < width * height; ++at) values[at] = std::sin(static_cast<float>(at) * 1.7f);
  for (int key = 4; key < 6; ++key)
    values[2 * width + key] = values[3 * width + key] = -kCellsInf;  // one whole block
  const CellLayout layout = fit_cells(1, 1, width, height, 4, 1 << 20);
  ASSERT_EQ(layout.block, 2);
  std::vector<float> out(layout.texels_x * layout.texels_y);
  reduce_cells(values.data(), width, height, layout, out.data(), layout.texels_x);
  for (int y = 0; y < layout.texels_y; ++y) {
    for (int x = 0; x < layout.texels_x; ++x) {
      float best = 0.0f;
      for (int query = 2 * y; query < std::min(height, 2 * y + 2); ++query) {
        for (int key = 2 * x; key < std::min(width, 2 * x + 2); ++key) {
          const float value = values[query * width + key];
          if (std::isfinite(value) && std::fabs(value) > std::fabs(best)) best = value;
        }
      }
      const float texel = out[y * layout.texels_x + x];
      if (x == 2 && y == 1) {
        EXPECT_TRUE(is_masked(texel));
      } else {
        EXPECT_EQ(texel, best) << x << "," << y;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope
