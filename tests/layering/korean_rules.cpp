// Texts are UTF-8 and std::regex reads bytes: no Korean letter stands in a [class], only in whole words.
#include "tests/layering/korean_rules.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

namespace attnscope::layering {
namespace {

using Faults = std::vector<std::string>;

constexpr std::string_view kInsideWords = "…";

bool hangul_at(const std::string& text, std::size_t at) {
  if (at + 3 > text.size()) return false;
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[at + i]));
  };
  const unsigned code = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  return (byte(0) & 0xF0U) == 0xE0U && code >= 0xAC00U && code <= 0xD7A3U;
}

bool is_word_sign(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool word_goes_on_before(const std::string& text, std::size_t at) {
  if (at == 0) return false;
  return is_word_sign(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '-' ||
         (at >= 3 && hangul_at(text, at - 3));
}

// "logit" is not in logit_diff:A,B and not in logit:A; Korean particles may follow a Korean word.
bool word_goes_on_behind(const std::string& text, std::size_t end) {
  return is_word_sign(text[end - 1]) && end < text.size() &&
         (is_word_sign(text[end]) || text[end] == ':' || text[end] == '-');
}

bool has_spelling(const std::string& text, const std::string& spelling) {
  const bool inside = spelling.starts_with(kInsideWords);
  const std::string word = inside ? spelling.substr(kInsideWords.size()) : spelling;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (inside || (!word_goes_on_before(text, at) && !word_goes_on_behind(text, at + word.size())))
      return true;
  return false;
}

void add_spelling_faults(const Glossary& glossary, const std::string& text, Faults& faults) {
  for (const auto& [instead, spelling] : glossary.forbidden)
    if (has_spelling(text, spelling)) faults.push_back("\"" + spelling + "\" is spelled " + instead);
}

// {0:을/를} is right and {0}를 is not; behind a quote it is “{0}”{0:~을/를}.
void add_particle_faults(const std::string& text, Faults& faults) {
  static const std::regex fixed(
      R"re(\{[0-9]+\}(?:”|’|"|')*(이라는|라는|이라고|라고|으로|로|은|는|이|가|을|를|과|와))re");
  for (std::sregex_iterator found(text.begin(), text.end(), fixed), none; found != none; ++found) {
    const auto end = static_cast<std::size_t>(found->position() + found->length());
    if (!hangul_at(text, end)) faults.push_back("the particle of " + found->str() + " is fixed");
  }
  static const std::regex quoted(R"re(\{[0-9]+:[^~{}]+\}(?:”|’|"))re");
  for (std::sregex_iterator found(text.begin(), text.end(), quoted), none; found != none; ++found)
    faults.push_back("the particle of " + found->str() + " stands inside the quotes");
}

void add_pair_faults(const std::string& text, Faults& faults) {
  static const std::set<std::string> pairs{"이/가",       "은/는",       "을/를",
                                           "과/와",       "으로/로",     "이라는/라는",
                                           "이라고/라고", "이어야/여야", "이어서/여서"};
  static const std::regex argument(R"(\{[0-9]+:~?([^{}]*)\})");
  for (std::sregex_iterator found(text.begin(), text.end(), argument), none; found != none; ++found)
    if (!pairs.contains((*found)[1])) faults.push_back(found->str() + " is no pair of particles");
}

void add_blank_faults(const std::string& text, Faults& faults) {
  static const std::regex percent("[0-9}] %");
  if (std::regex_search(text, percent)) faults.emplace_back("a blank stands before %");
}

bool is_allowed(const Glossary& glossary, const std::string& file, const std::string& word) {
  if (glossary.latin.contains(word)) return true;
  return std::any_of(glossary.literals.begin(), glossary.literals.end(), [&](const auto& of_file) {
    const bool here = of_file.first.ends_with('_') ? file.starts_with(of_file.first) : file == of_file.first;
    return here && of_file.second.contains(word);
  });
}

}  // namespace

Glossary read_glossary(const std::string& json) {
  const nlohmann::json root = nlohmann::json::parse(json);
  Glossary glossary;
  for (const nlohmann::json& term : root.at("terms"))
    for (const nlohmann::json& spelling : term.at("forbidden"))
      glossary.forbidden.push_back({term.at("korean"), spelling});
  for (const char* list : {"names", "latin", "units", "keyboard"})
    for (const nlohmann::json& word : root.at(list)) glossary.latin.insert(word.get<std::string>());
  root.at("literals").get_to(glossary.literals);
  return glossary;
}

std::vector<std::string> latin_words(const std::string& text) {
  static const std::regex outside(R"re(\{[0-9]+(?::[^{}]*)?\}|"[^"]*"|“[\s\S]*?”)re");
  static const std::regex run("[!-~]+"), word("[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*");
  static const std::regex code(R"([_=*@#\[\]<>\\|/]|--|[A-Za-z0-9]\.[A-Za-z0-9]|\.[a-z]|:[A-Za-z0-9])");
  const std::string plain = std::regex_replace(text, outside, " ");
  std::vector<std::string> words;
  for (std::sregex_iterator signs(plain.begin(), plain.end(), run), none; signs != none; ++signs) {
    const std::string part = signs->str();
    if (std::regex_search(part, code)) continue;
    for (std::sregex_iterator found(part.begin(), part.end(), word); found != none; ++found)
      if (found->length() > 1) words.push_back(found->str());
  }
  return words;
}

std::vector<std::string> korean_faults(const Glossary& glossary, const std::string& file,
                                       const std::string& text) {
  Faults faults;
  add_spelling_faults(glossary, text, faults);
  add_particle_faults(text, faults);
  add_pair_faults(text, faults);
  add_blank_faults(text, faults);
  for (const std::string& word : latin_words(text))
    if (!is_allowed(glossary, file, word)) faults.push_back("the glossary has no \"" + word + "\"");
  return faults;
}

}  // namespace attnscope::layering
