// Whether a page says what it hides: the numbers of its covered cells, and what it asks for, looked for in
// texts.
#pragma once

#include "core/lesson/check.h"

namespace attnscope {

/// The numbers that a learner is not to read off the page: of its covered cells, and of a row to draw.
/// Whole numbers are left out, since they stand everywhere. Errors: a place that the run does not have.
Result<std::vector<double>> hidden_numbers(const Page& page, const ExpressionScope& scope);
/// The first number in a text that is one of them, rounded as it stands there: "0.97", "97 %"; empty: none.
std::string leaked_number(const std::string& text, const std::vector<double>& hidden);

}  // namespace attnscope
