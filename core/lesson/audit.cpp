#include "core/lesson/audit.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/json_number.h"
#include "core/lesson/auditor.h"
#include "core/lesson/check.h"
#include "core/lesson/check_parts.h"
#include "core/lesson/leaks.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

constexpr int kMostSentences = 2;  // of what is said after an answer
Status check_words(const Auditor& auditor) {
  std::vector<std::string> wanted{page_key(auditor.lesson, auditor.page, "title"),
                                  page_key(auditor.lesson, auditor.page, "text")};
  if (auditor.page.ask.index() > 0)
    for (const char* what : {"ask", "hint1", "hint2", "because"})
      wanted.push_back(page_key(auditor.lesson, auditor.page, what));
  for (const Slip& slip : slips_of(auditor.page.ask))
    wanted.push_back(page_key(auditor.lesson, auditor.page, "slip." + slip.id));
  if (const auto* change = std::get_if<ChangeAsk>(&auditor.page.ask)) {
    if (change->live) wanted.push_back(page_key(auditor.lesson, auditor.page, "live"));
    for (const ChangeAsk::Goal& goal : change->goals)
      wanted.push_back(page_key(auditor.lesson, auditor.page, "goal." + goal.id));
    for (const ChangeAsk::Knob& knob : change->knobs)
      wanted.push_back(page_key(auditor.lesson, auditor.page, "number." + knob.id));
  }
  if (const auto* choice = std::get_if<ChoiceAsk>(&auditor.page.ask)) {
    for (const ChoiceAsk::Choice& one : choice->choices)
      if (one.words.empty()) wanted.push_back(page_key(auditor.lesson, auditor.page, "choice." + one.id));
    for (const ChoiceAsk::Look& look : choice->looks)
      wanted.push_back(page_key(auditor.lesson, auditor.page, "look." + look.id));
  }
  for (const std::string& key : wanted)
    if (!has_string(key)) return auditor.at("strings", "error.lesson.no_words", {in_quotes(key)});
  return Done{};
}

// Ends of sentences: a stop that is followed by a blank or by nothing.
int sentences_in(std::string_view text) {
  int out = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool stop = text[at] == '.' || text[at] == '?' || text[at] == '!';
    out += stop && (at + 1 == text.size() || text[at + 1] == ' ') ? 1 : 0;
  }
  return out;
}

// The number of a change that the page shows meanwhile is not said as it was before: "still 97 %".
Status check_of_now(const Auditor& auditor, const std::string& said) {
  const auto* change = std::get_if<ChangeAsk>(&auditor.page.ask);
  if (!change || !change->live) return Done{};
  const ExpressionScope opened{auditor.run.first(), nullptr, auditor.scope().sequence, {}};
  TRY(const double then, change->live->number(opened));
  TRY(const double now, change->live->number(auditor.scope()));
  const std::string stale = leaked_number(said, {std::fabs(then)});
  if (stale.empty() || !leaked_number(said, {std::fabs(now)}).empty()) return Done{};
  return auditor.at("because", "error.lesson.because_stale", {stale, lesson_number(now)});
}

// It is short, and true of the run that the page ends with. What was said.
Result<std::string> check_because(const Auditor& auditor) {
  if (sentences_in(page_text(auditor, "because")) > kMostSentences)
    return auditor.at("because", "error.lesson.because_long", {std::int64_t{kMostSentences}});
  for (const Expression& claim : auditor.page.because.holds) {
    const auto holds = claim.number(auditor.scope());
    if (!holds) return auditor.at("because.holds", holds.error());
    if (*holds == 0)
      return auditor.at("because.holds", "error.lesson.because_false", {in_quotes(claim.text())});
  }
  const auto said = because_text(auditor.lesson, auditor.page, auditor.scope());
  if (!said) return auditor.at("because.values", said.error());
  TRY_OK(check_of_now(auditor, said->str()));
  return said->str();
}

// Where a stage has results, it is said whether they stay away until the answer.
Status check_prediction(const Auditor& auditor) {
  const std::string view = page_view(auditor.page);
  const bool results = view == "labs" || view == "ask";
  if (results && std::holds_alternative<ChoiceAsk>(auditor.page.ask) && !auditor.page.predicts)
    return auditor.at("predict", "error.lesson.foretold");
  const nlohmann::json& look = auditor.page.state.look();
  const bool easy = look.is_object() && look.value("level", std::string()) == "easy";
  if (easy && std::holds_alternative<BarsAsk>(auditor.page.ask) && !is_prediction(auditor.page))
    return auditor.at("predict", "error.lesson.foretold_easy");
  return Done{};
}

// What the page asks to change, and what says how far it is, is in sight.
Status check_in_sight(const Auditor& auditor) {
  const auto* change = std::get_if<ChangeAsk>(&auditor.page.ask);
  if (!change) return Done{};
  const auto hidden = hidden_targets(auditor.page, auditor.scope());
  if (!hidden) return auditor.at("hide", hidden.error());
  const auto shown = [&](const Target& target) -> Status {
    if (!hides_any(*hidden, target)) return Done{};
    return auditor.at("hide", "error.lesson.hides_change", {in_quotes(to_text(target))});
  };
  for (const auto& edit : change->show)
    if (const NumberEdit* numbers = edit->number()) TRY_OK(shown(numbers->where));
  for (const ChangeAsk::Knob& knob : change->knobs)
    if (const auto target = lesson_place(knob.place, auditor.scope())) TRY_OK(shown(*target));
  if (change->live)
    if (const auto live = lesson_place(change->live->text(), auditor.scope())) TRY_OK(shown(*live));
  return Done{};
}

// What is covered, or is to be drawn, stands neither in the page's texts nor in its figure.
Status check_leaks(const Auditor& auditor, const PageFigure& figure) {
  if (const std::string place = answer_on_stage(auditor.page, auditor.scope()); !place.empty())
    return auditor.at("hide", "error.lesson.leak_stage", {in_quotes(place)});
  if (const std::string row = row_in_sight(auditor.page, auditor.scope()); !row.empty())
    return auditor.at("hide", "error.lesson.leak_twin", {in_quotes(row)});
  const auto hidden = hidden_numbers(auditor.page, auditor.scope());
  if (!hidden) return auditor.at("hide", hidden.error());
  if (hidden->empty()) return Done{};
  for (const char* what : {"title", "text", "ask"})
    if (const std::string said = leaked_number(page_text(auditor, what), *hidden); !said.empty())
      return auditor.at("strings", "error.lesson.leak",
                        {in_quotes(page_key(auditor.lesson, auditor.page, what)), said});
  if (const std::string twin = twin_in_sight(auditor.page, auditor.scope()); !twin.empty())
    return auditor.at("hide", "error.lesson.leak_twin", {in_quotes(twin)});
  if (!figure) return Done{};
  const std::string drawn = figure(auditor.lesson, auditor.page, auditor.scope());
  if (const std::string said = leaked_number(drawn, *hidden); !said.empty())
    return auditor.at("look", "error.lesson.leak_figure", {said});
  return Done{};
}

// Controls are called in the texts what stands on them.
Status check_controls(const Auditor& auditor) {
  std::string all;
  for (const char* what : {"text", "ask", "hint1", "hint2"}) all += page_text(auditor, what) + "\n";
  for (const std::string& key : auditor.page.controls) {
    if (!has_string(key)) return auditor.at("controls", "error.lesson.no_words", {in_quotes(key)});
    if (all.find(tr(key)) == std::string::npos)
      return auditor.at("controls", "error.lesson.control", {in_quotes(tr(key))});
  }
  return Done{};
}

Status check_places(const Auditor& auditor) {
  const auto there = [&](const std::string& text) -> Status {
    TRY(const std::string filled, filled_in(text, auditor.scope()));
    TRY(const ExpressionValue numbers, numbers_at(filled, auditor.scope()));
    (void)numbers;
    return Done{};
  };
  for (const std::string& point : auditor.page.points)
    if (!is_item(point))
      if (const Status found = there(point); !found) return auditor.at("point", found.error());
  for (const std::string& cell : auditor.page.hides)
    if (const Status found = is_item(cell) ? Status(Done{}) : there(cell); !found)
      return auditor.at("hide", found.error());
  const nlohmann::json& look = auditor.page.state.look();
  if (!look.is_object() || !look.contains("cursor")) return Done{};
  const auto site = parse_site(look["cursor"].value("step", std::string()));
  const auto layer = whole_at(look["cursor"], "layer", 0, 1 << 30);
  if (site && layer && site->layer >= 0 && site->layer != *layer)
    return auditor.at("look.cursor.layer", "error.lesson.other_block",
                      {*layer, static_cast<std::int64_t>(site->layer)});
  for (const char* key : {"step", "pinned"})
    if (const std::string text = look["cursor"].value(key, std::string()); !text.empty())
      if (const Status found = there(text); !found)
        return auditor.at(std::string("look.cursor.") + key, found.error());
  return Done{};
}

// "1", "0 == 1": right or wrong whatever the run says.
bool is_settled(const Expression& when) {
  const std::string& text = when.text();
  return std::none_of(text.begin(), text.end(), [](unsigned char sign) { return std::isalpha(sign) != 0; });
}

Status check_choices(const Auditor& auditor, const ChoiceAsk& ask) {
  std::size_t right = 0;
  for (const ChoiceAsk::Choice& choice : ask.choices)
    if (is_settled(choice.when))
      return auditor.at("ask.choices", "error.lesson.settled", {in_quotes(choice.id)});
  for (const ChoiceAsk::Look& look : ask.looks)
    if (const auto told = look_told(look, auditor.scope()); !told)
      return auditor.at("ask.looks", told.error());
  for (const ChoiceAsk::Choice& choice : ask.choices) {
    const auto verdict = check_answer(auditor.lesson, auditor.page, Answer(choice.id), auditor.scope());
    if (!verdict) return auditor.at("ask.choices", verdict.error());
    right += verdict->right ? 1 : 0;
  }
  if (right == 0 || right == ask.choices.size())
    return auditor.at("ask.choices", "error.lesson.choices_alike", {static_cast<std::int64_t>(right)});
  return Done{};
}

// Rows that are drawn by mistake are told as such, and not taken for right.
Status check_bar_slips(const Auditor& auditor, const BarsAsk& ask) {
  for (const Slip& slip : ask.slips) {
    TRY(const SharesRow row, bar_row(BarsAsk{slip.value, ask.words, ask.good, {}, ask.top}, auditor.scope()));
    TRY(const Verdict verdict,
        check_answer(auditor.lesson, auditor.page, Answer(DrawnBars{row.shares}), auditor.scope()));
    if (verdict.right) return fail(Code::bad_format, "error.lesson.slip_is_right", {in_quotes(slip.id)});
  }
  return Done{};
}

// The limit that a page tells is passed where the goal is reached, and only there.
Status check_limit(const Auditor& auditor, const ChangeAsk& change, bool reached) {
  if (!change.above && !change.below) return Done{};
  const Expression& limit = change.above ? *change.above : *change.below;
  const auto now = change.live->number(auditor.scope()), wanted = limit.number(auditor.scope());
  if (!now || !wanted) return auditor.at("ask.live", now ? wanted.error() : now.error());
  if ((change.above ? *now > *wanted : *now < *wanted) == reached) return Done{};
  return auditor.at("ask.live", reached ? "error.lesson.limit_kept" : "error.lesson.limit_passed",
                    {in_quotes(change.live->text())});
}

// A page with a change to make: its answer is wrong as opened, and right when the change was made.
Status check_changed(Auditor& auditor, const std::string& field) {
  const auto* asked = std::get_if<ChangeAsk>(&auditor.page.ask);
  if (const Status kept = asked ? check_limit(auditor, *asked, false) : Status(Done{}); !kept) return kept;
  const auto before = check_answer(auditor.lesson, auditor.page, {}, auditor.scope());
  if (!before) return auditor.at(field, before.error());
  if (before->right) return auditor.at(field, "error.lesson.right_before");
  const auto change = [&](Document& document) { return show_answer(document, auditor.page); };
  if (const Status done = auditor.run.edit(change); !done) return auditor.at("ask.show", done.error());
  const auto after = check_answer(auditor.lesson, auditor.page, {}, auditor.scope());
  if (!after) return auditor.at(field, after.error());
  if (!after->right) return auditor.at(field, "error.lesson.not_right_after", {after->words});
  for (const Slip& slip : slips_of(auditor.page.ask)) {
    const auto made = slip.value.number(auditor.scope());
    if (!made) return auditor.at("ask.slips", made.error());
    if (*made != 0) return auditor.at("ask.slips", "error.lesson.slip_is_right", {in_quotes(slip.id)});
  }
  return asked ? check_limit(auditor, *asked, true) : Status(Done{});
}

// What is right is none of the slips: a shape is another one, a cell and a head are judged before them.
Status check_slips_apart(const Auditor& auditor) {
  const auto refused = [&](const Slip& slip) {
    return auditor.at("ask.slips", "error.lesson.slip_is_right", {in_quotes(slip.id)});
  };
  const auto right = right_answer(auditor.page, auditor.scope());
  for (const Slip& slip : slips_of(auditor.page.ask)) {
    if (std::holds_alternative<ShapeAsk>(auditor.page.ask)) {
      const auto sizes = slip.value.value(auditor.scope());
      if (!sizes) return auditor.at("ask.slips", sizes.error());
      std::string text;
      for (const double size : sizes->numbers) text += format("%.0f ", size);
      const auto verdict = check_answer(auditor.lesson, auditor.page, Answer(text), auditor.scope());
      if (!verdict || verdict->right) return refused(slip);
    } else if (const auto* cell = std::get_if<CellAsk>(&auditor.page.ask)) {
      const auto choice = cells_to_choose(*cell, auditor.scope());
      const auto* best = right ? std::get_if<Cell>(&*right) : nullptr;
      const auto index = choice && best ? choice->index_of(*best) : std::nullopt;
      const auto made = index ? choice->score(slip.value, *index, auditor.scope()) : Result<double>(Error{});
      if (!made) return auditor.at("ask.slips", made.error());
      if (*made != 0) return refused(slip);
    } else if (std::holds_alternative<HeadAsk>(auditor.page.ask)) {
      const auto* best = right ? std::get_if<HeadPlace>(&*right) : nullptr;
      const auto made =
          best ? head_score(HeadAsk{slip.value, {}}, *best, auditor.scope()) : Result<CheckedHead>(Error{});
      if (!made) return auditor.at("ask.slips", made.error());
      if (made->score != 0) return refused(slip);
    }
  }
  return Done{};
}

Status check_ask(Auditor& auditor) {
  if (const auto* choice = std::get_if<ChoiceAsk>(&auditor.page.ask)) return check_choices(auditor, *choice);
  if (std::holds_alternative<MaskAsk>(auditor.page.ask)) return check_changed(auditor, "ask.text");
  if (const auto* change = std::get_if<ChangeAsk>(&auditor.page.ask)) {
    for (const ChangeAsk::Knob& knob : change->knobs)
      if (const auto there = numbers_at(knob.place, auditor.scope()); !there || !there->scalar())
        return auditor.at("ask.numbers.place",
                          there ? fail(Code::bad_format, "error.lesson.one_number", {in_quotes(knob.place)})
                                : there.error());
    return check_changed(auditor, "ask.goal");
  }
  if (const auto* bars = std::get_if<BarsAsk>(&auditor.page.ask))
    if (const Status slips = check_bar_slips(auditor, *bars); !slips)
      return auditor.at("ask.slips", slips.error());
  if (const auto* number = std::get_if<NumberAsk>(&auditor.page.ask))
    for (const Slip& slip : number->slips) {
      const auto value = slip.value.number(auditor.scope());
      if (!value) return auditor.at("ask.slips", value.error());
      const auto verdict =
          check_answer(auditor.lesson, auditor.page, Answer(format("%.17g", *value)), auditor.scope());
      if (!verdict) return auditor.at("ask.slips", verdict.error());
      if (verdict->right) return auditor.at("ask.slips", "error.lesson.slip_is_right", {in_quotes(slip.id)});
    }
  TRY_OK(check_slips_apart(auditor));
  return check_typed(auditor);
}

// A way on that leads to where one is: the button would do nothing.
Status check_explores(const Auditor& auditor) {
  const auto& look = auditor.page.state.look();
  const auto looked = [&](const char* field) {
    return look.is_object() ? look.value(field, std::string()) : std::string();
  };
  for (const Explore& explore : auditor.page.explores)
    if (explore.view == looked("view") && explore.lab == looked("lab") && explore.values.all().empty())
      return auditor.at("explore", "error.lesson.explores_itself", {explore_words(explore)});
  return Done{};
}

}  // namespace

Result<AuditResult> audit_lesson(const Lesson& lesson, const PageFigure& figure) {
  AuditResult out;
  if (!has_string(lesson_key(lesson, "title")))
    return at_field(lesson, {}, "strings",
                    fail(Code::not_found, "error.lesson.no_words", {in_quotes(lesson_key(lesson, "title"))}));
  std::string told;  // by the page before
  for (const Page& page : lesson.pages) {
    Auditor auditor{lesson, page, {}};
    if (const Status opened = auditor.run.open(page); !opened) return auditor.at("open", opened.error());
    const auto sequences = static_cast<std::int64_t>(auditor.run.run().traces.size());
    if (auditor.scope().sequence >= sequences)
      return auditor.at("look.cursor.sequence", "error.lesson.place.sequence",
                        {static_cast<std::int64_t>(auditor.scope().sequence), sequences});
    TRY_OK(check_words(auditor));
    TRY_OK(check_places(auditor));
    TRY_OK(check_controls(auditor));
    TRY_OK(check_explores(auditor));
    ++out.pages;
    const std::string before = std::exchange(told, page_text(auditor, "text"));
    if (page.ask.index() == 0) continue;
    TRY_OK(check_told(auditor, before));
    TRY_OK(check_prediction(auditor));
    TRY_OK(check_in_sight(auditor));
    TRY_OK(check_leaks(auditor, figure));
    TRY_OK(check_ask(auditor));
    TRY(const std::string because, check_because(auditor));
    told += "\n" + because;
    ++out.asks;
  }
  return out;
}

}  // namespace attnscope
