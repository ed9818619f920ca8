// Every text that the app asks for is in the English table, once; every English text has a Korean one with
// the same arguments; no text lies there that nobody asks for. The rules that say so are tried on made-up
// text.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/layering/files.h"
#include "tests/layering/string_rules.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

StringTable table_of(const std::string& language) {
  StringTable table;
  const fs::path folder = kRoot / "assets/strings" / language;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json" && entry.path().stem() != "glossary") {  // see korean_test.cpp
        add_strings(table, entry.path().filename().string(), read(entry.path()));
      }
    }
  }
  return table;
}

StringTable english() { return table_of("en"); }

bool strings_is_source(const fs::path& path) {
  const fs::path extension = path.extension();
  return extension == ".cpp" || extension == ".h" || extension == ".inc";
}

std::string all_faults(const StringTable& table) {
  std::string text;
  for (const std::string& fault : table.faults) {
    text += fault + "\n";
  }
  return text;
}

TEST(Strings, TablesAreFlatAndHaveNoKeyTwice) {
  EXPECT_EQ(all_faults(english()), "");
  EXPECT_EQ(all_faults(table_of("ko")), "");
}

TEST(Strings, EveryTextIsThereInBothLanguagesWithTheSameArguments) {
  const StringTable en = english(), ko = table_of("ko");
  ASSERT_GT(en.file_of_key.size(), 500U);
  for (const auto& [key, file] : en.file_of_key) {
    const auto other = ko.file_of_key.find(key);
    if (other == ko.file_of_key.end()) {
      ADD_FAILURE() << "no Korean text for " << key;
      continue;
    }
    EXPECT_EQ(other->second, file) << key << " stands in another file";
    EXPECT_EQ(arguments_of(en.text_of_key.at(key)), arguments_of(ko.text_of_key.at(key)))
        << key << ": " << ko.text_of_key.at(key);
  }
  for (const auto& [key, file] : ko.file_of_key)
    EXPECT_TRUE(en.file_of_key.contains(key)) << "no English text for " << key << " of ko/" << file;
}

// "{0:~cat/cats}": a form with a blank is not read (core/base/words.cpp), and stood there with its braces.
TEST(Strings, FormsOfAnArgumentAreSingleWords) {
  const std::regex blank(R"(\{\d+:[^}]* [^}]*\})");
  EXPECT_TRUE(std::regex_search("{2:~gives/add up to}", blank));
  EXPECT_FALSE(std::regex_search("{2} {2:~adds/add} up to {3}", blank));
  for (const char* language : {"en", "ko"}) {
    const StringTable table = table_of(language);
    for (const auto& [key, text] : table.text_of_key)
      EXPECT_FALSE(std::regex_search(text, blank)) << key << ": " << text;
  }
}

TEST(Strings, KoreanSaysItInKorean) {
  const StringTable en = english(), ko = table_of("ko");
  for (const auto& [key, text] : ko.text_of_key) {
    if (text != en.text_of_key.at(key)) continue;
    EXPECT_EQ(text.find(". "), std::string::npos) << key << " is still an English sentence: " << text;
  }
}

TEST(Strings, NoTextLiesThereUnused) {
  std::string sources;
  for (const char* folder : {"app", "core"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (strings_is_source(entry.path())) sources += read(entry.path());
  const KeyUses uses = key_uses(sources);
  for (const auto& [key, file] : english().file_of_key)
    EXPECT_TRUE(is_used(uses, key)) << file << ": nobody asks for \"" << key << "\"";
}

TEST(Strings, EveryTextTheAppAsksForIsThere) {
  const StringTable table = english();
  for (const char* top : {"core", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (!strings_is_source(entry.path())) {
        continue;
      }
      for (const StringUse& use : string_uses(read(entry.path()))) {
        EXPECT_TRUE(has_string(table, use)) << fs::relative(entry.path(), kRoot).string() << ":" << use.line
                                            << ": no English text for \"" << use.key << "\"";
      }
    }
  }
}

TEST(StringRules, FaultsAreFound) {
  StringTable table;
  add_strings(table, "a.json", R"({"menu.file": "File", "menu.open": "Open"})");
  EXPECT_TRUE(table.faults.empty()) << all_faults(table);
  add_strings(table, "b.json", R"({"menu.open": "Open again"})");
  add_strings(table, "c.json", R"({"x": "1", "x": "2"})");
  add_strings(table, "d.json", R"({"y": {"deep": "no"}})");
  add_strings(table, "e.json", R"({"z": "cut)");
  add_strings(table, "f.json", R"(["list"])");
  add_strings(table, "g.json", R"({"empty": ""})");
  ASSERT_EQ(table.faults.size(), 6U) << all_faults(table);
  EXPECT_EQ(table.faults[0], "b.json: the key \"menu.open\" is already in a.json");
  EXPECT_EQ(table.faults[1], "c.json: the key \"x\" is already in c.json");
}

TEST(StringRules, ArgumentsAreCountedWhateverTheirOrderAndParticles) {
  EXPECT_EQ(arguments_of("{1} after {0}"), (std::set<int>{0, 1}));
  EXPECT_EQ(arguments_of("{0:을/를} 지나 {1}"), (std::set<int>{0, 1}));
  EXPECT_EQ(arguments_of("{{0} is a brace, {x} too, and {12} an argument"), (std::set<int>{12}));
  EXPECT_TRUE(arguments_of("nothing").empty());
}

TEST(StringRules, UnusedKeysAreFound) {
  const KeyUses uses = key_uses(
      "f(tr(\"menu.open\")); g(\"step.\" + id); const char* k = \"menu.save\"; tr(k + \".help\"); // "
      "\"menu.old\"");
  EXPECT_TRUE(is_used(uses, "menu.open"));
  EXPECT_TRUE(is_used(uses, "menu.save.help"));
  EXPECT_TRUE(is_used(uses, "step.mask"));
  EXPECT_FALSE(is_used(uses, "menu.close"));
  EXPECT_FALSE(is_used(uses, "menu.old"));
  EXPECT_FALSE(is_used(uses, "stepmask"));
}

TEST(StringRules, UsesAreFound) {
  const auto uses =
      string_uses("a(tr(\"one\"));\nb(tr(\n    \"two\"), str(\"no\"));\nc(tr(\"views.\" + id), tr(key));\n");
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(uses[0].key, "one");
  EXPECT_EQ(uses[0].line, 1);
  EXPECT_EQ(uses[1].key, "two");
  EXPECT_EQ(uses[1].line, 2);
  EXPECT_TRUE(uses[2].is_prefix);

  EXPECT_TRUE(string_uses("/// tr(\"no\")\n  // tr(\"no\")\nx;  // tr(\"no\")\n").empty());
  EXPECT_EQ(string_uses("f(\"https://a\", tr(\"one\"));").size(), 1U);

  StringTable table;
  add_strings(table, "a.json", R"({"one": "1", "views.mask": "Mask"})");
  EXPECT_TRUE(has_string(table, uses[0]));
  EXPECT_FALSE(has_string(table, uses[1]));
  EXPECT_TRUE(has_string(table, uses[2]));
  EXPECT_FALSE(has_string(table, {"view", false, 1}));
  EXPECT_FALSE(has_string(table, {"zebra", true, 1}));
}

}  // namespace
}  // namespace attnscope::layering
