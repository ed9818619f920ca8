// Checks an answer: against the learner's own run, with a sentence about what was answered
// instead. Right answers are computed, never read from a file.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/lesson/lesson.h"

namespace attnscope {

/// A head that a learner selected.
struct HeadPlace {
  int layer = 0, head = 0;
  bool operator==(const HeadPlace&) const = default;
};
/// Bars that a learner drew; they sum to 1.
struct DrawnBars {
  std::vector<double> shares;
  bool operator==(const DrawnBars&) const = default;
};
/// Sets one share, 0 .. 1; the others give way in proportion, so that all of them sum to 1.
void set_share(std::vector<double>& shares, std::size_t which, double share);
/// monostate: the document as the learner left it (masks and changes). A text: a number or a shape as it was
/// typed, the id of a choice, or steps in an order (order_answer()).
using Answer = std::variant<std::monostate, std::string, Cell, HeadPlace, DrawnBars>;

struct Verdict {
  bool right = false;
  Text words;         ///< what is right about it, or what was answered instead
  double score = 0;   ///< 0..1: how near a guess came
  bool slip = false;  ///< of a change, of what is drawn: a mistake that has a name
};

/// Checks an answer to a page. `scope` is of the run that the learner sees. Errors: the page needs
/// something that this run does not have, or nothing was answered yet.
Result<Verdict> check_answer(const Lesson& lesson, const Page& page, const Answer& answer,
                             const ExpressionScope& scope);
/// The right answer for this run: for "show me" where nothing is changed. monostate for masks
/// and changes. Errors: as above.
Result<Answer> right_answer(const Page& page, const ExpressionScope& scope);
/// The answer in a word or two, for a field, a CSV file or a sentence.
Text answer_text(const Lesson& lesson, const Page& page, const Answer& answer, const ExpressionScope& scope);
/// The state of a change in a sentence of the page: its watched number, and what it is to become; empty where
/// none is watched. Errors: as above.
Result<Text> live_text(const Lesson& lesson, const Page& page, const ExpressionScope& scope);
/// The mask that is the right answer of a page, for this run. Errors: its text does not fit.
Result<Mask> wanted_mask(const MaskAsk& ask, const ExpressionScope& scope);
/// A number for display: as many digits as it needs, U+2212 as minus sign.
std::string lesson_number(double value);
/// The bars of a page: their names, and how long they are in this run; of a curve, its values as shares of
/// the top. Errors: as above.
struct SharesRow {
  std::vector<Text> names;
  std::vector<double> shares;
};
Result<SharesRow> bar_row(const BarsAsk& ask, const ExpressionScope& scope);
/// KL divergence of the truth from what was drawn, in nats; a bar of length 0 counts as a very short one.
double bars_error(const std::vector<double>& truth, const std::vector<double>& drawn);
/// The state of a goal of something that is built. Errors: as above.
struct GoalNow {
  Text words;
  bool reached = false;
};
Result<std::vector<GoalNow>> goals_now(const Lesson& lesson, const Page& page, const ExpressionScope& scope);
/// What a look of a probe tells: the number with the fault, and the page's own. `scope` is of the run with
/// the fault. Errors: as above.
struct LookTold {
  Text faulty, whole;
};
Result<LookTold> look_told(const ChoiceAsk::Look& look, const ExpressionScope& scope);
/// Steps in an order as an answer, and back; what is no step is left out.
std::string order_answer(const std::vector<Site>& steps);
std::vector<Site> order_of(const std::string& answer);
/// What is said after the answer; empty where the page has nothing to say, or it is not true of this run: on
/// pages where something is changed, until it is.
/// Errors: what it reads is not in the run.
Result<Text> because_text(const Lesson& lesson, const Page& page, const ExpressionScope& scope);
/// The text of a hidden or pointed cell with its expressions computed.
Result<Target> lesson_place(const std::string& text, const ExpressionScope& scope);

}  // namespace attnscope
