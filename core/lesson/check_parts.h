// Parts of check.cpp: parsing what was typed, and iterating over the cells and heads that may be
// chosen. For check*.cpp and the audit: others include check.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/lesson/check.h"

namespace attnscope {

/// "0.5", "−1", "1/3", "50 %", "16,640". Errors: no number.
Result<double> typed_number(const std::string& text, const ExpressionScope& scope);
/// How far the number that was meant may be from what was typed, by rounding to the digits that stand there:
/// 0.005 of "0.12". 0: of sums, and of fewer than two digits, which leave too much open.
double typed_rounding(const std::string& text);
/// What was typed, to be said back: a number as it stands there ("0.3", "50 %"), a sum by its value.
std::string typed_words(const std::string& typed, double value);
/// "(2, 4, 3)", "2 4 3", "2x4x3". Errors: something else.
Result<std::vector<std::int64_t>> typed_shape(const std::string& text);
/// The shape of a step with the batch in front. Errors: the run has no such step.
Result<std::vector<std::int64_t>> shape_with_batch(const Site& site, const ExpressionScope& scope);

/// The cells of a step that may be chosen: some coordinates are given, the others are open.
struct CellChoice {
  struct Best {
    std::vector<std::int64_t> index;
    double score = 0;
  };
  Site site;
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes, fixed;  ///< fixed: -1 where the axis is open

  /// Where a cell that a learner clicked lies among them: of this step, or of one of the same attention.
  /// Empty: it is none of them.
  std::optional<std::vector<std::int64_t>> index_of(const Cell& cell) const;
  double value(const std::vector<std::int64_t>& index, const ExpressionScope& scope) const;
  Result<double> score(const Expression& pick, const std::vector<std::int64_t>& index,
                       const ExpressionScope& scope) const;
  Result<Best> best(const Expression& pick, const ExpressionScope& scope) const;
  Cell cell(const std::vector<std::int64_t>& index, const ExpressionScope& scope) const;
  /// "tired → cat": the open coordinates by their tokens.
  Text name(const std::vector<std::int64_t>& index, const ExpressionScope& scope) const;
};
/// "<act_10> → r1 c1": any cell by the tokens of its rows, or its address where it has none.
Text cell_words(const Cell& cell, const ExpressionScope& scope);
Result<CellChoice> cells_to_choose(const CellAsk& ask, const ExpressionScope& scope);

struct CheckedHead {
  HeadPlace place;
  double score = 0;
};
Result<CheckedHead> head_score(const HeadAsk& ask, const HeadPlace& place, const ExpressionScope& scope);
Result<CheckedHead> best_head(const HeadAsk& ask, const ExpressionScope& scope);
// check_drawn.cpp: rows that are drawn, and steps that are put into an order.
Result<Verdict> check_bars(const Lesson& lesson, const Page& page, const BarsAsk& ask, const Answer& answer,
                           const ExpressionScope& scope);
Result<Verdict> check_order(const OrderAsk& ask, const Answer& answer, const ExpressionScope& scope);
/// The steps as the run takes them. Errors: it lacks one.
Result<std::vector<Site>> steps_in_order(const OrderAsk& ask, const ExpressionScope& scope);
/// "cat 97%, sat 1%": the longest ones.
Text bars_words(const Page& page, const DrawnBars& bars, const ExpressionScope& scope);
/// The titles of steps, one after another.
Text order_words(const OrderAsk& ask, const std::vector<Site>& steps);
/// A number of a sentence about the run: as the pictures have it.
Text live_number(double value, bool percent);
/// "1.3"
Text head_text(const HeadPlace& place);

}  // namespace attnscope
