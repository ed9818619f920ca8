// Tables are read at the first tr(). Texts are never erased or replaced: their pointers are handed out.
#include "app/look/strings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/look/assets.h"

namespace attnscope {
namespace {

using Table = std::map<std::string, std::string, std::less<>>;

struct Strings {
  std::map<std::string, Table, std::less<>> tables;  // by language
  std::string language = "en";
  std::set<std::string, std::less<>> echoed;  // keys that stand for themselves; owns what tr() returned
  std::vector<std::string> missing;
  std::vector<std::string> faults;
};

Status merge(Strings& strings, std::string_view language, std::string_view file, std::string_view json) {
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_object()) {
    return fail(Code::bad_format, "The strings file " + std::string(file) + " is not a JSON object.",
                "It must look like {\"key\": \"text\"}.");
  }
  Table& table = strings.tables[std::string(language)];
  std::string wrong;
  for (const auto& [key, text] : parsed.items()) {
    const bool fits = text.is_string() && table.emplace(key, text.get<std::string>()).second;
    if (!fits && wrong.empty()) wrong = key;
  }
  if (wrong.empty()) return Done{};
  return fail(Code::bad_format,
              "The key \"" + wrong + "\" in " + std::string(file) + " is there already or has no text.",
              "Give every key once per language.");
}

Strings load_embedded() {
  Strings strings;
  const std::string_view root = "assets/strings/";
  for (const std::string_view path : assets_under(root)) {
    const std::string_view rest = path.substr(root.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || rest.substr(rest.size() - 5) != ".json") continue;
    const Status merged = merge(strings, rest.substr(0, slash), path, asset(path));
    if (!merged) strings.faults.push_back(merged.error().text());
  }
  strings.tables["en"];
  return strings;
}

Strings& state() {
  static Strings strings = load_embedded();
  return strings;
}

const std::string* find(const Table& table, std::string_view key) {
  const auto row = table.find(key);
  return row == table.end() ? nullptr : &row->second;
}

const char* echo(Strings& strings, std::string_view key) {
  const auto [row, added] = strings.echoed.emplace(key);
  if (added) strings.missing.push_back(*row);
  return row->c_str();
}

/// Reads "{12}" at `at`; gives the number and moves `at` behind it, or -1 where there is none.
int placeholder(std::string_view text, std::size_t& at) {
  std::size_t end = at + 1;
  int number = 0;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - at < 4) {
    number = number * 10 + (text[end++] - '0');
  }
  if (end == at + 1 || end >= text.size() || text[end] != '}') return -1;
  at = end + 1;
  return number;
}

}  // namespace

const char* tr(std::string_view key) {
  Strings& strings = state();
  const auto table = strings.tables.find(strings.language);
  if (table != strings.tables.end()) {
    if (const std::string* text = find(table->second, key)) return text->c_str();
  }
  if (const std::string* text = find(strings.tables["en"], key)) return text->c_str();
  return echo(strings, key);
}

bool has_string(std::string_view key) {
  Strings& strings = state();
  const auto table = strings.tables.find(strings.language);
  return (table != strings.tables.end() && find(table->second, key)) || find(strings.tables["en"], key);
}

std::string tr(std::string_view key, std::initializer_list<std::string_view> arguments) {
  const std::string_view text = tr(key);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "{{") {
      out += '{';
      at += 2;
      continue;
    }
    const std::size_t begin = at;
    const int number = text[at] == '{' ? placeholder(text, at) : -1;
    if (number >= 0 && static_cast<std::size_t>(number) < arguments.size()) {
      out += arguments.begin()[number];
    } else {
      at = std::max(at, begin + 1);
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

Status set_language(std::string_view language) {
  Strings& strings = state();
  if (strings.tables.find(language) == strings.tables.end()) {
    std::string known;
    for (const std::string& name : languages()) known += (known.empty() ? "" : ", ") + name;
    return fail(Code::not_found, "There are no texts in the language \"" + std::string(language) + "\".",
                "Known languages: " + known + ".");
  }
  strings.language = language;
  return Done{};
}

const std::string& language() { return state().language; }

std::vector<std::string> languages() {
  std::vector<std::string> names{"en"};
  for (const auto& [name, table] : state().tables) {
    if (name != "en") names.push_back(name);
  }
  return names;
}

Status add_strings(std::string_view language, std::string_view file, std::string_view json) {
  return merge(state(), language, file, json);
}

const std::vector<std::string>& missing_keys() { return state().missing; }

const std::vector<std::string>& string_faults() { return state().faults; }

std::string all_texts() {
  std::string texts;
  const Strings& strings = state();
  const auto table = strings.tables.find(strings.language);
  if (table == strings.tables.end()) return texts;
  for (const auto& [key, text] : table->second) texts += text;
  return texts;
}

}  // namespace attnscope
