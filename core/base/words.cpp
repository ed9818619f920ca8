// The tables of a language are read at the first text that is asked of it. Texts are never erased or
// replaced: their pointers are handed out.
#include "core/base/words.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <shared_mutex>
#include <utility>

#include "core/base/assets.h"
#include "core/base/language_names.h"
#include "core/base/noted_words.h"
#include "core/base/particle.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

using Table = std::map<std::string, std::string, std::less<>>;

struct Language {
  std::vector<std::string_view>
      files;  // not read yet: English takes 20 ms, and the others are seldom asked for
  Table texts;
};
using Languages = std::map<std::string, Language, std::less<>>;

struct Strings {
  Languages languages;
  Languages::iterator now, english;           // now: the current language
  std::set<std::string, std::less<>> echoed;  // keys that stand for themselves; owns what tr() returned
  std::vector<std::string> missing;
  std::vector<Error> faults;
  mutable std::shared_mutex mutex;

  Strings();
};

// One flat object of texts, as its parser comes upon them.
class FlatObject : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit FlatObject(Table& table) : table_(table) {}

  bool is_object = false;
  std::string wrong;  // the first key whose value is no text, or that is there already

  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_unsigned(number_unsigned_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool start_object(std::size_t) override {
    if (depth_++ > 0) return other();
    return is_object = true;
  }
  bool start_array(std::size_t) override { return depth_++ > 0 && other(); }
  bool end_object() override { return depth_-- > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool key(string_t& name) override {
    if (depth_ == 1) key_ = name;
    return true;
  }
  bool string(string_t& text) override {
    return depth_ == 1 && table_.emplace(key_, std::move(text)).second ? true : other();
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return is_object = false;
  }

 private:
  bool other() {
    if (wrong.empty()) wrong = key_;
    return depth_ > 0;
  }
  Table& table_;
  std::string key_;
  int depth_ = 0;
};

Status merge(Table& table, std::string_view file, std::string_view json) {
  FlatObject found(table);
  if (!nlohmann::json::sax_parse(json, &found) || !found.is_object)
    return fail(Code::bad_format, "error.words.no_object", {file});
  if (found.wrong.empty()) return Done{};
  return fail(Code::bad_format, "error.words.key", {found.wrong, file});
}

Strings::Strings() {
  const std::string_view root = "assets/strings/";
  for (const std::string_view path : assets_under(root)) {
    const std::string_view rest = path.substr(root.size());
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos || !ends_with(rest, ".json")) continue;
    languages[std::string(rest.substr(0, slash))].files.push_back(path);
  }
  now = english = languages.try_emplace("en").first;
}

Strings& state() {
  static Strings strings;
  return strings;
}

// The texts of a language; the caller holds the mutex alone.
Table& read(Strings& strings, Language& language) {
  for (const std::string_view path : std::exchange(language.files, {})) {
    const Status merged = merge(language.texts, path, asset(path));
    if (!merged) strings.faults.push_back(merged.error());  // keys alone: its table is being read
  }
  return language.texts;
}

const std::string* find(const Table& table, std::string_view key) {
  const auto row = table.find(key);
  return row == table.end() ? nullptr : &row->second;
}

const std::string* find(Strings& strings, std::string_view key) {
  {
    const std::shared_lock lock(strings.mutex);
    if (const std::string* text = find(strings.now->second.texts, key)) return text;
    if (strings.now->second.files.empty() && strings.english->second.files.empty())
      return find(strings.english->second.texts, key);
  }
  const std::unique_lock lock(strings.mutex);
  const std::string* text = find(read(strings, strings.now->second), key);
  return text ? text : find(read(strings, strings.english->second), key);
}

const char* echo(Strings& strings, std::string_view key) {
  const std::unique_lock lock(strings.mutex);
  const auto [row, added] = strings.echoed.emplace(key);
  if (added) strings.missing.push_back(*row);
  return row->c_str();
}

struct Placeholder {
  std::size_t number = 0;
  std::string_view particle;  // "이/가"; "~이/가" without the word; or nothing
};

/// Reads "{12}", "{12:이/가}" or "{12:~이/가}" at `at` and moves it behind; leaves it where there is none.
bool read_placeholder(std::string_view text, std::size_t& at, Placeholder& out) {
  std::size_t end = at + 1;
  out = {};
  while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - at < 4) {
    out.number = out.number * 10 + static_cast<std::size_t>(text[end++] - '0');
  }
  if (end == at + 1) return false;
  const std::size_t close = text.find('}', end);
  if (close == std::string_view::npos) return false;
  if (close > end) {
    out.particle = text.substr(end + 1, close - end - 1);
    const bool is_pair = out.particle.find('/') != std::string_view::npos &&
                         out.particle.find_first_of("{ ") == std::string_view::npos;
    if (text[end] != ':' || !is_pair) return false;
  }
  at = close + 1;
  return true;
}

}  // namespace

namespace {

struct NotedTexts {
  std::atomic<bool> on = false;
  std::mutex mutex;
  std::map<std::string, std::string> texts;
};
NotedTexts& noted_texts() {
  static NotedTexts all;
  return all;
}

void note_text_of(std::string_view key, std::string_view text) {
  NotedTexts& all = noted_texts();
  if (!all.on.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(all.mutex);
  all.texts[std::string(key)] = text;
}

const char* words_text_of(std::string_view key) {
  Strings& strings = state();
  const std::string* text = find(strings, key);
  return text ? text->c_str() : echo(strings, key);
}

}  // namespace

void note_words(bool on) {
  NotedTexts& all = noted_texts();
  const std::lock_guard lock(all.mutex);
  all.on = on;
  all.texts.clear();
}

std::map<std::string, std::string> noted_words() {
  NotedTexts& all = noted_texts();
  const std::lock_guard lock(all.mutex);
  return all.texts;
}

const char* tr(std::string_view key) {
  const char* text = words_text_of(key);
  note_text_of(key, text);
  return text;
}

std::string tr(std::string_view key, std::initializer_list<std::string_view> arguments) {
  std::string text = filled(words_text_of(key), {arguments.begin(), arguments.size()});
  note_text_of(key, text);
  return text;
}

std::string filled(std::string_view pattern, std::span<const std::string_view> arguments) {
  std::string out;
  std::size_t size = pattern.size();
  for (const std::string_view argument : arguments) size += argument.size();
  out.reserve(size);
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern.substr(at, 2) == "{{") {
      out += '{';
      at += 2;
      continue;
    }
    const std::size_t begin = at;
    Placeholder found;
    if (pattern[at] == '{' && read_placeholder(pattern, at, found) && found.number < arguments.size()) {
      const std::string_view word = arguments[found.number], pair = found.particle;
      const bool alone = pair.starts_with('~');  // the table's own quotes stand between the two
      if (!alone) out += word;
      if (!pair.empty()) out += particle(word, pair.substr(alone ? 1 : 0));
    } else {
      at = std::max(at, begin + 1);
      out += pattern.substr(begin, at - begin);
    }
  }
  return out;
}

bool has_string(std::string_view key) { return find(state(), key) != nullptr; }

Status set_language(std::string_view language) {
  Strings& strings = state();
  {
    const std::unique_lock lock(strings.mutex);
    const auto found = strings.languages.find(language);
    if (found != strings.languages.end()) {
      strings.now = found;
      return Done{};
    }
  }
  return fail(Code::not_found, "error.words.language", {language, join(languages(), ", ")});
}

const std::string& language() {
  const Strings& strings = state();
  const std::shared_lock lock(strings.mutex);
  return strings.now->first;
}

std::vector<std::string> languages() {
  std::vector<std::string> names{"en"};
  const Strings& strings = state();
  const std::shared_lock lock(strings.mutex);
  for (const auto& [name, texts] : strings.languages) {
    if (name != "en") names.push_back(name);
  }
  return names;
}

std::string language_name(std::string_view language) {
  Strings& strings = state();
  const std::unique_lock lock(strings.mutex);
  const auto found = strings.languages.find(language);
  const std::string* own =
      found == strings.languages.end() ? nullptr : find(read(strings, found->second), "language.name");
  return own ? *own : std::string(language);
}

Status add_strings(std::string_view language, std::string_view file, std::string_view json) {
  Strings& strings = state();
  const std::unique_lock lock(strings.mutex);
  return merge(read(strings, strings.languages[std::string(language)]), file, json);
}

std::vector<std::string> missing_keys() {
  const Strings& strings = state();
  const std::shared_lock lock(strings.mutex);
  return strings.missing;
}

std::vector<std::string> string_faults() {
  Strings& strings = state();
  std::vector<Error> found;
  {
    const std::unique_lock lock(strings.mutex);
    for (auto& [name, language] : strings.languages) read(strings, language);
    found = strings.faults;
  }
  std::vector<std::string> faults;
  for (const Error& fault : found) faults.push_back(fault.text());
  return faults;
}

std::string all_texts() {
  std::string texts;
  Strings& strings = state();
  const std::unique_lock lock(strings.mutex);
  for (const auto& [key, text] : read(strings, strings.now->second)) texts += text;
  return texts;
}

}  // namespace attnscope
