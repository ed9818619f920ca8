// What a tokenizer file searches for: a literal string or a regular expression. Files are written for
// Oniguruma (Ruby syntax); the expression is put into ICU's dialect first. ICU stays inside the .cpp.
// Differences that are translated: ^ and $ are per line, a line ends at \n only, (?m) is "dot matches all",
// \h is a hex digit, \w is another set, [:punct:] has the symbols too, x{n,m}+ repeats (it is possessive in
// ICU). Left as it is: the Unicode version.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace attnscope {

struct Match {
  std::size_t begin = 0;  // bytes
  std::size_t end = 0;
  bool matched = true;  // false: the stretch between two matches
};

class Pattern {
 public:
  static Pattern literal(std::string text);
  /// Errors: the expression does not compile; the sentence has the character's place.
  static Result<Pattern> regex(std::string_view expression);

  /// Cuts well-formed UTF-8 into matches and the stretches between them, and visits them in order; together
  /// they cover all of it. Errors: the expression needs too much time or stack on this text; the visitor's
  /// own, which end the iteration.
  using Visit = std::function<Status(const Match&)>;
  Status each(std::string_view text, const Visit& visit) const;
  /// The same as a list.
  Result<std::vector<Match>> cut(std::string_view text) const;

 private:
  struct Compiled;
  class Lent;
  Status each_match(std::string_view text, const Visit& visit) const;
  Status each_literal(std::string_view text, const Visit& visit) const;
  std::string literal_;
  std::shared_ptr<const Compiled> compiled_;  // null: a literal
};

/// The words of GPT-2: contractions, letters, numbers, other signs (each with the space before it), white
/// space.
const Pattern& gpt2_words();

/// An Oniguruma (Ruby) expression in ICU's dialect; see the head of this file.
std::string icu_expression(std::string_view oniguruma);

}  // namespace attnscope
