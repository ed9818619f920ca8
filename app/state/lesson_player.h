// The lesson open in the window: current page, typed and chosen answers, hints, progress. The lesson panel
// draws it; the overlay covers and highlights cells for it. Draws nothing, never blocks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/commands.h"
#include "core/lesson/check.h"
#include "core/lesson/progress.h"

namespace attnscope {

struct FrameState;

/// State of one page since the lesson was opened.
struct PageDraft {
  std::string typed;           ///< text of a number or shape
  std::string choice;          ///< id
  std::vector<double> bars;    ///< drawn; empty: not touched yet
  bool drawn = false;          ///< they are no longer as they stood at first
  int bar = -1;                ///< the bar that the arrow keys change; < 0: none
  std::vector<Site> order;     ///< steps as they stand
  std::vector<GoalNow> goals;  ///< of something that is built, in the run `built_of`
  std::uint64_t built_of = 0;
  std::vector<float> knobs;                ///< of something that is built, as they stand
  int knob = -1;                           ///< the one that is dragged
  std::map<std::string, LookTold> looked;  ///< looks of a probe that were taken, by their id
  int hints = 0;                           ///< hints shown, 0 to 3; the third one is "show me"
  std::optional<Verdict> verdict;
  std::optional<Error> complaint;  ///< why the answer could not be checked
  Text because;                    ///< what is said about the verdict; empty: nothing yet
  int wrong = 0;                   ///< wrong answers so far
  float grown = 0;                 ///< of the true bars, 0..1
  bool shown = false;
  bool uncovered = false;  ///< what the page hides was shown
};

class LessonPlayer {
 public:
  static constexpr int kHints = 3;

  bool open() const { return lesson_ != nullptr; }
  const Lesson& lesson() const { return *lesson_; }
  /// The id or file it was opened with.
  const std::string& source() const { return source_; }
  int page_index() const { return page_; }
  const Page& page() const { return lesson_->pages[static_cast<std::size_t>(page_)]; }
  PageDraft& draft() { return drafts_[page().id]; }
  /// The reason was given, or the answer was shown: one reads on.
  bool told() { return !draft().because.empty() || draft().shown; }

  /// Opens a lesson by id (shipped) or file, at a page; default: where this learner left it, or the first
  /// page if it was finished. Errors: no such lesson, a broken file, no such page.
  Status start(FrameState& state, const std::string& name, std::optional<int> page = {});
  /// Opens a page; the current page is reset.
  void go(FrameState& state, int page);
  void close(FrameState& state);
  /// The same without opening what was there before: something else is being opened.
  void drop(FrameState& state);
  /// Once per frame: takes the page's newest run, and checks whether a requested change has been
  /// made.
  void follow(const FrameState& state, const std::shared_ptr<const RunResult>& run);
  /// True when the run on the screen is one of this page, and what it asks about is there.
  bool ready() const { return first_ != nullptr && now_ != nullptr; }

  /// The answer to check: typed, chosen, or the cursor's cell; empty if nothing was chosen.
  std::optional<Answer> answer(const Workspace& workspace);
  Text answer_words(const Workspace& workspace);
  /// The right answer as text, for the presenter; empty while the page is being opened.
  const std::string& right_words();
  /// "Lesson 9 · Heads have roles · 2 / 5"; without `number`, "Heads have roles · 2 / 5".
  std::string where(bool number = true) const;
  /// Where a change stands, as the page says it; empty for other pages.
  Text live() const;
  void check(const Workspace& workspace);
  /// Shows the next hint; the third one shows the answer.
  void hint(FrameState& state);
  void show_me(FrameState& state);
  /// True while the cells that the page hides are covered.
  bool covers();
  /// True while a bet is open: nothing on the screen says what is asked.
  bool holds_back();
  /// The cells that stay away now, under every name they have (core/lesson/leaks.h); none: all may be shown.
  const std::vector<Target>& hidden();
  /// True while the page keeps any cell or item to itself.
  bool hides();
  /// True while a head is to be found: nothing on the screen says what heads do.
  bool hides_roles();
  /// True while stations of the film are put into their order: its strip does not say their names.
  bool hides_stations();
  /// True while the loss is asked for.
  bool hides_loss();
  /// True while the page's question is open: its answer is not right yet. Keys without Ctrl that would change
  /// the stage are silent then, so that nothing that is typed leads away (app/shell/keyboard.cpp).
  bool asks();
  /// True while a number or a shape is asked for and not yet right: what is typed goes into its box.
  bool takes_typing();
  /// The n-th choice (from 1) is answered, as a click on it does. False: the page has none such.
  bool choose(int number, const Workspace& workspace);
  /// True while this page or one behind it asks for a shape that was not answered yet: nothing on the screen
  /// says shapes.
  bool hides_shapes();
  /// True while a number is asked for: the line of code of a step, which has its constants, is away.
  bool hides_code();
  /// True while one is to predict, with one of a few answers, what a step does: no sentence says it.
  bool hides_doing();
  /// True where the page has nothing to do with a measure: its box is away.
  bool hides_measure() const;
  /// Takes a look of a probe: what it tells stands in the draft.
  void take_look(const ChoiceAsk::Look& look);
  /// Puts the fault of a probe into what is open, where it can be seen.
  void show_fault(FrameState& state);
  /// True while arrow keys move bars that are drawn.
  bool takes_arrows();
  /// The bars of the page in this run, with their names; null while there is no run, or on other pages.
  const SharesRow* bars();

  // ---- the way through ----
  /// After the last page: what was learned, what is open still, the next lesson.
  bool at_end() const { return at_end_; }
  /// The page behind this one, or the end.
  void next(FrameState& state);
  void back(FrameState& state);
  /// The shipped lesson after this one; null: this is the last one, or not a shipped one.
  const Lesson* following();
  /// Opens a lab or a view beside the page.
  static void explore(FrameState& state, const Explore& what);
  /// True where another view, model, text or edit is shown than the page's; where a change is asked for, text
  /// and edits are the answer.
  bool wandered(const FrameState& state) const;
  /// Shows the page's view and cursor again, and its text and edits where none are asked for.
  void return_to_page(FrameState& state);
  /// Resolves a place of the page, evaluating its expressions. Errors: the run does not have it.
  Result<Target> place(const std::string& text) const;
  const RunResult& run() const { return *now_; }
  /// The run of the page as it was opened.
  const std::shared_ptr<const RunResult>& first_run() const { return first_; }
  /// Of the run that is shown, in the page's own sequence.
  ExpressionScope scope() const;
  /// The sequence of the batch that the page asks about.
  int sequence() const { return cursor_.sequence; }

  /// All shipped lessons in order; empty if one of them is broken.
  const std::vector<Lesson>& lessons();
  Progress& progress();
  /// Why the progress file cannot be read or written; returned once.
  std::optional<Error> take_unkept() { return std::exchange(unkept_, std::nullopt); }
  const PageProgress* progress_of(const Lesson& lesson, const Page& page);
  const std::string& learner() const { return learner_; }
  void set_learner(std::string name) { learner_ = std::move(name); }
  /// Sets the progress file; empty: not saved (pictures, tests). Call before the first lesson.
  void keep_in(std::string path) { path_ = std::move(path); }
  bool inspecting = false;                        ///< the inspector is shown instead of the lesson
  bool focus_answer = false, answer_end = false;  ///< the box of a number gets the focus; its cursor the end
  bool list_open = false;                         ///< open the list of lessons
  bool sheet_answers = false;                     ///< worksheets include the answers
  bool teaches = false;                           ///< the list shows what a teacher needs
  float words_height = 100;  ///< height of the text below a presented figure, last frame, pixels
  float card_height = 100;   ///< height of the question, last frame, pixels
  float page_height = 300;   ///< height of text and question, last frame, pixels
  float said_height = 0;     ///< height of what is said of the answer, pixels; grows until the page is turned
  float ask_end = 0;         ///< where the question ends, last frame
  bool words_scroll = false;  ///< the words of the page have a scroll bar; without one its room stays free
  bool goal_first = true;     ///< the lesson's goal stands above the page
  int reveal = 0;  ///< frames left to scroll to the newest text; < 0: scroll to the top of the page

 private:
  void settle(const Verdict& verdict, const Workspace& workspace);
  bool is_slip_untouched(const PageDraft& here) const;
  void judge_change(const Workspace& workspace);
  void forget_of_other_run();
  bool asks_for_change() const;
  /// True where text or edits are not those that the page was opened with.
  bool changed_document() const;
  bool other_choices(const FrameState& state) const;
  ExpressionScope first_scope() const;
  Error why_not(const Error& error, bool as_opened) const;
  void notice(const Workspace& workspace);
  bool same_as_judged(const Workspace& workspace);
  int page_left(const Lesson& lesson);
  void note_page();
  void keep();
  std::optional<Cell> chosen_cell(const CellAsk& ask, const Workspace& workspace) const;

  std::shared_ptr<const Lesson> lesson_;
  std::string source_;
  int page_ = 0;
  std::map<std::string, PageDraft> drafts_;
  std::uint64_t opened_ = 0;  ///< Session::opened_version() when the page was opened
  std::shared_ptr<const RunResult> first_, now_;
  std::shared_ptr<const RunResult> faulty_;  ///< of a probe: the first run with its fault
  std::optional<std::vector<Lesson>> lessons_;
  std::optional<Progress> progress_;
  std::string learner_, path_;
  std::optional<Error> unkept_;
  std::string right_;  ///< for the run `right_of_`, in `right_language_`
  std::shared_ptr<const RunResult> right_of_;
  std::string right_language_;
  Cursor cursor_;  ///< as set by the page: a cell counts as chosen once it differs
  bool cursor_known_ = false;
  bool opened_backward_ = false;  ///< as the page has it
  std::string opened_second_;
  bool changed_ = false;  ///< a new run has not been checked yet
  bool at_end_ = false;
  PageDraft judged_;  ///< what was answered when it was checked last
  Cursor judged_cursor_, noticed_;
  std::shared_ptr<const RunResult> judged_run_;
  bool judged_once_ = false;     ///< since the page was opened
  bool judged_changed_ = false;  ///< then text or edits were the learner's own
  std::optional<SharesRow> bars_;
  std::shared_ptr<const RunResult> bars_of_;
  std::string bars_page_;
  std::vector<Target> hidden_;  ///< of the page `hidden_page_`, in the run `hidden_of_`
  std::shared_ptr<const RunResult> hidden_of_;
  std::string hidden_page_;
};

/// Opens the file browser to write the worksheet of a lesson (its id, or a file).
void ask_worksheet(FrameState& state, const std::string& lesson, bool answers);
/// "9  Heads have roles", in the current language.
std::string lesson_title(const Lesson& lesson);

}  // namespace attnscope
