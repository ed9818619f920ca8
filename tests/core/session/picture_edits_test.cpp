// Drawing on pictures: every pixel of a stroke, the grid, and what the model gets to see of it.
#include "core/session/picture_edits.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

PixelColour at(const Picture& picture, int x, int y) {
  const std::size_t i =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x)) *
      3;
  return {(*picture.rgb)[i], (*picture.rgb)[i + 1], (*picture.rgb)[i + 2]};
}

constexpr PixelColour kWhite{255, 255, 255}, kRed{200, 0, 0};

TEST(PictureEdits, AStrokeIsALineOfItsBrushAndNothingElse) {
  const Picture blank = blank_picture(8, 6, kWhite);
  const Picture line = painted(blank, {1, 1, 5, 1, 1, kRed});
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 8; ++x)
      EXPECT_EQ(at(line, x, y), y == 1 && x >= 1 && x <= 5 ? kRed : kWhite) << x << "," << y;
  EXPECT_EQ(at(blank, 1, 1), kWhite) << "the picture before is not touched";
  const Picture slanted = painted(blank, {0, 0, 4, 2, 1, kRed});
  EXPECT_EQ(at(slanted, 2, 1), kRed);
  EXPECT_EQ(at(slanted, 4, 2), kRed);
  const Picture corner = painted(blank, {7, 5, 7, 5, 3, kRed});
  EXPECT_EQ(at(corner, 6, 4), kRed);
  EXPECT_EQ(at(corner, 5, 5), kWhite);
  EXPECT_TRUE(painted(blank, {-9, -9, 40, 40, 2, kRed}).rgb) << "outside of it nothing is drawn";
}

TEST(PictureEdits, AnotherGridRepeatsOrAverages) {
  const Picture small = painted(blank_picture(2, 2, kWhite), {0, 0, 0, 0, 1, {0, 0, 0}});
  const Picture large = on_grid(small, 8, 8);
  EXPECT_EQ(at(large, 3, 3), (PixelColour{0, 0, 0}));
  EXPECT_EQ(at(large, 4, 3), kWhite);
  const Picture one = on_grid(large, 1, 1);
  EXPECT_NEAR(at(one, 0, 0)[0], 191, 2) << "three white quarters of four";
}

TEST(PictureEdits, AStrokeIsDrawnOverWhatTheModelSeesNow) {
  auto read = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/vit");
  ASSERT_TRUE(read) << read.error().text();
  Document document = new_document(std::make_shared<const OpenedModel>(*std::move(read)));
  const Preprocessing& how = document.opened->preprocessing;
  // Pixels without a picture, as a model's card gives them.
  Picture scene = blank_picture(how.width, how.height, {10, 20, 30});
  scene = painted(scene, {0, 0, how.width - 1, how.height - 1, 2, {90, 60, 200}});
  document.sequences[0].input.pixels = preprocess(scene, how);
  document.sequences[0].picture = {};
  const Tensor before = document.sequences[0].input.pixels;
  const PictureGrid grid{8, grid_height(*document.opened, 8)};
  ASSERT_TRUE(paint(document, 0, {2, 1, 2, 1, 1, kRed}, grid));
  const Tensor after = document.sequences[0].input.pixels;
  const std::int64_t side = how.width / 8;
  for (std::int64_t y = 0; y < after.size(1); ++y)
    for (std::int64_t x = 0; x < after.size(2); ++x) {
      const bool drawn = x / side == 2 && y / side == 1;
      const float wanted = drawn ? (200 / 255.f - how.mean[0]) / how.deviation[0] : before.at(0, y, x);
      EXPECT_NEAR(after.at(0, y, x), wanted, 1e-5) << x << "," << y;
    }
}

TEST(PictureEdits, WhatIsDrawnIsWhatTheModelSees) {
  auto read = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/vit");
  ASSERT_TRUE(read) << read.error().text();
  Document document = new_document(std::make_shared<const OpenedModel>(*std::move(read)));
  const Preprocessing& how = document.opened->preprocessing;
  ASSERT_TRUE(set_picture(document, 0, blank_picture(how.width, how.height, kWhite)));
  const Tensor before = document.sequences[0].input.pixels;
  const int height = grid_height(*document.opened, how.width);
  ASSERT_TRUE(paint(document, 0, {3, 4, 3, 4, 1, kRed}, {how.width, height}));
  const Tensor after = document.sequences[0].input.pixels;
  int changed = 0;
  for (std::int64_t y = 0; y < after.size(1); ++y)
    for (std::int64_t x = 0; x < after.size(2); ++x) changed += before.at(1, y, x) != after.at(1, y, x);
  EXPECT_EQ(changed, 1);
  EXPECT_FLOAT_EQ(after.at(0, 4, 3), (200 / 255.f - how.mean[0]) / how.deviation[0]);
  EXPECT_FALSE(set_pixels(document, 0, after.slice(1, 0, 4))) << "of another size";
  const Status whole = set_pixels(document, 0, before);
  EXPECT_TRUE(whole) << whole.error().text();
  const auto trace = document.model->run(document.sequences[0].input);
  EXPECT_TRUE(trace) << trace.error().text();
}

}  // namespace
}  // namespace attnscope
