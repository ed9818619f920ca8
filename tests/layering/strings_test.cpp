// Every text that the app asks for is in the English table, once; and the rules that say so are tried on
// made-up text.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/layering/files.h"
#include "tests/layering/string_rules.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

StringTable english() {
  StringTable table;
  const fs::path folder = kRoot / "assets/strings/en";
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") {
        add_strings(table, entry.path().filename().string(), read(entry.path()));
      }
    }
  }
  return table;
}

std::string all_faults(const StringTable& table) {
  std::string text;
  for (const std::string& fault : table.faults) {
    text += fault + "\n";
  }
  return text;
}

TEST(Strings, EnglishTableIsFlatAndHasNoKeyTwice) { EXPECT_EQ(all_faults(english()), ""); }

TEST(Strings, EveryTextTheAppAsksForIsThere) {
  const StringTable table = english();
  for (const char* top : {"core", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / top)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".h" && extension != ".inc") {
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
