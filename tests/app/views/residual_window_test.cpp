// Zooming the lens by the wheel keeps whole cells, never collapses, and comes back.
#include "app/views/residual_window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace attnscope {
namespace {

bool whole(double x) { return std::fabs(x - std::round(x)) < 1e-9; }

TEST(WholeCells, ClosesInToTwoAndComesBackToAll) {
  MatrixWindow window;
  double last = 40;
  for (int notch = 0; notch < 40; ++notch) {
    window = whole_cells(window, zoomed(window, 3.2, 17.7, 1.2, 9, 40), 9, 40);
    ASSERT_FALSE(window.all());
    EXPECT_TRUE(whole(window.row0) && whole(window.row1) && whole(window.col0) && whole(window.col1));
    EXPECT_LE(window.col1 - window.col0, last);
    EXPECT_GE(window.col0, 0);
    EXPECT_LE(window.col1, 40);
    last = window.col1 - window.col0;
  }
  EXPECT_EQ(window.col1 - window.col0, 2);
  EXPECT_EQ(window.row1 - window.row0, 2);
  int notches = 0;
  for (; notches < 60 && !window.all(); ++notches)
    window = whole_cells(window, zoomed(window, window.row0 + 1, window.col0 + 1, 1 / 1.2, 9, 40), 9, 40);
  EXPECT_TRUE(window.all()) << "all is in sight again";
}

TEST(WholeCells, ChangesNothingThatIsWhole) {
  const MatrixWindow window{1, 4, 6, 15};
  const MatrixWindow same = whole_cells(window, window, 9, 40);
  EXPECT_EQ(same.row0, 1);
  EXPECT_EQ(same.row1, 6);
  EXPECT_EQ(same.col0, 4);
  EXPECT_EQ(same.col1, 15);
}

}  // namespace
}  // namespace attnscope
