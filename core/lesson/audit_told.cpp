// What a page tells before it asks, and whether its answers are right.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/auditor.h"
#include "core/lesson/check.h"
#include "core/lesson/leaks.h"

namespace attnscope {

std::string page_text(const Auditor& auditor, std::string_view what) {
  const Text text = Text::of(page_key(auditor.lesson, auditor.page, what));
  return text.has_words() ? text.str() : std::string();
}

namespace {

constexpr std::size_t kLeastTold =
    10;  // bytes of an answer that tells itself; "the same" is said of anything
constexpr std::size_t kLeastDigits = 3;  // behind the point: fewer are often those of another number

// The words of a choice as other sentences have them.
std::string choice_words(const Auditor& auditor, const ChoiceAsk::Choice& choice) {
  return lower(answer_text(auditor.lesson, auditor.page, Answer(choice.id), auditor.scope()).str());
}

}  // namespace

Status check_told(const Auditor& auditor, const std::string& told) {
  const auto right = right_answer(auditor.page, auditor.scope());
  if (!right) return auditor.at("ask", right.error());
  const auto* answer = std::get_if<std::string>(&*right);
  if (const auto* number = std::get_if<NumberAsk>(&auditor.page.ask)) {
    const auto value = number->answer.number(auditor.scope());
    const std::string said = value ? leaked_number(told, {std::fabs(*value)}) : std::string();
    const bool chance = said.size() < said.find('.') + 1 + kLeastDigits;
    return said.empty() || chance ? Status(Done{}) : auditor.at("ask", "error.lesson.told", {said});
  }
  const auto* choices = std::get_if<ChoiceAsk>(&auditor.page.ask);
  if (!choices || choices->is_probe() || !answer) return Done{};
  const std::string said = lower(told + "\n" + page_text(auditor, "text"));
  const auto stands = [&](const ChoiceAsk::Choice& one) {
    const std::string words = choice_words(auditor, one);
    return words.size() >= kLeastTold && words.find(' ') != std::string::npos &&
           said.find(words) != std::string::npos;
  };
  const auto told_alone = [&](const ChoiceAsk::Choice& one) { return stands(one) == (one.id == *answer); };
  if (!std::all_of(choices->choices.begin(), choices->choices.end(), told_alone)) return Done{};
  return auditor.at("ask.choices", "error.lesson.told",
                    {answer_text(auditor.lesson, auditor.page, *right, auditor.scope())});
}

namespace {

// An answer that is written into the file instead of computed: it is the one number that the page covers,
// where it covers one.
Status check_written(const Auditor& auditor) {
  const auto* ask = std::get_if<NumberAsk>(&auditor.page.ask);
  if (!ask || !ask->answer.is_sum()) return Done{};
  std::vector<double> covered;
  std::string place;
  for (const std::string& hidden : auditor.page.hides) {
    if (is_item(hidden)) continue;
    TRY(const std::string filled, filled_in(hidden, auditor.scope()));
    TRY(const ExpressionValue numbers, numbers_at(filled, auditor.scope()));
    covered.insert(covered.end(), numbers.numbers.begin(), numbers.numbers.end());
    place = filled;
  }
  TRY(const double said, ask->answer.number(auditor.scope()));
  if (covered.size() != 1 || std::fabs(said - covered.front()) <= ask->tolerance) return Done{};
  return auditor.at("ask.answer", "error.lesson.other_number",
                    {lesson_number(said), in_quotes(place), lesson_number(covered.front())});
}

}  // namespace

Status check_typed(const Auditor& auditor) {
  const Result<Answer> right = right_answer(auditor.page, auditor.scope());
  if (!right) return auditor.at("ask", right.error());
  TRY_OK(check_written(auditor));
  const auto verdict = check_answer(auditor.lesson, auditor.page, *right, auditor.scope());
  if (!verdict) return auditor.at("ask", verdict.error());
  if (!verdict->right)
    return auditor.at("ask", "error.lesson.not_right",
                      {answer_text(auditor.lesson, auditor.page, *right, auditor.scope())});
  return Done{};
}

}  // namespace attnscope
