// The strings table: placeholders, languages, keys that are missing or there twice.
#include "core/base/words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/assets.h"

namespace attnscope {
namespace {

bool is_missing(const std::string& key) {
  const auto& keys = missing_keys();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

TEST(Strings, ShippedTablesHaveNoFaults) {
  for (const std::string& fault : string_faults()) ADD_FAILURE() << fault;
}

TEST(Strings, EveryFolderOfStringsIsALanguage) {
  for (const std::string_view path : assets_under("assets/strings/")) {
    const std::string_view rest = path.substr(std::string_view("assets/strings/").size());
    const std::string name(rest.substr(0, rest.find('/')));
    const auto known = languages();
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << path;
  }
}

TEST(Strings, PlaceholdersAreReplacedByNumber) {
  ASSERT_TRUE(
      add_strings("en", "test.json", R"({"test.sum": "{1} after {0}, {{0} and {7} stay, {x}"})").ok());
  EXPECT_EQ(tr("test.sum", {"a", "b"}), "b after a, {0} and {7} stay, {x}");
  const char* first = tr("test.sum");
  for (int filler = 0; filler < 100; ++filler) {
    ASSERT_TRUE(
        add_strings("en", "test.json", "{\"test.filler" + std::to_string(filler) + "\": \"x\"}").ok());
  }
  EXPECT_EQ(first, tr("test.sum"));  // the pointer is stable
}

TEST(Strings, MissingKeyShowsItselfAndIsRemembered) {
  EXPECT_FALSE(is_missing("test.nowhere"));
  EXPECT_STREQ(tr("test.nowhere"), "test.nowhere");
  EXPECT_TRUE(is_missing("test.nowhere"));
  const std::size_t count = missing_keys().size();
  tr("test.nowhere");
  EXPECT_EQ(missing_keys().size(), count);
}

TEST(Strings, PartialLanguageFallsBackToEnglish) {
  ASSERT_TRUE(add_strings("en", "test.json", R"({"test.both": "both", "test.english": "english"})").ok());
  ASSERT_TRUE(add_strings("ko", "test.json", R"({"test.both": "둘 다"})").ok());
  ASSERT_TRUE(set_language("ko").ok());
  EXPECT_STREQ(tr("test.both"), "둘 다");
  EXPECT_STREQ(tr("test.english"), "english");
  EXPECT_FALSE(is_missing("test.english"));
  EXPECT_NE(all_texts().find("둘"), std::string::npos);
  ASSERT_TRUE(set_language("en").ok());
  EXPECT_STREQ(tr("test.both"), "both");
}

TEST(Strings, WrongTablesAreRefusedWithASentence) {
  ASSERT_TRUE(add_strings("en", "one.json", R"({"test.twice": "first"})").ok());
  const Status again = add_strings("en", "two.json", R"({"test.twice": "second"})");
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().sentence().find("test.twice"), std::string::npos);
  EXPECT_NE(again.error().sentence().find("two.json"), std::string::npos);
  EXPECT_STREQ(tr("test.twice"), "first");
  EXPECT_FALSE(add_strings("en", "list.json", "[1, 2]").ok());
  EXPECT_FALSE(add_strings("en", "broken.json", "{\"a\": ").ok());
  EXPECT_FALSE(add_strings("en", "number.json", R"({"test.number": 3})").ok());
}

TEST(Strings, UnknownLanguageNamesTheKnownOnes) {
  const Status status = set_language("tlh");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().hint().find("en"), std::string::npos);
  EXPECT_EQ(language(), "en");
}

TEST(Assets, ShadersTravelInTheProgram) {
  EXPECT_NE(asset("shaders/heatmap.frag").find("void main()"), std::string_view::npos);
  EXPECT_EQ(asset("shaders/none.frag").data(), nullptr);
  EXPECT_EQ(assets_under("shaders/heatmap").size(), 2u);
}

}  // namespace
}  // namespace attnscope
