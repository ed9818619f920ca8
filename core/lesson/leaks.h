// What a page keeps to itself until it was answered: the cells it hides and the row that is to be drawn, with
// every step that shows the same numbers; and whether a text says one of them.
#pragma once

#include <string>
#include <vector>

#include "core/lesson/check.h"
#include "core/trace/edit.h"

namespace attnscope {

/// The cells, by provenance: those of the page's `hide` and of the row that is drawn; their copies under
/// other names (a reshape, a transpose, the heads side by side); scores that are divided, biased or masked
/// later; and, where the largest is asked for or bet on, all the scores that one could read it from. Windows,
/// sheets of paper and the audit ask here, whatever they are about to show. Errors: the run lacks a cell.
Result<std::vector<Target>> hidden_targets(const Page& page, const ExpressionScope& scope);
/// True where one of them has a cell of that row of a head.
bool hides_row(const std::vector<Target>& hidden, const Site& site, std::int64_t head, std::int64_t query);
/// True where one of them has a cell of this target.
bool hides_any(const std::vector<Target>& hidden, const Target& target);

/// The values that a page keeps to itself. Whole numbers and those near 0 are left out: every figure has
/// them.
Result<std::vector<double>> hidden_numbers(const Page& page, const ExpressionScope& scope);
/// The first number of a text that is one of them as far as it is written ("94.7 %", "0.947"); empty: none.
/// Numbers of less than two digits behind the point count only as percent.
std::string leaked_number(const std::string& text, const std::vector<double>& hidden);
/// True where every number of the hidden row is in this one, at its place; rows of whole numbers say nothing.
bool says_row(const std::vector<float>& row, const std::vector<float>& hidden);
/// A row of a hidden step that is in sight and has the numbers of a hidden one; empty: none.
std::string twin_in_sight(const Page& page, const ExpressionScope& scope);
/// The same for the row at the page's cursor and the rows above it, which the large row below the matrices of
/// a step shows; empty: none.
std::string row_in_sight(const Page& page, const ExpressionScope& scope);
/// Where an answer is to be predicted: the place on the page's own stage that it is read from and that is not
/// hidden, or the item of its view that shows it (the words of the lens); empty: none.
std::string answer_on_stage(const Page& page, const ExpressionScope& scope);

}  // namespace attnscope
