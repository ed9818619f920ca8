#include "core/lesson/check.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/lesson/check_parts.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

Error nothing_answered(const char* key) { return fail(Code::not_found, key); }

Result<std::string> typed(const Answer& answer) {
  const auto* text = std::get_if<std::string>(&answer);
  if (!text || text->empty()) return nothing_answered("error.lesson.answer.none");
  return *text;
}

Verdict right(const char* key, std::vector<Text> arguments) {
  return {true, Text::of(key, std::move(arguments)), 1};
}
Verdict wrong(const std::string& key, std::vector<Text> arguments, double score = 0) {
  return {false, Text::of(key, std::move(arguments)), score};
}

// ---- numbers and shapes ---------------------------------------------------------------------------

// What rounding to the typed digits allows, where the page has no tolerance of its own.
double tolerance_of(const NumberAsk& ask, double answer) {
  return std::max(ask.tolerance, 1e-6 * std::fabs(answer));
}

// What is left of a difference that is none: rounding is no answer for people.
std::string number_words(const NumberAsk& ask, double answer) {
  return lesson_number(std::fabs(answer) < 0.01 * ask.tolerance ? 0 : answer);
}

// The right number, also as a picture prints it: rounded to the digits that were typed, where no mistake that
// has a name is nearer.
Result<bool> is_meant(const NumberAsk& ask, const std::string& text, double wanted,
                      const ExpressionScope& scope) {
  TRY(const double given, typed_number(text, scope));
  const double off = std::fabs(given - wanted);
  if (off <= tolerance_of(ask, wanted)) return true;
  for (const Slip& slip : ask.slips) {
    TRY(const double value, slip.value.number(scope));
    if (std::fabs(given - value) <= off) return false;
  }
  constexpr double kExact = 1e-6;  // of float32: 0.125 is 0.12 or 0.13
  return ask.tolerance > 0 && off <= typed_rounding(text) + kExact * std::fabs(wanted);
}

Result<Verdict> check_number(const Lesson& lesson, const Page& page, const NumberAsk& ask,
                             const Answer& answer, const ExpressionScope& scope) {
  TRY(const std::string text, typed(answer));
  TRY(const double given, typed_number(text, scope));
  TRY(const double wanted, ask.answer.number(scope));
  TRY(const bool meant, is_meant(ask, text, wanted, scope));
  if (meant) return right("verdict.right.number", {number_words(ask, wanted)});
  const std::string said = typed_words(text, given);
  const double scale = std::max(std::fabs(wanted), ask.tolerance);
  const double score = scale > 0 ? std::max(0.0, 1 - std::fabs(given - wanted) / scale) : 0;
  for (const Slip& slip : ask.slips) {
    TRY(const double value, slip.value.number(scope));
    if (std::fabs(given - value) <= tolerance_of(ask, value))
      return wrong(page_key(lesson, page, "slip." + slip.id), {said}, score);
  }
  return wrong(given < wanted ? "verdict.wrong.larger" : "verdict.wrong.smaller", {said}, score);
}

Result<Verdict> check_shape(const Lesson& lesson, const Page& page, const ShapeAsk& ask, const Answer& answer,
                            const ExpressionScope& scope) {
  TRY(const std::string text, typed(answer));
  TRY(const auto given, typed_shape(text));
  TRY(const auto wanted, shape_with_batch(ask.site, scope));
  const std::vector<std::int64_t> bare(wanted.begin() + 1, wanted.end());
  // One sequence may be left out; of several the batch is an axis like the others.
  if (given == wanted || (given == bare && wanted.front() == 1))
    return right("verdict.right.shape", {shape_text(given)});
  if (given == bare) return wrong("verdict.wrong.shape.batch", {shape_text(given), wanted.front()}, 0.5);
  for (const Slip& slip : ask.slips) {
    TRY(const ExpressionValue made, slip.value.value(scope));
    const auto same = [](std::int64_t a, double b) { return static_cast<double>(a) == b; };
    const auto& sizes = made.numbers;
    const bool batch = std::equal(given.begin(), given.end(), sizes.begin(), sizes.end(), same);
    const bool without =
        !sizes.empty() && std::equal(given.begin(), given.end(), sizes.begin() + 1, sizes.end(), same);
    if (batch || without) return wrong(page_key(lesson, page, "slip." + slip.id), {shape_text(given)}, 0.5);
  }
  const bool permuted = std::is_permutation(given.begin(), given.end(), wanted.begin(), wanted.end()) ||
                        std::is_permutation(given.begin(), given.end(), bare.begin(), bare.end());
  if (permuted) return wrong("verdict.wrong.shape.order", {shape_text(given)}, 0.5);
  const bool axes = given.size() != wanted.size() && given.size() != bare.size();
  return wrong(axes ? "verdict.wrong.shape.axes" : "verdict.wrong.shape",
               {shape_text(given), static_cast<std::int64_t>(given.size())});
}

// ---- choices --------------------------------------------------------------------------------------

const ChoiceAsk::Choice* choice_of(const ChoiceAsk& ask, const std::string& id) {
  const auto found = std::find_if(ask.choices.begin(), ask.choices.end(),
                                  [&](const ChoiceAsk::Choice& choice) { return choice.id == id; });
  return found == ask.choices.end() ? nullptr : &*found;
}

Result<Verdict> check_choice(const Lesson& lesson, const Page& page, const ChoiceAsk& ask,
                             const Answer& answer, const ExpressionScope& scope) {
  TRY(const std::string id, typed(answer));
  const ChoiceAsk::Choice* chosen = choice_of(ask, id);
  if (!chosen) return fail(Code::not_found, "error.lesson.answer.choice", {in_quotes(id)});
  TRY(const double when, chosen->when.number(scope));
  const Text words = answer_text(lesson, page, answer, scope);
  if (when != 0) return right("verdict.right.choice", {words});
  const Text why = Text::of(page_key(lesson, page, "why." + id));
  if (why.has_words()) return wrong(why.key(), {words});
  return wrong("verdict.wrong.choice", {words});
}

}  // namespace

// As the pictures have it: percent with one digit, else three digits behind the point.
Text live_number(double value, bool percent) {
  if (percent) return Text::of("lessons.bars.share", {format("%.1f", 100 * value)});
  if (value == std::round(value) || std::fabs(value) >= 1e6) return lesson_number(value);
  const std::string text = format("%.3f", value);
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

namespace {

// ---- cells and heads ------------------------------------------------------------------------------

// What pictures and tooltips show as one number is one: two digits behind the point, three of a larger one.
bool as_good(double mine, double best) {
  constexpr double kShown = 0.005;
  return best - mine <= kShown * std::max(1.0, std::fabs(best));
}

Result<Verdict> check_cell(const Lesson& lesson, const Page& page, const CellAsk& ask, const Answer& answer,
                           const ExpressionScope& scope) {
  const auto* given = std::get_if<Cell>(&answer);
  if (!given) return nothing_answered("error.lesson.answer.cell");
  TRY(const CellChoice choice, cells_to_choose(ask, scope));
  const auto index = choice.index_of(*given);
  if (!index) return wrong("verdict.wrong.cell.elsewhere", {cell_words(*given, scope)});
  TRY(const double mine, choice.score(ask.pick, *index, scope));
  TRY(const auto best, choice.best(ask.pick, scope));
  const Text name = choice.name(*index, scope), value = live_number(choice.value(*index, scope), false);
  if (as_good(mine, best.score)) return right("verdict.right.cell", {name, value});
  for (const Slip& slip : ask.slips) {
    TRY(const double made, choice.score(slip.value, *index, scope));
    if (made != 0) return wrong(page_key(lesson, page, "slip." + slip.id), {name, value});
  }
  return wrong("verdict.wrong.cell", {name, value});
}

Result<Verdict> check_head(const Lesson& lesson, const Page& page, const HeadAsk& ask, const Answer& answer,
                           const ExpressionScope& scope) {
  const auto* given = std::get_if<HeadPlace>(&answer);
  if (!given) return nothing_answered("error.lesson.answer.head");
  TRY(const CheckedHead mine, head_score(ask, *given, scope));
  TRY(const CheckedHead best, best_head(ask, scope));
  const std::vector<Text> words{head_text(*given), live_number(mine.score, false)};
  if (as_good(mine.score, best.score)) return right("verdict.right.head", words);
  const double score = best.score > 0 ? std::max(0.0, mine.score / best.score) : 0;
  for (const Slip& slip : ask.slips) {
    TRY(const CheckedHead made, head_score(HeadAsk{slip.value, {}}, *given, scope));
    if (made.score != 0) return wrong(page_key(lesson, page, "slip." + slip.id), words, score);
  }
  return wrong("verdict.wrong.head", words, score);
}

// ---- the document ---------------------------------------------------------------------------------

Result<Verdict> check_mask(const Lesson& lesson, const Page& page, const MaskAsk& ask,
                           const ExpressionScope& scope) {
  TRY(const Mask wants, wanted_mask(ask, scope));
  const Mask has = mask_of(scope.run.document, 0, scope.sequence);
  const std::int64_t length = scope.run.trace(scope.sequence).length;
  std::int64_t other = 0, query = -1, key = -1;
  for (std::int64_t q = 0; q < length; ++q)
    for (std::int64_t k = 0; k < length; ++k) {
      if (has.allowed(q, k) == wants.allowed(q, k)) continue;
      if (other++ == 0) query = q, key = k;
    }
  if (other == 0) return right("verdict.right.mask", {length * length});
  if (&scope.run == scope.before) return wrong("verdict.wrong.unchanged", {});
  for (const Slip& slip : ask.slips) {
    TRY(const double made, slip.value.number(scope));
    if (made != 0) return wrong(page_key(lesson, page, "slip." + slip.id), {});
  }
  const double share =
      static_cast<double>(other) / static_cast<double>(std::max<std::int64_t>(1, length * length));
  const std::vector<Text> words{other, scope.run.label(scope.sequence, query),
                                scope.run.label(scope.sequence, key)};
  return wrong(wants.allowed(query, key) ? "verdict.wrong.mask.hidden" : "verdict.wrong.mask.open", words,
               1 - share);
}

// The number itself stands in the page's live sentence.
Result<Verdict> check_change(const Lesson& lesson, const Page& page, const ChangeAsk& ask,
                             const ExpressionScope& scope) {
  TRY(const double goal, ask.goal.number(scope));
  if (goal != 0) return right("verdict.right.change", {});
  if (&scope.run == scope.before) return wrong("verdict.wrong.unchanged", {});
  if (ask.is_build()) {
    TRY(const std::vector<GoalNow> goals, goals_now(lesson, page, scope));
    const auto reached =
        std::count_if(goals.begin(), goals.end(), [](const GoalNow& one) { return one.reached; });
    return wrong("verdict.wrong.build",
                 {static_cast<std::int64_t>(reached), static_cast<std::int64_t>(goals.size())},
                 static_cast<double>(reached) / static_cast<double>(goals.size()));
  }
  for (const Slip& slip : ask.slips) {
    TRY(const double made, slip.value.number(scope));
    if (made == 0) continue;
    Verdict out = wrong(page_key(lesson, page, "slip." + slip.id), {});
    out.slip = true;
    return out;
  }
  return wrong("verdict.wrong.change", {});
}

// A limit has no more digits than it needs.
Text limit_number(double value, bool percent) {
  std::string text = format("%.3g", percent ? 100 * value : value);
  if (const double size = std::fabs(value); !percent && text.find('e') != std::string::npos)
    return lesson_number(size >= 1 && size < 1e6 ? std::round(value) : value);
  if (percent) return Text::of("lessons.bars.share", {text});
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

}  // namespace

Result<Verdict> check_answer(const Lesson& lesson, const Page& page, const Answer& answer,
                             const ExpressionScope& scope) {
  if (const auto* number = std::get_if<NumberAsk>(&page.ask))
    return check_number(lesson, page, *number, answer, scope);
  if (const auto* shape = std::get_if<ShapeAsk>(&page.ask))
    return check_shape(lesson, page, *shape, answer, scope);
  if (const auto* choice = std::get_if<ChoiceAsk>(&page.ask))
    return check_choice(lesson, page, *choice, answer, scope);
  if (const auto* cell = std::get_if<CellAsk>(&page.ask))
    return check_cell(lesson, page, *cell, answer, scope);
  if (const auto* head = std::get_if<HeadAsk>(&page.ask))
    return check_head(lesson, page, *head, answer, scope);
  if (const auto* mask = std::get_if<MaskAsk>(&page.ask)) return check_mask(lesson, page, *mask, scope);
  if (const auto* change = std::get_if<ChangeAsk>(&page.ask))
    return check_change(lesson, page, *change, scope);
  if (const auto* bars = std::get_if<BarsAsk>(&page.ask))
    return check_bars(lesson, page, *bars, answer, scope);
  if (const auto* order = std::get_if<OrderAsk>(&page.ask)) return check_order(*order, answer, scope);
  return right("verdict.right.read", {});
}

Result<Answer> right_answer(const Page& page, const ExpressionScope& scope) {
  if (const auto* number = std::get_if<NumberAsk>(&page.ask)) {
    TRY(const double wanted, number->answer.number(scope));
    return Answer(number_words(*number, wanted));
  }
  if (const auto* shape = std::get_if<ShapeAsk>(&page.ask)) {
    TRY(const auto wanted, shape_with_batch(shape->site, scope));
    return Answer(shape_text(wanted));
  }
  if (const auto* choice = std::get_if<ChoiceAsk>(&page.ask)) {
    for (const ChoiceAsk::Choice& one : choice->choices) {
      TRY(const double when, one.when.number(scope));
      if (when != 0) return Answer(one.id);
    }
    return fail(Code::not_found, "error.lesson.answer.no_right_choice");
  }
  if (const auto* cell = std::get_if<CellAsk>(&page.ask)) {
    TRY(const CellChoice choice, cells_to_choose(*cell, scope));
    TRY(const auto best, choice.best(cell->pick, scope));
    return Answer(choice.cell(best.index, scope));
  }
  if (const auto* head = std::get_if<HeadAsk>(&page.ask)) {
    TRY(const CheckedHead best, best_head(*head, scope));
    return Answer(best.place);
  }
  if (const auto* bars = std::get_if<BarsAsk>(&page.ask)) {
    TRY(const SharesRow row, bar_row(*bars, scope));
    return Answer(DrawnBars{row.shares});
  }
  if (const auto* order = std::get_if<OrderAsk>(&page.ask)) {
    TRY(const std::vector<Site> steps, steps_in_order(*order, scope));
    return Answer(order_answer(steps));
  }
  return Answer();
}

Text answer_text(const Lesson& lesson, const Page& page, const Answer& answer, const ExpressionScope& scope) {
  if (const auto* head = std::get_if<HeadPlace>(&answer)) return head_text(*head);
  if (const auto* cell = std::get_if<Cell>(&answer)) {
    const auto* ask = std::get_if<CellAsk>(&page.ask);
    if (const auto choice = ask ? cells_to_choose(*ask, scope) : Result<CellChoice>(Error{}))
      if (const auto index = choice->index_of(*cell)) return choice->name(*index, scope);
    return cell_words(*cell, scope);
  }
  if (const auto* bars = std::get_if<DrawnBars>(&answer)) return bars_words(page, *bars, scope);
  const auto* text = std::get_if<std::string>(&answer);
  if (!text) return {};
  if (const auto* order = std::get_if<OrderAsk>(&page.ask)) return order_words(*order, order_of(*text));
  const auto* ask = std::get_if<ChoiceAsk>(&page.ask);
  const ChoiceAsk::Choice* choice = ask ? choice_of(*ask, *text) : nullptr;
  if (!choice) return printable(*text, 80);
  return choice->words.empty() ? Text::of(page_key(lesson, page, "choice." + choice->id))
                               : Text(choice->words);
}

Result<Mask> wanted_mask(const MaskAsk& ask, const ExpressionScope& scope) {
  Document wanted = scope.run.document;
  TRY_OK(choose_mask(wanted, ask.text, AttentionKind::main));
  return mask_of(wanted, 0, scope.sequence);
}

Result<Text> live_text(const Lesson& lesson, const Page& page, const ExpressionScope& scope) {
  const auto* change = std::get_if<ChangeAsk>(&page.ask);
  if (!change || !change->live) return Text();
  TRY(const double now, change->live->number(scope));
  std::vector<Text> arguments{live_number(now, change->percent)};
  if (const auto& limit = change->above ? change->above : change->below) {
    TRY(const double wanted, limit->number(scope));
    arguments.push_back(limit_number(wanted, change->percent));
  }
  Text out = Text::of(page_key(lesson, page, "live"), std::move(arguments));
  return out.has_words() ? out : Text();
}

}  // namespace attnscope
