// Every sentence of an error has a key, both languages and a use: the sources are read and held to the
// tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

using Table = std::map<std::string, std::string>;
const fs::path kSourceRoot = ATTNSCOPE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The texts of a language; of the files whose names begin with `prefix`.
Table table_of(const std::string& language, const std::string& prefix = "") {
  Table out;
  for (const fs::directory_entry& entry : fs::directory_iterator(kSourceRoot / "assets/strings" / language)) {
    if (entry.path().filename().string().rfind(prefix, 0) != 0) continue;
    const auto table = nlohmann::json::parse(read(entry.path()));
    for (const auto& [key, text] : table.items()) out[key] = text;
  }
  return out;
}

/// The text without the lines that are comments.
std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (line.compare(std::min(line.find_first_not_of(' '), line.size()), 2, "//") != 0) out += line + "\n";
  return out;
}

/// Path and text of every source.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> out;
    for (const char* top : {"core", "app"})
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kSourceRoot / top))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
          out[fs::relative(entry.path(), kSourceRoot).string()] = without_comments(read(entry.path()));
    return out;
  }();
  return all;
}

/// The end of the string or character literal, or of the brackets, that begins at `at`.
std::size_t end_of(const std::string& text, std::size_t at) {
  const char begin = text[at];
  if (begin == '"' || begin == '\'') {
    for (++at; at < text.size() && text[at] != begin; ++at) at += text[at] == '\\' ? 1 : 0;
    return at + 1;
  }
  for (++at; at < text.size() && std::string(")}]").find(text[at]) == std::string::npos;)
    at = std::string("({[\"'").find(text[at]) == std::string::npos ? at + 1 : end_of(text, at);
  return at + 1;
}

/// The arguments of a call, or the items of a list, whose bracket stands at `open`.
std::vector<std::string> items_at(const std::string& text, std::size_t open) {
  std::vector<std::string> items(1);
  for (std::size_t at = open + 1; at + 1 < end_of(text, open);) {
    const std::size_t end =
        std::string("({[\"'").find(text[at]) == std::string::npos ? at + 1 : end_of(text, at);
    if (text[at] == ',')
      items.emplace_back();
    else
      items.back() += text.substr(at, end - at);
    at = end;
  }
  for (std::string& item : items) item.erase(0, item.find_first_not_of(" \n"));
  return items;
}

struct Use {
  std::string file, key;
  std::size_t arguments;
};

/// The keys of a call whose bracket stands at `open`, `first` its argument with the key; both of a choice.
void take_uses(const std::string& file, const std::string& text, std::size_t open, std::size_t first,
               std::vector<Use>& out) {
  static const std::regex literal(R"re("((?:[^"\\]|\\.)*)")re"), compared(R"re([=!]= *"[^"]*")re");
  const auto items = items_at(text, open);
  if (items.size() <= first || items.size() > first + 2) return;
  const bool listed = items.size() == first + 2 && items[first + 1].front() == '{';
  if (items.size() == first + 2 && !listed) return;  // arguments that are made elsewhere
  const std::size_t count = listed ? items_at(items[first + 1], 0).size() : 0;
  const std::string keys = std::regex_replace(items[first], compared, "");  // what is asked is no key
  if (keys.find(" + ") != std::string::npos) return;                        // made of pieces
  for (std::sregex_iterator key(keys.begin(), keys.end(), literal), none; key != none; ++key)
    out.push_back({file, (*key)[1], count});
}

/// The keys of fail(Code, key, {arguments}) and Text::of(key, {arguments}).
const std::vector<Use>& uses() {
  static const std::vector<Use> all = [] {
    std::vector<Use> out;
    for (const auto& [file, text] : sources())
      for (const auto& [call, first] : {std::pair<std::string, std::size_t>{"fail(", 1}, {"Text::of(", 0}})
        for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1))
          take_uses(file, text, at + call.size() - 1, first, out);
    return out;
  }();
  return all;
}

/// The numbers of the placeholders, "{{" and particles left out.
std::set<std::size_t> placeholders(std::string text) {
  for (std::size_t at; (at = text.find("{{")) != std::string::npos;) text.erase(at, 2);
  std::set<std::size_t> out;
  static const std::regex place(R"(\{(\d+)(:[^{} ]*/[^{} ]*)?\})");
  for (std::sregex_iterator found(text.begin(), text.end(), place), none; found != none; ++found)
    out.insert(std::stoul((*found)[1]));
  return out;
}

/// Whatever stands in quotes and looks like the key of an error, with the file where it stands.
std::map<std::string, std::string> named_keys() {
  std::map<std::string, std::string> out;
  for (const auto& [file, text] : sources())
    for (std::size_t at = text.find("\"error."); at != std::string::npos;
         at = text.find("\"error.", at + 1)) {
      const std::string key = text.substr(at + 1, text.find('"', at + 1) - at - 1);
      if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == std::string::npos)
        out[key] = file;
    }
  return out;
}

TEST(ErrorKeys, EveryKeyThatIsUsedHasAnEnglishText) {
  const Table english = table_of("en");
  EXPECT_GT(uses().size(), 400u);
  for (const Use& use : uses()) EXPECT_TRUE(english.count(use.key)) << use.file << ": " << use.key;
  for (const auto& [key, file] : named_keys()) EXPECT_TRUE(english.count(key)) << file << ": " << key;
}

TEST(ErrorKeys, EveryPlaceholderHasItsArgument) {
  const Table english = table_of("en");
  for (const Use& use : uses())
    for (const std::string& key : {use.key, use.key + ".hint"}) {
      const auto text = english.find(key);
      const auto places = text == english.end() ? std::set<std::size_t>() : placeholders(text->second);
      EXPECT_TRUE(places.empty() || *places.rbegin() < use.arguments) << use.file << ": " << key;
    }
}

TEST(ErrorKeys, EveryErrorIsTranslatedWithTheSamePlaceholders) {
  EXPECT_GT(table_of("en", "errors_").size(), 500u);
  for (const char* tables : {"errors_", "notes", "tasks", "cli"}) {
    const Table english = table_of("en", tables), korean = table_of("ko", tables);
    for (const auto& [key, text] : english) {
      ASSERT_TRUE(korean.count(key)) << key;
      EXPECT_EQ(placeholders(text), placeholders(korean.at(key))) << key;
    }
    for (const auto& [key, text] : korean) EXPECT_TRUE(english.count(key)) << key;
  }
}

TEST(ErrorKeys, NoErrorIsUnused) {
  const std::map<std::string, std::string> named = named_keys();
  for (const auto& [key, text] : table_of("en", "errors_")) {
    const bool is_hint = key.size() > 5 && key.compare(key.size() - 5, 5, ".hint") == 0;
    EXPECT_TRUE(named.count(key) || (is_hint && named.count(key.substr(0, key.size() - 5)))) << key;
  }
}

TEST(ErrorKeys, NoSentenceIsBornInTheSources) {
  for (const auto& [file, text] : sources())
    for (std::size_t at = text.find("Error{"); at != std::string::npos; at = text.find("Error{", at + 1)) {
      const auto items = items_at(text, at + 5);
      EXPECT_FALSE(items.size() > 1 && items[1].front() == '"') << file << ": " << items[1];
    }
}

// Whatever a file or a person brings along: a message is a sentence that a terminal shows and does not obey.
TEST(ErrorKeys, AMessageIsShortAndPrintableWhateverStandsInIt) {
  const std::string hostile =
      "\x1b]0;x\x07\x1b[31m\xC2\x9B"
      "31m\xE2\x80\xAE\xD8\x9C\xEF\xBB\xBF\xFF\n\r" +
      std::string(4000, 'x');
  int count = 0;
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const auto& [key, text] : table_of("en", "errors_")) {
      if (key.size() > 5 && key.compare(key.size() - 5, 5, ".hint") == 0) continue;
      const Error error = fail(Code::bad_format, key, {hostile, hostile, hostile, hostile, hostile, hostile});
      const std::string said = error.text();
      EXPECT_LE(utf8_length(said), 300u) << key;
      EXPECT_EQ(said, printable(said, said.size())) << key;
      EXPECT_EQ(said.find('\x1b'), std::string::npos) << key;
      EXPECT_TRUE(error.hint().empty() || said.ends_with(error.hint())) << key;
      ++count;
    }
  }
  EXPECT_TRUE(set_language("en"));
  EXPECT_GT(count, 1000);
  EXPECT_EQ(quoted_path("/a/" + std::string(300, 'b') + "/model.gguf"),
            "\"..." + std::string(76, 'b') + "/model.gguf\"");
}

}  // namespace
}  // namespace attnscope
