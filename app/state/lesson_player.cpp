#include "app/state/lesson_player.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/state/frame_state.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/io/local_time.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/lesson/worksheet.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

constexpr int kReveal = 3;             // frames: the text's height is known one frame later
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

// The page where it was left; the first page if it was left on the last one.
int LessonPlayer::page_left(const Lesson& lesson) {
  const std::string left = progress().left_on(learner_, lesson.kept);
  const auto page =
      std::find_if(lesson.pages.begin(), lesson.pages.end(), [&](const Page& one) { return one.id == left; });
  const bool last = page == lesson.pages.end() || page + 1 == lesson.pages.end();
  return last ? 0 : static_cast<int>(page - lesson.pages.begin());
}

void LessonPlayer::note_page() {
  if (progress().left_on(learner_, lesson_->kept) == page().id) return;
  progress().leave_on(learner_, lesson_->kept, page().id);
  keep();
}

Status LessonPlayer::start(FrameState& state, const std::string& name, std::optional<int> asked) {
  Result<Lesson> lesson = ends_with(name, ".json") ? read_lesson(name) : shipped_lesson(name);
  if (!lesson) return lesson.error();
  const int pages = static_cast<int>(lesson->pages.size()), page = asked ? *asked : page_left(*lesson);
  if (page < 0 || page >= pages)
    return fail(Code::out_of_range, "error.lesson.no_page", {in_quotes(lesson->id), pages, page + 1});
  state.lecture.halt(state);
  lesson_ = std::make_shared<const Lesson>(*std::move(lesson));
  source_ = name;
  drafts_.clear();
  list_open = false;
  // At the end of the frame: the open page is still being drawn.
  state.pages = [](FrameState& turned, int by) {
    turned.commands.act(
        [&turned, by](Session&) { by > 0 ? turned.lessons.next(turned) : turned.lessons.back(turned); });
  };
  go(state, page);
  return Done{};
}

void LessonPlayer::drop(FrameState& state) {
  if (!lesson_) return;
  lesson_.reset();
  state.pages = {};
}

void LessonPlayer::close(FrameState& state) {
  drop(state);
  state.commands.act([&state](Session&) { state.leave_lesson(); });
}

void LessonPlayer::go(FrameState& state, int page) {
  if (!lesson_ || page < 0 || page >= static_cast<int>(lesson_->pages.size())) return;
  page_ = page;
  at_end_ = judged_once_ = false;
  first_.reset();
  now_.reset();
  faulty_.reset();
  judged_run_.reset();
  cursor_known_ = changed_ = judged_changed_ = false;
  opened_ = state.session.opened_version();
  draft().verdict.reset();
  draft().complaint.reset();
  draft().hints = draft().wrong = 0;
  draft().because = Text();
  draft().uncovered = false;
  draft().bar = -1;
  if (const auto* order = std::get_if<OrderAsk>(&this->page().ask); order && draft().order.empty())
    draft().order = order->steps;
  reveal = -1;
  said_height = 0;
  state.session.dismiss_error();  // it was about the page before
  state.open_page(this->page().state);
  opened_backward_ = state.workspace.backward;
  opened_second_ = state.workspace.second_view;
}

void LessonPlayer::note_unopened(const Session& session) {
  if (!lesson_ || first_ || !session.error()) return;
  Error told = *session.error();
  told.what = Text::of("error.lesson.unopened", {told.what});
  draft().complaint = std::move(told);
}

void LessonPlayer::follow(const FrameState& state, const std::shared_ptr<const RunResult>& run) {
  if (!lesson_ || !run || run->traces.empty()) return;
  const bool mine = run->opened_version == state.session.opened_version() && run->opened_version > opened_;
  if (!mine) return;
  if (now_ != run) changed_ = true;
  if (!first_) {
    first_ = run;
    draft().complaint.reset();
    note_page();
    if (const auto* probe = std::get_if<ChoiceAsk>(&page().ask); probe && !probe->fault.empty()) {
      auto faulty = run_with_fault(*run, *probe);
      if (!faulty) draft().complaint = faulty.error();
      faulty_ = faulty ? *std::move(faulty) : run;
    }
  }
  now_ = run;
  if (!cursor_known_) cursor_ = state.workspace.cursor;
  cursor_known_ = true;
  // Pages with a ChangeAsk are checked after every run, in both directions (reached, undone), but not while
  // text is being typed: half a word is no answer.
  forget_of_other_run();
  notice(state.workspace);
  if (draft().complaint && still_training(*draft().complaint)) check(state.workspace);
  if (!changed_ || ImGui::GetIO().WantTextInput || !asks_for_change()) return;
  changed_ = false;
  judge_change(state.workspace);
}

bool LessonPlayer::asks_for_change() const {
  return std::holds_alternative<MaskAsk>(page().ask) || std::holds_alternative<ChangeAsk>(page().ask);
}

// What was said of an answer under other edits is not said of the page's own run.
void LessonPlayer::forget_of_other_run() {
  PageDraft& here = draft();
  if (!here.verdict || asks_for_change() || !judged_changed_ || changed_document()) return;
  here.verdict.reset();
  here.because = Text();
  judged_changed_ = false;
}

// What stands there of a change is of the newest run: done, a mistake that has a name, or nothing until it is
// asked for.
void LessonPlayer::judge_change(const Workspace& workspace) {
  PageDraft& here = draft();
  const auto verdict = check_answer(*lesson_, page(), {}, scope());
  const bool was = here.verdict && here.verdict->right, is = verdict && verdict->right && now_ != first_;
  if (is && !was) return settle(*verdict, workspace);
  if (is) {
    const auto because = because_text(*lesson_, page(), scope());
    here.because = because ? *because : Text();
    return;
  }
  here.verdict = verdict && verdict->slip ? std::optional<Verdict>(*verdict) : std::nullopt;
  here.because = Text();
}

// True while the answer is the one that was checked last.
bool LessonPlayer::same_as_judged(const Workspace& workspace) {
  const PageDraft& here = draft();
  const Cursor &cursor = workspace.cursor, &then = judged_cursor_;
  const AskKind& ask = page().ask;
  if (std::holds_alternative<HeadAsk>(ask)) return cursor.layer == then.layer && cursor.head == then.head;
  if (std::holds_alternative<CellAsk>(ask))
    return cursor.pinned == then.pinned && cursor.query == then.query && cursor.key == then.key &&
           cursor.head == then.head && cursor.layer == then.layer;
  return here.typed == judged_.typed && here.choice == judged_.choice && here.bars == judged_.bars &&
         here.order == judged_.order;
}

// A verdict goes when something else is chosen. A cell that was clicked is checked at once; a head is, where
// it is the right one: walking through heads is no answer.
void LessonPlayer::notice(const Workspace& workspace) {
  if (judged_once_ && same_as_judged(workspace)) return;
  PageDraft& here = draft();
  const Cursor& cursor = workspace.cursor;
  const bool cell = std::holds_alternative<CellAsk>(page().ask) && cursor.pinned &&
                    cursor.pinned != cursor_.pinned &&
                    (!judged_once_ || cursor.pinned != judged_cursor_.pinned);
  const bool head = std::holds_alternative<HeadAsk>(page().ask) &&
                    (cursor.layer != cursor_.layer || cursor.head != cursor_.head);
  if (judged_once_ && here.verdict) here.verdict.reset(), here.complaint.reset(), here.because = Text();
  if (!cell && !head) return;
  const bool anew = !(noticed_ == cursor);
  noticed_ = cursor;
  const auto given = anew ? answer(workspace) : std::nullopt;
  const auto verdict = given ? check_answer(*lesson_, page(), *given, scope()) : Result<Verdict>(Error{});
  if (!verdict) return;
  const bool meant = cell && verdict->words.key() == "verdict.wrong.cell";
  if (verdict->right || meant) settle(*verdict, workspace);
}

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

void LessonPlayer::show_me(FrameState& state) {
  if (!ready()) return;
  PageDraft& here = draft();
  here.shown = true;
  const auto right = right_answer(page(), scope());
  if (!right) {
    here.complaint = why_not(right.error(), static_cast<bool>(right_answer(page(), first_scope())));
    return;
  }
  if (const auto* text = std::get_if<std::string>(&*right))
    (std::holds_alternative<ChoiceAsk>(page().ask) ? here.choice : here.typed) = *text;
  if (const auto* text = std::get_if<std::string>(&*right);
      text && std::holds_alternative<OrderAsk>(page().ask))
    here.order = order_of(*text), here.typed.clear();
  if (const auto* bars = std::get_if<DrawnBars>(&*right)) here.bars = bars->shares;
  if (const auto* cell = std::get_if<Cell>(&*right)) pin_cell(state.workspace, *now_, *cell);
  if (const auto* head = std::get_if<HeadPlace>(&*right)) {
    state.workspace.cursor.layer = head->layer;
    state.workspace.cursor.head = head->head;
    if (state.workspace.cursor.step.layer >= 0) state.workspace.cursor.step.layer = head->layer;
  }
  const Text sentence = Text::of("lessons.edit.shown");
  if (const auto* mask = std::get_if<MaskAsk>(&page().ask)) {
    state.commands.edit(sentence, {}, [text = mask->text](Document& document) {
      return choose_mask(document, text, AttentionKind::main);
    });
  } else if (const auto* change = std::get_if<ChangeAsk>(&page().ask)) {
    // Starts from the page's first run: earlier attempts are undone.
    state.commands.edit(sentence, {}, [change = *change, first = first_](Document& document) {
      document.sequences = first->document.sequences;
      document.edits = first->document.edits;
      return show_change(document, change);
    });
  } else {
    check(state.workspace);
  }
}

const std::vector<Lesson>& LessonPlayer::lessons() {
  if (lessons_) return *lessons_;
  auto found = shipped_lessons();
  lessons_ = found ? *std::move(found) : std::vector<Lesson>{};
  return *lessons_;
}

Progress& LessonPlayer::progress() {
  if (progress_) return *progress_;
  auto loaded = Progress::load(path_);
  if (!loaded) {  // unreadable: the file is left unchanged, and the error shown
    unkept_ = loaded.error();
    path_.clear();
  }
  progress_ = loaded ? *std::move(loaded) : Progress();
  return *progress_;
}

const PageProgress* LessonPlayer::progress_of(const Lesson& lesson, const Page& page) {
  return progress().find(learner_, lesson.kept, page.id);
}

void ask_worksheet(FrameState& state, const std::string& lesson, bool answers) {
  FileQuestion question;
  question.save = true;
  question.title = "worksheet.title";
  question.name = std::filesystem::path(lesson).stem().string() + (answers ? "-answers.html" : ".html");
  question.chosen = [&state, lesson, answers](Session&, const std::string& path) {
    state.sheet_request = SheetRequest{path, lesson, answers};
  };
  state.commands.ask_file(std::move(question));
}

std::string lesson_title(const Lesson& lesson) {
  return (lesson.number >= 0 ? std::to_string(lesson.number) + "  " : "") + tr(lesson_key(lesson, "title"));
}

void LessonPlayer::keep() {
  const Status saved = progress().save(path_);
  if (saved) return;
  unkept_ = saved.error();
  path_.clear();
}

}  // namespace attnscope
