// The lesson that is open in the window: which page, what was typed and answered, hints and progress. The
// panel draws it, the overlay covers and lights cells for it. Refuses to draw, and to wait.
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

/// What a learner has done on one page since the lesson was opened.
struct PageDraft {
  std::string typed;   ///< number or shape
  std::string choice;  ///< id
  int hints = 0;       ///< shown, up to 3; the third one is "show me"
  std::optional<Verdict> verdict;
  std::optional<Error> complaint;  ///< why there is no verdict
  bool shown = false;
};

class LessonPlayer {
 public:
  static constexpr int kHints = 3;

  bool open() const { return lesson_ != nullptr; }
  const Lesson& lesson() const { return *lesson_; }
  /// What it was opened by: an id, or a file.
  const std::string& source() const { return source_; }
  int page_index() const { return page_; }
  const Page& page() const { return lesson_->pages[static_cast<std::size_t>(page_)]; }
  PageDraft& draft() { return drafts_[page().id]; }

  /// Opens a lesson at a page: a shipped one by its id, or a file. Without a page, where this learner left
  /// it, or from the beginning where that was its end. Errors: no such lesson, a broken file, no such page.
  Status start(FrameState& state, const std::string& name, std::optional<int> page = {});
  /// Another page; also the one that is open, as it was at first.
  void go(FrameState& state, int page);
  void close(FrameState& state);
  /// Once per frame: takes the run of the page when it is there, and looks whether a change has reached its
  /// goal.
  void follow(const FrameState& state, const std::shared_ptr<const RunResult>& run);
  /// True when the run on the screen is one of this page.
  bool ready() const { return first_ != nullptr && now_ != nullptr; }

  /// What would be checked now: typed, chosen, or where the cursor stands; empty where nothing is chosen.
  std::optional<Answer> answer(const Workspace& workspace);
  Text answer_words(const Workspace& workspace);
  /// What is right here, in words, for the one who teaches; empty while the page opens.
  const std::string& right_words(const Workspace& workspace);
  /// "Lesson 9 · Heads have roles · 2 / 5"; without `number`, "Heads have roles · 2 / 5".
  std::string where(bool number = true) const;
  /// How a page that asks for a change stands; empty where it does not.
  std::string live(const Workspace& workspace) const;
  void check(const Workspace& workspace);
  /// The next hint; the third one answers the page.
  void hint(FrameState& state);
  void show_me(FrameState& state);
  /// True while the cells that the page hides are covered.
  bool covers();
  /// What a cell on the page is: a place with its expressions computed. Errors: the run does not have it.
  Result<Target> place(const std::string& text, const Workspace& workspace) const;
  const RunResult& run() const { return *now_; }
  ExpressionScope scope(const Workspace& workspace) const;

  /// All shipped lessons in their order; an Error once where one is broken.
  const std::vector<Lesson>& lessons();
  Progress& progress();
  /// Why the file of progress cannot be read or written, once.
  std::optional<Error> take_unkept() { return std::exchange(unkept_, std::nullopt); }
  const PageProgress* progress_of(const Lesson& lesson, const Page& page);
  const std::string& learner() const { return learner_; }
  void set_learner(std::string name) { learner_ = std::move(name); }
  /// Where progress is kept; empty keeps none (pictures, tests). Before the first lesson.
  void keep_in(std::string path) { path_ = std::move(path); }
  bool inspecting = false;     ///< the inspector stands in the place of the lesson
  bool list_open = false;      ///< the list of lessons is asked for
  bool sheet_answers = false;  ///< worksheets are written with the answers
  float words_height = 100;    ///< of the words under a presented figure, in the frame before, pixels
  float card_height = 100;     ///< of what is asked, in the frame before, pixels
  float page_height = 300;     ///< of what is told and asked, in the frame before, pixels
  int reveal = 0;  ///< frames in which what was said last is scrolled to; < 0: the page's beginning is

 private:
  void settle(const Verdict& verdict, const Workspace& workspace);
  int page_left(const Lesson& lesson);
  void note_page();
  void keep();
  std::optional<Cell> chosen_cell(const CellAsk& ask, const Workspace& workspace) const;

  std::shared_ptr<const Lesson> lesson_;
  std::string source_;
  int page_ = 0;
  std::map<std::string, PageDraft> drafts_;
  std::uint64_t opened_ = 0;  ///< Session::opened_version() when the page was asked for
  std::shared_ptr<const RunResult> first_, now_;
  std::optional<std::vector<Lesson>> lessons_;
  std::optional<Progress> progress_;
  std::string learner_, path_;
  std::optional<Error> unkept_;
  std::string right_;  ///< of `right_of_`, in `right_language_`
  std::shared_ptr<const RunResult> right_of_;
  std::string right_language_;
  Cursor cursor_;  ///< as the page put it: a cell is chosen once it has moved
  bool cursor_known_ = false;
  bool changed_ = false;  ///< a run that was not looked at yet
};

/// Asks where the worksheet of a lesson (its id, or a file) is to be written.
void ask_worksheet(FrameState& state, const std::string& lesson, bool answers);
/// "9  Heads have roles", in the language of the moment.
std::string lesson_title(const Lesson& lesson);

}  // namespace attnscope
