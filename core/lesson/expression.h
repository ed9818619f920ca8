// The language of a lesson's answers: expressions over a run. Numbers, + - * / ^, comparisons,
// `and`, `or`, `not`; cells of steps, weights and inputs ("blocks.0.attn.pattern[head=1,query=2]",
// coordinates may be {expressions}, seq=1 another sequence of the batch); functions (sum, softmax, argmax,
// rank, entropy, dim, config, role, measure, params, before, without, ...: expression_functions.cpp). Errors:
// in parsing, unknown words; in evaluation, what the run does not hold.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/session.h"

namespace attnscope {

/// A number, or many with their shape; a text where one was written.
struct ExpressionValue {
  std::vector<double> numbers;
  std::vector<std::int64_t> shape;  ///< empty: one number
  std::string text;
  bool is_text = false;

  static ExpressionValue of(double number) { return {{number}, {}, {}, false}; }
  bool scalar() const { return !is_text && shape.empty() && numbers.size() == 1; }
  double number() const { return numbers.empty() ? 0 : numbers.front(); }
};

/// The runs that an expression can read.
struct ExpressionScope {
  const RunResult& run;
  const RunResult* before = nullptr;  ///< the page as it was opened; null: the same
  int sequence = 0;
  std::map<std::string, double> variables;
  bool waits =
      true;  ///< trained() trains; false: it takes what is known, for a window that must not stand still
};

/// True for the error of trained() while nothing is known yet: the same may be asked again.
bool still_training(const Error& error);

class Expression {
 public:
  struct Node;
  /// Parses a text. Errors have the place in it: a sign that fits nowhere, an unknown function, too few
  /// arguments.
  static Result<Expression> parse(std::string_view text);
  /// Errors: a step, a cell, a word or a measure that the run does not have; text where a number is wanted.
  Result<ExpressionValue> value(const ExpressionScope& scope) const;
  /// One number. Errors: also where there are several.
  Result<double> number(const ExpressionScope& scope) const;
  const std::string& text() const { return text_; }
  /// True where it is a sum of numbers that were written: it reads nothing of a run.
  bool is_sum() const;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

/// A text with {expressions} in it, as coordinates of cells have: each becomes a whole number.
Result<std::string> filled_in(std::string_view text, const ExpressionScope& scope);
/// The numbers of a cell, a row, a step, a weight or an input, by its text without braces.
Result<ExpressionValue> numbers_at(const std::string& text, const ExpressionScope& scope);

}  // namespace attnscope
