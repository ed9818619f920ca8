// preprocessor_config.json, and what stands in for it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/arch/open.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

class PreprocessConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("attnscope-preprocess-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    config_.patch = {8, 3, 4, 5, true};
  }
  void TearDown() override { fs::remove_all(folder_); }
  Preprocessing read(const std::string& text) {
    std::ofstream(folder_ / "preprocessor_config.json") << text;
    notes_.clear();
    return preprocessing_of(config_, folder_.string(), notes_);
  }
  fs::path folder_;
  ModelConfig config_;
  std::vector<Text> notes_;
};

TEST_F(PreprocessConfig, TheSizeIsWhatThePatchesCover) {
  const Preprocessing how = preprocessing_of(config_, folder_.string(), notes_);
  EXPECT_EQ(how.height, 32);
  EXPECT_EQ(how.width, 40);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(PreprocessConfig, TheFileDecidesHowNumbersAreMade) {
  const Preprocessing how = read(R"({"image_mean": [0.1, 0.2, 0.3], "image_std": [1, 2, 3], "resample": 3,
                                     "rescale_factor": 0.5, "size": {"height": 7, "width": 7}})");
  EXPECT_TRUE(notes_.empty());
  EXPECT_FLOAT_EQ(how.mean[2], 0.3f);
  EXPECT_FLOAT_EQ(how.deviation[1], 2.f);
  EXPECT_FLOAT_EQ(read(R"({"image_std": 0.25})").deviation[2], 0.25f) << "one for all channels";
  EXPECT_FLOAT_EQ(how.rescale, 0.5f);
  EXPECT_EQ(how.filter, Preprocessing::Filter::bicubic);
  EXPECT_EQ(how.width, 40) << "the model cannot look at another size";
  const Preprocessing plain = read(R"({"do_normalize": false, "do_rescale": false, "resample": 0})");
  EXPECT_EQ(plain.mean[0], 0.f);
  EXPECT_EQ(plain.rescale, 1.f);
  EXPECT_EQ(plain.filter, Preprocessing::Filter::nearest);
}

TEST_F(PreprocessConfig, AFilterOutOfRangeIsNotCutDownToOneThatIsKnown) {
  const Preprocessing::Filter usual = read("{}").filter;
  for (const std::string number :  // 2^32, 2^32 + 3, 2^64, ...: nearest or bicubic in their last 32 bits
       {"4294967296", "4294967299", "-4294967296", "18446744073709551615", "1e300", "6", "3.5", "\"3\""})
    EXPECT_EQ(read(("{\"resample\": " + number + "}").c_str()).filter, usual) << number;
}

TEST_F(PreprocessConfig, ABrokenFileIsToldAndPicturesArePreparedAsUsual) {
  for (const char* text : {"", "{", "[1]", "7"}) {
    const Preprocessing how = read(text);
    EXPECT_FLOAT_EQ(how.mean[0], 0.5f) << text;
    EXPECT_EQ(notes_.size(), 1u) << text;
  }
}

TEST_F(PreprocessConfig, NumbersThatMakeNoPixelsAreToldByKeyAndValue) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> broken{
      {R"({"image_std": [1, 2, 0]})", {"image_std", "is 0,"}},
      {R"({"image_std": [1, -2, 1]})", {"image_std", "is -2,"}},
      {R"({"image_mean": [0, 1e300, 0]})", {"image_mean", "is 1e+300,"}},
      {R"({"rescale_factor": 1e300})", {"rescale_factor", "is 1e+300,"}},
      {R"({"image_std": ["a", null, []]})", {"image_std"}},
      {R"({"image_mean": [1, 2]})", {"image_mean", "three numbers"}}};
  for (const auto& [text, parts] : broken) {
    const Preprocessing how = read(text);
    ASSERT_EQ(notes_.size(), 1u) << text;
    for (const char* part : parts)
      EXPECT_NE(notes_[0].str().find(part), std::string::npos) << notes_[0].str();
    EXPECT_NE(notes_[0].str().find("preprocessor_config.json"), std::string::npos) << notes_[0].str();
    EXPECT_FLOAT_EQ(how.mean[0], 0.5f) << text;
    EXPECT_FLOAT_EQ(how.deviation[2], 0.5f) << text;
  }
}

TEST(OpenedVision, AClassifiersOutputsHaveNames) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/vit");
  ASSERT_TRUE(opened) << opened.error().text();
  ASSERT_EQ(static_cast<int>(opened->output_names.size()), opened->model->config().outputs());
  EXPECT_EQ(opened->output_names[3], "LABEL_3");
  EXPECT_EQ(opened->preprocessing.width, 32);
}

}  // namespace
}  // namespace attnscope
