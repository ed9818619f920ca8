// Tokens that a config forbids: numbers that are no ids of any vocabulary are passed over, not cut down to 32
// bits.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/arch/open.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

TEST(ForbiddenWords, OfAConfigAreWholeNumbersInRange) {
  const testing::TempFolder folder;
  const std::string model = folder / "model";
  std::filesystem::copy(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/bart", model,
                        std::filesystem::copy_options::recursive);
  const std::string path = model + "/config.json";
  nlohmann::json config = nlohmann::json::parse(std::ifstream(path));
  config["bad_words_ids"] = nlohmann::json::array({{7},
                                                   {4294967301},             // 2^32 + 5
                                                   {18446744073709551615u},  // -1 in 64 bits
                                                   {-3},
                                                   {2.5},
                                                   {"9"},
                                                   {3, 4}});  // a phrase of two
  std::ofstream(path) << config;
  const auto opened = open_model(model);
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->model->config().suppressed_tokens, (std::vector<int>{7}));
}

}  // namespace
}  // namespace attnscope
