// PNG files: what was written is read, nothing half-written stays, errors are sentences.
#include "app/gpu/image_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace attnscope {
namespace {

class ImageFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("attnscope_png_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

Image gradient() {
  Image image{5, 3, {}};
  for (int at = 0; at < 5 * 3; ++at) {
    for (const int byte : {at * 16, 255 - at * 16, at, 255})
      image.rgba.push_back(static_cast<std::uint8_t>(byte));
  }
  return image;
}

TEST_F(ImageFile, RoundTrip) {
  ASSERT_TRUE(write_png(path("a.png"), gradient()).ok());
  const auto read = read_png(path("a.png"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->width, 5);
  EXPECT_EQ(read->height, 3);
  EXPECT_EQ(read->rgba, gradient().rgba);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // no partial file beside it
}

TEST_F(ImageFile, FailingWriteIsASentenceAndLeavesTheOldFile) {
  const Status missing = write_png(path("no/such/a.png"), gradient());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().sentence().find("no/such/a.png"), std::string::npos);
  EXPECT_FALSE(write_png(path("a.png"), Image{}).ok());
  EXPECT_FALSE(write_png(path("a.png"), Image{4, 4, {1, 2, 3}}).ok());
  std::filesystem::create_directories(path("taken.png/inside"));
  EXPECT_FALSE(write_png(path("taken.png"), gradient()).ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ImageFile, WhatIsNoPictureIsRefused) {
  EXPECT_FALSE(read_png(path("missing.png")).ok());
  std::ofstream(path("text.png")) << "not a picture";
  EXPECT_FALSE(read_png(path("text.png")).ok());
}

}  // namespace
}  // namespace attnscope
