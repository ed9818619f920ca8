#include "core/base/keyed_text.h"

#include "core/base/words.h"

namespace attnscope {

Text::Text() = default;
Text::Text(const Text&) = default;
Text::Text(Text&&) noexcept = default;
Text& Text::operator=(const Text&) = default;
Text& Text::operator=(Text&&) noexcept = default;
Text::~Text() = default;

Text::Text(std::string words) : words_(std::move(words)) {}
Text::Text(std::string_view words) : words_(words) {}
Text::Text(const char* words) : words_(words) {}

Text TextArgument::text() const {
  if (text_) return *text_;
  if (kind_ == Kind::words) return words_;
  return kind_ == Kind::whole ? std::to_string(number_) : std::to_string(static_cast<std::uint64_t>(number_));
}

std::vector<Text> texts_of(TextArguments arguments) {
  std::vector<Text> out;
  out.reserve(arguments.size());
  for (const TextArgument& argument : arguments) out.push_back(argument.text());
  return out;
}

Text Text::of(std::string_view key, TextArguments arguments) { return of(key, texts_of(arguments)); }

Text Text::of(std::string_view key, std::vector<Text> arguments) {
  Text text;
  text.key_ = key;
  text.arguments_ = std::move(arguments);
  return text;
}

std::string Text::str() const {
  if (key_.empty()) return words_;
  std::vector<std::string> words;
  words.reserve(arguments_.size());
  for (const Text& argument : arguments_) words.push_back(argument.str());
  return filled(tr(key_), std::vector<std::string_view>(words.begin(), words.end()));
}

bool Text::has_words() const { return key_.empty() ? !words_.empty() : has_string(key_); }

std::vector<std::string> in_words(const std::vector<Text>& texts) {
  std::vector<std::string> out;
  out.reserve(texts.size());
  for (const Text& text : texts) out.push_back(text.str());
  return out;
}

}  // namespace attnscope
