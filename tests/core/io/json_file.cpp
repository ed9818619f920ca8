#include "core/io/json_file.h"

#include <nlohmann/json.hpp>

#include "helpers.h"

namespace attnscope::test {
namespace {

TEST(Json, ParsesEveryKindOfValue) {
  const auto value = parse_json(R"({"a": [1, -2, 2.5, true, null, "é\n"], "b": {"c": []}, "a2": {}})", "x");
  ASSERT_TRUE(value) << value.error().text();
  EXPECT_EQ((*value)["a"].dump(), R"([1,-2,2.5,true,null,"é\n"])");
  EXPECT_EQ((*value)["b"].dump(), R"({"c":[]})");
  EXPECT_EQ((*value)["a2"].dump(), "{}");
}

TEST(Json, AgreesWithTheLibraryOnRealFiles) {
  const std::string path = golden("tokenizers/bytelevel_bpe/tokenizer.json");
  const auto value = read_json_file(path);
  ASSERT_TRUE(value) << value.error().text();
  EXPECT_EQ(*value, nlohmann::json::parse(read_text(path)));
}

TEST(Json, SaysWhereTheErrorIs) {
  expect_error(parse_json("{\n  \"a\": 1,\n  \"b\": tru\n}", "config.json"), Code::bad_format,
               "config.json is not valid JSON: line 3, column 11");
  expect_error(parse_json("", "config.json"), Code::bad_format, "config.json is empty");
  expect_error(parse_json("{} x", "config.json"), Code::bad_format, "line 1, column 4");
  expect_error(parse_json("[1e999]", "config.json"), Code::bad_format, "the number \"1e999\" is too large");
  expect_error(parse_json("[1, 2 3]", "config.json"), Code::bad_format, "\"3\" does not belong here");
  expect_error(parse_json("{\"a\": [1", "config.json"), Code::bad_format, "the text ends too early");
  expect_error(parse_json("{\"a\": tru}", "config.json"), Code::bad_format, "tru}' does not belong here");
  expect_error(parse_json("[\"a\nb\"]", "config.json"), Code::bad_format, "control character");
  expect_error(parse_json("[\"a\\q\"]", "config.json"), Code::bad_format, "backslash");
}

TEST(Json, RefusesIllFormedUtf8) {
  expect_error(parse_json("{\"a\": \"\xC3\x28\"}", "x.json"), Code::bad_format, "UTF-8");
  expect_error(parse_json("{\"a\": \"\xED\xA0\x80\"}", "x.json"), Code::bad_format, "UTF-8");
}

TEST(Json, DeepNestingIsASentenceNotACrash) {
  const std::string open(256, '['), close(256, ']');
  EXPECT_TRUE(parse_json(open + close, "x"));
  expect_error(parse_json("[" + open + close + "]", "x.json"), Code::unsupported, "deeper than 256 levels");
  expect_error(parse_json(std::string(50'000'000, '['), "x.json"), Code::unsupported,
               "deeper than 256 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  expect_error(parse_json(objects, "x.json"), Code::unsupported, "deeper than 256 levels");
}

TEST(Json, SoManyValuesAsNobodyNeedsAreASentence) {
  EXPECT_TRUE(parse_json("[1, [2], {\"a\": 3}]", "x", TwiceKeys::last_wins, 6));
  expect_error(parse_json("[1, [2], {\"a\": 3}]", "x.json", TwiceKeys::last_wins, 5), Code::unsupported,
               "x.json holds more than 5 values");
  std::string many = "[0";
  many.reserve(2 * kMostJsonValues + 4);
  for (std::size_t i = 0; i < kMostJsonValues; ++i) many += ",0";
  expect_error(parse_json(many, "x.json"), Code::unsupported, "holds more than 16777216 values");
}

TEST(Json, KeysTwiceAreKeptOrRefusedAsAsked) {
  const std::string text = R"({"a": 1, "b": {"a": 2}, "a": 3})";
  const auto value = parse_json(text, "x");
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)["a"], 3);
  expect_error(parse_json(text, "x.json", TwiceKeys::refuse), Code::bad_format, "\"a\" stands twice");
}

TEST(Json, LongTokensDoNotFillTheSentence) {
  const auto value = parse_json("{\"a\": \"" + std::string(1'000'000, 'x'), "x.json");
  expect_error(value, Code::bad_format, "x.json");
  EXPECT_LT(value.error().sentence().size(), 1000u);
}

TEST(Json, FilesOverTheLimitAreNotRead) {
  const TempFolder folder;
  write_text(folder / "a.json", "{\"a\": 1}");
  EXPECT_TRUE(read_json_file(folder / "a.json", 8));
  expect_error(read_json_file(folder / "a.json", 7), Code::unsupported, "a.json");
  expect_error(read_json_file(folder / "b.json"), Code::not_found, "b.json");
}

}  // namespace
}  // namespace attnscope::test
