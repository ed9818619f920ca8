// Keys are counted while the JSON is read, because a parsed object has already forgotten that a key came
// twice.
#include "tests/layering/string_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

namespace attnscope::layering {
namespace {

// The source with its // comments cut off and its lines kept; "https://" is not a comment.
std::string without_comments(const std::string& source) {
  static const std::regex comment(R"((^|[ \t\n;{}(),])//[^\n]*)");
  return std::regex_replace(source, comment, "$1");
}

}  // namespace

void add_strings(StringTable& table, const std::string& file, const std::string& json) {
  const auto count_keys = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (event != nlohmann::json::parse_event_t::key) {
      return true;
    }
    const std::string key = parsed.get<std::string>();
    const auto [at, is_new] = table.file_of_key.emplace(key, file);
    if (!is_new) {
      table.faults.push_back(file + ": the key \"" + key + "\" is already in " + at->second);
    }
    return true;
  };
  nlohmann::json root;
  try {
    root = nlohmann::json::parse(json, count_keys);
  } catch (const nlohmann::json::exception& problem) {
    table.faults.push_back(file + ": " + problem.what());
    return;
  }
  if (!root.is_object()) {
    table.faults.push_back(file + ": not an object of keys and texts");
    return;
  }
  for (const auto& [key, text] : root.items()) {
    if (!text.is_string() || text.get<std::string>().empty()) {
      table.faults.push_back(file + ": \"" + key + "\" is not a text");
    } else {
      table.text_of_key.emplace(key, text.get<std::string>());
    }
  }
}

std::vector<StringUse> string_uses(const std::string& text) {
  static const std::regex use(R"re(\btr\(\s*(?:std::string(?:_view)?[({])?"([^"]*)"[)}]?\s*([+]?))re");
  const std::string source = without_comments(text);
  std::vector<StringUse> uses;
  for (std::sregex_iterator found(source.begin(), source.end(), use), none; found != none; ++found) {
    const auto lines = std::count(source.begin(), source.begin() + found->position(), '\n');
    uses.push_back({(*found)[1], (*found)[2] == "+", static_cast<int>(lines) + 1});
  }
  return uses;
}

bool has_string(const StringTable& table, const StringUse& use) {
  const auto at = table.file_of_key.lower_bound(use.key);
  if (at == table.file_of_key.end()) {
    return false;
  }
  return use.is_prefix ? at->first.compare(0, use.key.size(), use.key) == 0 : at->first == use.key;
}

std::set<int> arguments_of(const std::string& text) {
  static const std::regex argument(R"(\{\{|\{([0-9]+)(:[^{}]*)?\})");
  std::set<int> numbers;
  for (std::sregex_iterator found(text.begin(), text.end(), argument), none; found != none; ++found) {
    if ((*found)[1].matched) numbers.insert(std::stoi((*found)[1]));
  }
  return numbers;
}

KeyUses key_uses(const std::string& text) {
  static const std::regex literal(R"re("([a-z][a-z0-9_.-]*)")re");
  const std::string source = without_comments(text);
  KeyUses uses;
  for (std::sregex_iterator found(source.begin(), source.end(), literal), none; found != none; ++found) {
    const std::string word = (*found)[1];
    (word.back() == '.' ? uses.beginnings : uses.whole).insert(word);
  }
  return uses;
}

bool is_used(const KeyUses& uses, const std::string& key) {
  if (uses.whole.contains(key)) return true;
  for (const std::string ending : {".help", ".hint", ".bare", ".what", ".title", ".sentence", ".formula"})
    if (key.ends_with(ending) && uses.whole.contains(key.substr(0, key.size() - ending.size()))) return true;
  return std::any_of(uses.beginnings.begin(), uses.beginnings.end(),
                     [&](const std::string& beginning) { return key.starts_with(beginning); });
}

}  // namespace attnscope::layering
