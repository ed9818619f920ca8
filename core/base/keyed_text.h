// A sentence that is not in any language yet: its key and its arguments. It is put into words when it is
// read.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

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
  static Text of(std::string_view key, std::vector<Text> arguments = {});

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

/// Each in the language of this moment.
std::vector<std::string> in_words(const std::vector<Text>& texts);

}  // namespace attnscope
