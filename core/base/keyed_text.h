// A sentence that is not in any language yet: its key and its arguments. It is put into words when it is
// read.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace attnscope {

class TextArgument;
/// What stands for {0}, {1} ... of a sentence, written where the sentence is.
using TextArguments = std::initializer_list<TextArgument>;

/// A key of the tables with arguments, each again a Text; or words that are the same in every language: a
/// name, a number, what somebody typed.
class Text {
 public:
  // Compiled once, not where each of a thousand sentences is made.
  Text();
  Text(const Text&);
  Text(Text&&) noexcept;
  Text& operator=(const Text&);
  Text& operator=(Text&&) noexcept;
  ~Text();
  // Words as they are: what arguments are made of.
  Text(std::string words);       // NOLINT(google-explicit-constructor)
  Text(std::string_view words);  // NOLINT(google-explicit-constructor)
  Text(const char* words);       // NOLINT(google-explicit-constructor)
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Text(Number number)
      : words_(std::to_string(number)) {}  // NOLINT(google-explicit-constructor)

  /// The text of `key` with {0}, {1} ... replaced by the arguments.
  static Text of(std::string_view key, TextArguments arguments = {});
  static Text of(std::string_view key, std::vector<Text> arguments);

  /// In the language of this moment (core/base/words.h).
  std::string str() const;
  /// True where it has words in this language or in English.
  bool has_words() const;
  bool empty() const { return key_.empty() && words_.empty(); }
  /// Empty for words as they are.
  const std::string& key() const { return key_; }
  const std::vector<Text>& arguments() const { return arguments_; }

 private:
  std::string key_, words_;
  std::vector<Text> arguments_;
};

/// A Text, words or a whole number, looked at and not kept: a list of them costs the thousand places that
/// make sentences nothing to build and to destroy.
class TextArgument {
 public:
  TextArgument(const Text& text) : text_(&text) {}           // NOLINT(google-explicit-constructor)
  TextArgument(const std::string& words) : words_(words) {}  // NOLINT(google-explicit-constructor)
  TextArgument(std::string_view words) : words_(words) {}    // NOLINT(google-explicit-constructor)
  TextArgument(const char* words) : words_(words) {}         // NOLINT(google-explicit-constructor)
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) TextArgument(Number number)
      : number_(static_cast<std::int64_t>(number)),
        kind_(std::is_signed_v<Number> ? Kind::whole : Kind::natural) {
  }  // NOLINT(google-explicit-constructor)

  Text text() const;

 private:
  enum class Kind : unsigned char { words, whole, natural };
  const Text* text_ = nullptr;
  std::string_view words_;
  std::int64_t number_ = 0;  ///< of an unsigned one the same bits
  Kind kind_ = Kind::words;
};

std::vector<Text> texts_of(TextArguments arguments);

/// Each in the language of this moment.
std::vector<std::string> in_words(const std::vector<Text>& texts);

}  // namespace attnscope
