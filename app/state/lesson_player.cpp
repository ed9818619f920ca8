#include "app/state/lesson_player.h"

#include <algorithm>
#include <filesystem>

#include "app/state/frame_state.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/session/mask_edits.h"

namespace attnscope {

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
  const Error& error = *session.error();
  draft().complaint = error.saying(Text::of("error.lesson.unopened", {error.what()}));
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
