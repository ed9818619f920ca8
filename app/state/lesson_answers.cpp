// LessonPlayer: the answer that stands in the window, what is said of it, and what becomes of the page.
#include <algorithm>
#include <filesystem>

#include "app/state/frame_state.h"
#include "app/state/lesson_player.h"
#include "core/base/words.h"
#include "core/io/local_time.h"
#include "core/lesson/worksheet.h"

namespace attnscope {
namespace {

constexpr int kReveal = 3;  // frames: the text's height is known one frame later

constexpr int kWrongUntilBecause = 2;  // wrong answers until the reason is given

// Bars as a page opens with them are all alike.
bool uneven(const std::vector<double>& bars) {
  return std::adjacent_find(bars.begin(), bars.end(), std::not_equal_to<>()) != bars.end();
}

// What is hidden is shown after the second wrong answer: the first one leaves something to think about. A row
// or curve that was drawn is a bet: the truth grows over it. A number that one is to compute waits.
bool uncovers_wrong(const AskKind& ask, int wrong) {
  if (std::holds_alternative<NumberAsk>(ask)) return false;
  return std::holds_alternative<BarsAsk>(ask) || wrong >= kWrongUntilBecause;
}

}  // namespace

// Answers are of the page's sequence, whichever is looked at: a page may ask to compare two.
ExpressionScope LessonPlayer::scope() const {
  return {faulty_ ? *faulty_ : *now_, first_.get(), now_->nearest(cursor_.sequence), {}, false};
}

std::optional<Cell> LessonPlayer::chosen_cell(const CellAsk& ask, const Workspace& workspace) const {
  const Cursor& cursor = workspace.cursor;
  if (cursor.pinned) return cursor.pinned;
  if (cursor.query == cursor_.query && cursor.key == cursor_.key && cursor.head == cursor_.head) return {};
  const auto place = lesson_place(ask.in, scope());
  if (!place || place->site.part == Part::model) return {};
  Cell cell{place->site, {}};
  const Record* record = now_->trace(cursor.sequence).find(place->site);
  for (const Axis axis : record ? record->axes : std::vector<Axis>{}) {
    const std::int64_t index = axis == Axis::head    ? cursor.head
                               : axis == Axis::query ? cursor.query
                               : axis == Axis::key   ? cursor.key
                                                     : -1;
    if (index < 0) return {};
    cell.at.push_back({std::string(axis_name(axis)), index});
  }
  return cell;
}

// Where the usual mistake is the row as it stands at first, nobody has to touch it to answer so.
bool LessonPlayer::is_slip_untouched(const PageDraft& here) const {
  const auto verdict = check_answer(*lesson_, page(), Answer(DrawnBars{here.bars}), scope());
  return verdict && verdict->slip;
}

std::optional<Answer> LessonPlayer::answer(const Workspace& workspace) {
  if (!ready()) return {};
  const PageDraft& here = draft();
  const AskKind& ask = page().ask;
  if (std::holds_alternative<NumberAsk>(ask) || std::holds_alternative<ShapeAsk>(ask))
    return here.typed.empty() ? std::optional<Answer>() : Answer(here.typed);
  if (std::holds_alternative<BarsAsk>(ask)) {
    const bool drawn = !here.bars.empty() && (here.drawn || uneven(here.bars) || is_slip_untouched(here));
    return drawn ? Answer(DrawnBars{here.bars}) : std::optional<Answer>();
  }
  if (std::holds_alternative<OrderAsk>(ask)) return Answer(order_answer(here.order));
  if (std::holds_alternative<ChoiceAsk>(ask))
    return here.choice.empty() ? std::optional<Answer>() : Answer(here.choice);
  if (const auto* cell = std::get_if<CellAsk>(&ask)) {
    const auto chosen = chosen_cell(*cell, workspace);
    return chosen ? std::optional<Answer>(*chosen) : std::nullopt;
  }
  const Cursor& cursor = workspace.cursor;
  if (std::holds_alternative<HeadAsk>(ask)) return Answer(HeadPlace{cursor.layer, cursor.head});
  return Answer();
}

Text LessonPlayer::answer_words(const Workspace& workspace) {
  const auto given = answer(workspace);
  return given ? answer_text(*lesson_, page(), *given, scope()) : Text();
}

const std::string& LessonPlayer::right_words() {
  if (!ready()) {
    right_.clear();
    right_of_.reset();
  } else if (right_of_ != now_ || right_language_ != language()) {
    const auto right = answer_in_words(*lesson_, page(), scope());
    right_ = right ? *right : std::string();
    right_of_ = now_, right_language_ = language();
  }
  return right_;
}

std::string LessonPlayer::where(bool number) const {
  return tr(number && lesson_->number >= 0 ? "lessons.where" : "lessons.where.own",
            {std::to_string(lesson_->number), tr(lesson_key(*lesson_, "title")), std::to_string(page_ + 1),
             std::to_string(lesson_->pages.size())});
}

Text LessonPlayer::live() const {
  const auto now = ready() ? live_text(*lesson_, page(), scope()) : Result<Text>(Text());
  return now ? *now : Text();
}

void LessonPlayer::settle(const Verdict& verdict, const Workspace& workspace) {
  PageDraft& here = draft();
  here.verdict = verdict;
  here.complaint.reset();
  here.wrong += verdict.right ? 0 : 1;
  here.grown = 0;
  here.bar = -1;
  here.uncovered |= verdict.right || uncovers_wrong(page().ask, here.wrong);
  judged_ = here;
  judged_run_ = now_;
  judged_cursor_ = workspace.cursor;
  judged_once_ = true;
  judged_changed_ = changed_document();
  const bool tells = verdict.right || here.wrong >= kWrongUntilBecause;
  const auto because = tells ? because_text(*lesson_, page(), scope()) : Result<Text>(Text());
  here.because = because ? *because : Text();
  if (!here.because.empty()) reveal = kReveal;
  // What is said of a change waits until it was made: a hint says what to do.
  const bool made =
      std::holds_alternative<ChangeAsk>(page().ask) || std::holds_alternative<MaskAsk>(page().ask);
  if (made && tells && !verdict.right)
    here.hints = std::clamp(here.wrong + 1 - kWrongUntilBecause, here.hints, kHints - 1);
  PageProgress& kept = progress().at(learner_, lesson_->kept, page().id);
  ++kept.tries;
  kept.hints = std::max(kept.hints, here.hints);
  kept.right = kept.right || (verdict.right && !here.shown);
  kept.shown = kept.shown || here.shown;
  kept.score = std::max(kept.score, here.shown ? 0.0 : verdict.score);
  kept.answer = answer_words(workspace).str();
  kept.when = local_time(std::filesystem::file_time_type::clock::now());
  keep();
}

void LessonPlayer::check(const Workspace& workspace) {
  if (!ready()) return;
  PageDraft& here = draft();
  const auto given = answer(workspace);
  if (!given) {
    const bool cell = std::holds_alternative<CellAsk>(page().ask);
    here.complaint = fail(Code::not_found, cell ? "error.lesson.answer.cell" : "error.lesson.answer.none");
    return;
  }
  // What was judged already is no other answer: a cell is judged when it is clicked.
  if (judged_once_ && here.verdict && judged_run_ == now_ && !asks_for_change() && same_as_judged(workspace))
    return;
  const auto verdict = check_answer(*lesson_, page(), *given, scope());
  if (!verdict && still_training(verdict.error())) {
    here.complaint = verdict.error();
    return;
  }
  if (!verdict) {
    const auto opened = check_answer(*lesson_, page(), *given, first_scope());
    here.complaint = why_not(verdict.error(), static_cast<bool>(opened));
    return;
  }
  settle(*verdict, workspace);
}

void LessonPlayer::hint(FrameState& state) {
  PageDraft& here = draft();
  if (here.hints < kHints) ++here.hints;
  reveal = kReveal;
  if (here.hints == kHints) show_me(state);
  PageProgress& kept = progress().at(learner_, lesson_->kept, page().id);
  kept.hints = std::max(kept.hints, here.hints);
  keep();
}

}  // namespace attnscope
