// Inputs as JSON: what is written is read back, and lists of anything else are refused with their place.
#include "core/trace/input_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace attnscope {
namespace {

using nlohmann::json;

TEST(InputJson, ThereAndBack) {
  Input input;
  input.ids = {3, 0, 2147483647};
  input.types = {0, 1, 1};
  input.attention_mask = {1, 1, 0};
  input.spans = {{"image", 0, 2}};
  input.pixels = Tensor::from({0.5f, -1, 2, 3}, {{Axis::in, 1}, {Axis::pos, 2}, {Axis::dim, 2}});
  const auto read = inputs_from_json({{"inputs", {input_to_json(input)}}}, "card.json");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().ids, input.ids);
  EXPECT_EQ(read->front().types, input.types);
  EXPECT_EQ(read->front().attention_mask, input.attention_mask);
  EXPECT_EQ(read->front().pixels.values(), input.pixels.values());
  ASSERT_EQ(read->front().spans.size(), 1u);
  EXPECT_EQ(read->front().spans[0].name, "image");
  EXPECT_EQ(read->front().spans[0].end, 2);
}

// A number that does not fit must not become another one.
TEST(InputJson, OtherListsAreRefused) {
  for (const char* input : {
           R"({"ids": [1, 4294967297]})",            // would be 1
           R"({"ids": [1, 18446744073709551615]})",  // would be -1
           R"({"ids": [1, 1.5]})",
           R"({"ids": 7})",
           R"({"ids": [1], "real": [256]})",  // would be 0: padding
           R"({"ids": [1], "real": [-1]})",
           R"({"ids": [1], "types": ["a"]})",
           R"({"ids": [1], "spans": [["a", 0, 18446744073709551615]]})",
           R"({"ids": [1], "pixels": {"shape": [1, 2], "values": [1, 2]}})",
           R"({"ids": [1], "pixels": {"shape": [1, 2, 2], "values": [1, 2]}})",
           R"({"ids": [1], "pixels": {"shape": [1, 1, 1], "values": [1e39]}})",  // would be infinite
           R"({"vectors": [[1, -1e300]]})",
           R"({})",
           R"(3)",
       }) {
    const auto read = inputs_from_json({{"inputs", json::array({json::parse(input)})}}, "card.json");
    ASSERT_FALSE(read) << input;
    EXPECT_NE(read.error().sentence().find("card.json: inputs[0]"), std::string::npos) << read.error().text();
    EXPECT_FALSE(read.error().hint().empty());
  }
}

}  // namespace
}  // namespace attnscope
