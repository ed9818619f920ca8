// Pictures on their way into a model: resizing against Pillow's bytes, normalising against its formula, files
// of pixels that are ready.
#include "core/arch/preprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/io/npy.h"
#include "core/io/writers.h"

namespace attnscope {
namespace {

std::string pictures(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/pictures/" + name;
}

Preprocessing bytes_only(int width, int height, Preprocessing::Filter filter) {
  return {width, height, filter, 1.f, {0, 0, 0}, {1, 1, 1}};
}

struct Resize {
  const char* name;
  Preprocessing::Filter filter;
};

TEST(Preprocess, ResizesAsPillowDoes) {
  const auto source = read_npz(pictures("expected.npz"));
  ASSERT_TRUE(source);
  const auto picture = open_picture(pictures("rgb.png"));
  ASSERT_TRUE(picture);
  const std::pair<int, int> sizes[] = {{16, 16}, {64, 48}, {37, 10}, {5, 23}};
  using Filter = Preprocessing::Filter;
  for (const Resize& resize : {Resize{"nearest", Filter::nearest}, Resize{"bilinear", Filter::bilinear},
                               Resize{"bicubic", Filter::bicubic}}) {
    for (const auto& [width, height] : sizes) {
      const std::string name =
          std::string(resize.name) + "_" + std::to_string(width) + "_" + std::to_string(height);
      const auto wanted = (*source)->load_ints(name);  // [row, column, channel]
      ASSERT_TRUE(wanted) << name;
      const Tensor pixels = preprocess(*picture, bytes_only(width, height, resize.filter));
      ASSERT_EQ(pixels.sizes(), (std::vector<std::int64_t>{3, height, width})) << name;
      double worst = 0;
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
          for (std::int64_t c = 0; c < 3; ++c) {
            const auto at = static_cast<std::size_t>((y * width + x) * 3 + c);
            worst = std::max(worst, std::fabs(static_cast<double>((*wanted)[at]) -
                                              static_cast<double>(pixels.at(c, y, x))));
          }
      EXPECT_LE(worst, resize.filter == Filter::nearest ? 0.0 : 1.0) << name;
    }
  }
}

TEST(Preprocess, NormalisesEachChannelAndBack) {
  const auto picture = open_picture(pictures("rgb.png"));
  ASSERT_TRUE(picture);
  const Preprocessing how{
      37, 23, Preprocessing::Filter::bilinear, 1.f / 255.f, {0.5f, 0.4f, 0.3f}, {0.5f, 0.25f, 0.2f}};
  const Tensor pixels = preprocess(*picture, how);
  for (std::int64_t c = 0; c < 3; ++c) {
    const double byte = (*picture->rgb)[static_cast<std::size_t>((7 * 37 + 5) * 3 + c)];
    const double wanted = (byte / 255 - how.mean[c]) / how.deviation[c];
    EXPECT_NEAR(pixels.at(c, 7, 5), wanted, 1e-6);
  }
  EXPECT_EQ(*picture_of(pixels, how).rgb, *picture->rgb);
}

TEST(Preprocess, ReadsPixelsThatAreReady) {
  const std::string path = std::filesystem::temp_directory_path() / "attnscope-pixels-test.npy";
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  {
    std::ofstream file(path, std::ios::binary);
    file << npy_header("<f4", {3, 2, 2});
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  const auto pixels = open_pixels(path, {});
  ASSERT_TRUE(pixels) << pixels.error().text();
  EXPECT_EQ(pixels->sizes(), (std::vector<std::int64_t>{3, 2, 2}));
  EXPECT_EQ(pixels->values(), values);
  std::ofstream(path, std::ios::binary) << npy_header("<f4", {12}) << std::string(48, '\0');
  const auto flat = open_pixels(path, {});
  ASSERT_FALSE(flat);
  EXPECT_EQ(flat.error().code(), Code::bad_shape);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace attnscope
