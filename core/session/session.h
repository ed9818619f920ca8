// A Session: what is open, its history, what is being computed, and the newest result. The window calls
// poll() once per frame and never waits. A run that fails leaves the last good result and the document as
// they were.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/computed.h"
#include "core/session/document.h"
#include "core/session/history.h"
#include "core/session/run_so_far.h"
#include "core/session/timeline.h"
#include "core/session/training.h"

namespace attnscope {

/// The one cursor of the whole program: every panel follows it.
struct Cursor {
  int sequence = 0, layer = 0, head = 0;
  /// The stack and the attention of it that `layer`, `head`, `query` and `key` refer to; they follow the
  /// step.
  Stack stack = Stack::single;
  Part part = Part::attn;  ///< attn or cross
  std::int64_t query = 0, key = 0;
  Site step;
  std::optional<Cell> pinned;  ///< the cell the inspector explains
  bool operator==(const Cursor& other) const;
};

struct SessionFile;
struct DataChoice;

/// All that a session file is written from, held by value, so that another thread may write it.
struct SessionCopy {
  Document document;
  std::shared_ptr<const Document> pinned;  ///< what made the run that is pinned; null: none is
  std::shared_ptr<const Task> task;        ///< of the model in training, where that is shown; else null
  TrainingShown training;                  ///< meaningful with `task`
};
/// Writes it. A model in training, which is in no file yet, is written into a folder beside the session, as
/// its current state. Errors: the writers', an unknown task.
Status write_session(const std::string& path, const SessionCopy& copy, const nlohmann::json& look);
/// `which`: where its checkpoint was written (session_beside).
Status write_session(const std::string& path, const SessionCopy& copy, const nlohmann::json& look, int which);

/// The result of a document. Immutable and shared (with views, exports).
struct RunResult {
  std::uint64_t version = 0;                         ///< unique: the key of textures
  std::uint64_t opened_version = 0;                  ///< Session::opened_version() of its model
  std::uint64_t undo_point = 0;                      ///< History::point() of the document it belongs to
  Document document;                                 ///< as it was run
  std::vector<std::shared_ptr<const Trace>> traces;  ///< one per sequence
  std::vector<TimelineStep> steps;                   ///< of the first sequence
  double milliseconds = 0;

  /// The sequence nearest to this number; 0 where there is none.
  int nearest(int sequence) const;
  /// Run of the sequence nearest to this number; there has to be one.
  const Trace& trace(int sequence) const { return *shared(sequence); }
  const std::shared_ptr<const Trace>& shared(int sequence) const;
  /// True for a recording of another program: there is no model to run.
  bool recorded() const { return document.opened && !document.opened->recorded.empty(); }
  /// The label of a row of the main stack, or of another stack.
  std::string label(int sequence, std::int64_t pos) const;
  std::string label(int sequence, Stack stack, std::int64_t row) const;
};

/// True where both documents compute the same numbers: they may differ in sampling and spelling.
bool same_computation(const Document& a, const Document& b);
/// All sequences of a document; `before`: runs to start from. Errors: the model's, with the number of the
/// sequence where there are several. `so_far` is told of every block.
Result<std::vector<std::shared_ptr<const Trace>>> run_all(
    const Document& document, RunOptions options, const std::vector<std::shared_ptr<const Trace>>& before,
    RunSoFar* so_far = nullptr);
/// What was open before something else was: all that is needed to go back to it.
struct LeftWork {
  std::uint64_t number = 0;  ///< Session::work(), for as long as the program runs
  std::uint64_t opened_version = 0, kept_point = 0, tried_point = 0;
  History history;
  std::shared_ptr<const RunResult> pinned;
  std::vector<ReadFile> stamps;
  bool page = false, from_lesson = false;
  bool shows_training = false;
  int wanted_step = -1, shown_step = -1;
  std::uint64_t training_run = 0;
  SessionCopy copy;                            ///< as it is written to a session file
  std::shared_ptr<const nlohmann::json> look;  ///< what Session::keep_look() gave
  bool unsaved() const { return history.point() != kept_point; }
  bool worth_keeping() const { return unsaved() && !from_lesson && history.point() != tried_point; }
};

/// What is opened is a work of its own, or a page of a lesson: pages take each other's place, and what was
/// open before them is always kept.
enum class OpenedAs : std::uint8_t { work, page };

class Session {
 public:
  /// `wake` is called from other threads when poll() has something to take.
  explicit Session(std::function<void()> wake = {});
  ~Session();

  // ---- opening ----
  /// Opens in the background; the old document stays until the new one is there. Where a run is pinned whose
  /// ids mean the same, the model begins with what that run read.
  void open(const std::string& path, const LoraChoice& lora = {});
  /// A shipped scene's text.
  void open_scene(std::string text, std::string name);
  /// A shipped model, in the background.
  void open_files(ModelFiles files, std::string name, const LoraChoice& lora = {});
  /// The document that `make` gives, in the background. A page of a lesson begins without A.
  void open_document(std::function<Result<Document>(const std::atomic<bool>& cancel)> make,
                     OpenedAs as = OpenedAs::work);
  bool opening() const { return opening_.under_way(); }
  /// Opens the same files once more, as they are on disk now; inputs, edits and undo points stay where they
  /// fit.
  void read_again();
  /// Opens another checkpoint of the same training: inputs, edits, undo points and A stay.
  void open_checkpoint(const std::string& path);
  void cancel_opening() { opening_.cancel(); }
  /// Opens what is open once more with this adapter, in the background; empty: without one. Inputs, edits and
  /// A stay: one undo point with `sentence`. An adapter that does not fit is error(), and nothing changes.
  void adapt(const LoraChoice& lora, const Text& sentence, const std::string& gesture = {});
  bool adapting() const { return adapting_.under_way(); }

  // ---- what was open before ----
  /// Called before something else is opened: state of the window that belongs to the document.
  void keep_look(std::function<std::shared_ptr<const nlohmann::json>()> look) {
    keep_look_ = std::move(look);
  }
  /// That state of the work that was gone back to; once.
  std::shared_ptr<const nlohmann::json> take_look() { return std::exchange(look_, nullptr); }
  /// Works that undo can go back to, the newest last, and forward to, the next one last. Unchanged ones
  /// are only kept under a lesson, and where a training run is shown in their place.
  const std::vector<LeftWork>& before() const { return before_; }
  const std::vector<LeftWork>& after() const { return after_; }
  /// The number of what is open.
  std::uint64_t work() const { return work_; }
  /// A page of a lesson is open.
  bool shows_page() const { return page_; }
  /// Opens the work before (after) this one as it was left, with its undo points and A; a training run of it
  /// is paused. Does nothing where there is none.
  void go_back();
  void go_forward();
  /// Closes the lesson: the work before it is open again, where there was one.
  void leave_page();

  // ---- editing ----
  const Document& document() const { return history_.now(); }
  /// Changes a copy of the document; where `change` succeeds it becomes the new undo point `sentence` and
  /// runs. Edits with the same non-empty `gesture` share one point. A failed change leaves everything as it
  /// was.
  Status edit(const Text& sentence, const std::string& gesture,
              const std::function<Status(Document&)>& change);
  /// Changes the document as it was opened, before its first edit: no undo point. The same errors as edit().
  Status begin(const std::function<Status(Document&)>& change);
  void end_gesture() { history_.close_gesture(); }
  /// One point back; at the first one, back to what was open before.
  void undo();
  void redo();
  /// Undoes the newest point, and redo does not bring it back: it could not be run.
  void take_back();
  bool can_undo() const { return history_.can_undo() || (!page_ && !before_.empty()); }
  bool can_redo() const { return history_.can_redo() || (!page_ && !after_.empty()); }
  const History& history() const { return history_; }
  /// There are changes since it was opened, or saved last.
  bool unsaved() const { return history_.point() != kept_point_; }
  /// The same, and it is no page of a lesson: it must be saved when the program ends.
  bool worth_keeping() const { return unsaved() && !from_lesson_ && history_.point() != tried_point_; }
  /// Marks the current state as one that anybody can have again: a thing to try was played on what was open.
  void take_as_tried() { tried_point_ = history_.point(); }
  /// Marks the current state as saved: it is no change.
  void take_as_kept();
  /// "New minus old" compares with nothing older than this: what is open now is what the person began with.
  void begin_here() { history_.begin_here(); }

  // ---- a data set ----
  /// Reads its prompts in the background; they become the document's, one undo point. What is wrong with it
  /// is error(), and nothing changes.
  void open_data(DataChoice choice);
  bool opening_data() const { return data_.under_way(); }

  // ---- results ----
  /// Takes what was computed; once per frame. True when something new is there.
  bool poll();
  /// Something was computed that poll() has not taken yet.
  bool has_news() const {
    return opening_.arrived() || run_.arrived() || generated_.arrived() || pinning_.arrived() ||
           data_.arrived() || adapting_.arrived();
  }
  /// The newest result, or null before the first.
  std::shared_ptr<const RunResult> result() const { return result_; }
  /// result() without the last change: the run of the newest undo point before it that computes
  /// other numbers, by the same model, also while that trains and after undo(). Null where nothing was
  /// changed, and until it is computed.
  std::shared_ptr<const RunResult> previous() const { return previous_; }
  /// What was changed between previous() and the document of now, in a sentence; empty where nothing was.
  std::string last_change() const;
  /// What "new minus old" subtracts: the pinned result, else previous(); or null.
  std::shared_ptr<const RunResult> against() const { return pinned_ ? pinned_ : previous_; }

  // ---- A and B ----
  /// Keeps the newest result as A, whatever is edited or opened from then on. Does nothing before the first.
  void pin() { pinned_ = result_ ? result_ : pinned_; }
  /// The same of what `make` gives, made and run in the background: what is open with other inputs and edits,
  /// or another model; null: nothing is kept.
  void pin(std::function<Result<std::shared_ptr<const Document>>(const std::atomic<bool>& cancel)> make);
  void unpin() { pinned_.reset(); }
  std::shared_ptr<const RunResult> pinned() const { return pinned_; }
  /// A becomes what is open, one undo point with `sentence` where it is of the same model, and what was open
  /// A.
  void swap_pinned(const Text& sentence);

  bool running() const { return run_.under_way(); }
  /// Share of the running forward that is done, 0..1.
  double progress() const { return so_far_ ? static_cast<double>(so_far_->share()) : 0; }
  /// What is known of the run under way; null where there is none.
  std::shared_ptr<const RunSoFar> so_far() const { return running() ? so_far_ : nullptr; }
  /// The run under way is of other tokens than result(), or there is no result yet: what it has come to is
  /// all that there is to show.
  bool runs_anew() const;
  void cancel_run() { run_.cancel(); }
  /// The last error, until something succeeds or it is dismissed.
  const std::optional<Error>& error() const { return error_; }
  void dismiss_error() { error_.reset(); }
  void report(Error error) { error_ = std::move(error); }
  /// The file of what is open that has a newer version on disk; empty where none has, or it was dismissed.
  const std::string& newer_file() const { return newer_file_; }
  void dismiss_newer_file() { take_stamps(); }
  /// Set when a mapped file was changed in place: its numbers would be a mix of old
  /// ones and new ones. Nothing is computed or shown until it was read again; the document stays.
  const std::optional<Error>& mixed() const { return mixed_; }
  /// The files of what is open are watched: poll() must be called now and then.
  bool watches_files() const { return !stamps_.empty(); }
  /// What is open was saved to this path by the program itself: that is no change on disk.
  void saved_to(const std::string& path);
  /// Runs the document as it stands again.
  void run();
  /// From now on documents of which `small` says so run before edit() returns, so that the frame that edits
  /// them shows the answer; none: all run beside the frame.
  void run_at_once(std::function<bool(const Document&)> small) { small_ = std::move(small); }
  /// Writes the session file (session_file.h) with view and cursor, and beside it a model in training with
  /// the checkpoint that its run goes on from. Errors: the writers'.
  Status save(const std::string& path, const nlohmann::json& look);
  /// The same by value, for another thread (write_session). Of a model in training the checkpoint is
  /// beside it: Training::write_later(path + kRunEnding).
  SessionCopy copy() const;

  /// Appends `count` tokens by the document's sampling, one undo point with `sentence`.
  void generate(int sequence, int count, const Text& sentence) {
    generate(sequence, count, sentence, document().sampling, false);
  }
  /// The model's own answer (greedy decoding). `kept`: the state is marked as saved with it, as
  /// with take_as_kept().
  void answer(int sequence, int count, const Text& sentence, bool kept = false) {
    generate(sequence, count, sentence, {.temperature = 0.f}, kept);
  }
  bool generating() const { return generated_.under_way(); }
  void cancel_generating() { generated_.cancel(); }

  // ---- training ----
  Training& training() { return training_; }
  const Training& training() const { return training_; }
  /// Begins a training run, or goes on from one on disk, and shows its model as soon as it is there.
  Status train(const TrainingSettings& settings, bool run);
  Status train_from(const KeptRun& kept);
  /// The run of a session that was just opened, whose model is what is open: it goes on from the checkpoint
  /// beside it, paused; inputs, edits and notes stay. Where the run cannot resume, error() is set.
  void train_from(const SessionFile& session);
  /// A training run is being started.
  bool awaits_training() const { return awaits_training_; }
  /// Opens the model in training with the example that is watched. From now on its newest model is shown
  /// while it trains; the undo points stay. Does nothing before there is a run.
  void show_training();
  /// What is open is the model in training.
  bool shows_training() const { return shows_training_; }
  /// Shows the model as it was after a step that is kept; < 0: always the newest.
  void show_checkpoint(int step) { wanted_step_ = step; }
  int wanted_checkpoint() const { return wanted_step_; }
  /// The step whose model is shown; -1 where something else is open.
  int shown_training_step() const { return shows_training_ ? shown_step_ : -1; }
  /// A weight was changed by hand: this copy of the model stays on screen.
  bool training_held() const;

  /// Computes what views and panels ask for (Computed<T>); no work may touch the Session.
  Workers& workers() const { return workers_; }
  /// Blocks until nothing is being opened, run or generated, polling meanwhile: for pictures, tests and the
  /// command line, never in a frame.
  void wait();

  /// Grows when another model was opened: views reset what depended on the old one.
  std::uint64_t opened_version() const { return opened_version_; }

 private:
  void open_history(std::function<Result<History>(const std::atomic<bool>& cancel)> make,
                    std::optional<OpenedAs> as);
  void finish_opening(Result<History> opened);
  void finish_open(Result<History> opened, std::optional<OpenedAs> as);
  void put_aside(OpenedAs next, bool keeps = false);
  LeftWork leave();
  void enter(LeftWork work);
  void begin_opened();
  /// A run, and that of the document without its last change; null while that is computed, and where there is
  /// none.
  struct Ran {
    std::shared_ptr<const RunResult> result, without;
  };
  struct Adapted {  // the open model with another adapter
    std::shared_ptr<const OpenedModel> opened;
    std::uint64_t version = 0;  ///< opened_version() of what it was
    Text sentence;
    std::string gesture;
  };
  struct Extended {  // a sequence with its generated tokens, and the document that they belong to
    int sequence = 0;
    std::vector<int> ids;
    std::vector<Span> spans;
    Text sentence;
    bool kept = false;
    std::uint64_t point = 0, opened = 0;
  };
  struct Pinned {
    std::shared_ptr<const RunResult> result;  ///< null: nothing is kept
    std::uint64_t opened = 0;
  };
  struct RunRequest {
    Document document;
    std::vector<std::shared_ptr<const Trace>> before;  ///< runs to start from
    std::optional<Document> unchanged;                 ///< without the last change
    std::shared_ptr<const RunResult> known;            ///< its run, where that is there
    bool trained = false;                              ///< the model was exchanged for that of another step
    std::uint64_t point = 0, opened = 0;
    std::shared_ptr<RunSoFar> so_far;
  };
  void start(Older older);
  static Result<Ran> ran(const RunRequest& asked, const Computed<Result<Ran>>::Progress& progress);
  std::shared_ptr<const RunResult> result_without_change(const Document& unchanged) const;
  void take_run(const Result<Ran>& ran);
  void take_generated(const Result<Extended>& made);
  void take_data(const Result<std::shared_ptr<const DataPrompts>>& made);
  void take_pinned(const Result<Pinned>& made);
  void take_adapted(const Result<Adapted>& made);
  void generate(int sequence, int count, const Text& sentence, const Sampling& sampling, bool kept);
  static std::shared_ptr<RunResult> result_of(const Document& document,
                                              std::vector<std::shared_ptr<const Trace>> traces,
                                              std::uint64_t opened);
  void join_training(const TrainingSnapshot& snapshot);
  void follow_training();
  void follow_files();
  void take_stamps();

  std::function<void()> wake_;
  History history_;
  std::uint64_t kept_point_ = history_.point();
  std::uint64_t tried_point_ = 0;  ///< of the state that a thing to try has led to; 0: none
  std::shared_ptr<const RunResult> result_, previous_, pinned_;
  std::optional<Error> error_, mixed_;
  bool error_outlives_run_ = false;  ///< the error is of a data set, and the run under way says nothing of it
  std::vector<ReadFile> stamps_;     ///< of the files of what is open, at the last look
  std::string newer_file_;
  std::chrono::steady_clock::time_point looked_;  ///< at the paths
  std::uint64_t opened_version_ = 0;
  // Of all sessions: no two results have the same number.
  static inline std::atomic<std::uint64_t> next_version_{1};
  std::function<bool(const Document&)> small_;
  Computed<Result<History>> opening_;
  std::optional<OpenedAs> opening_as_;
  Computed<Result<Ran>> run_;
  std::shared_ptr<RunSoFar> so_far_;  ///< of the newest run
  Computed<Result<Extended>> generated_;
  Computed<Result<Pinned>> pinning_;
  Computed<Result<Adapted>> adapting_;
  Computed<Result<std::shared_ptr<const DataPrompts>>> data_;
  std::function<std::shared_ptr<const nlohmann::json>()> keep_look_;
  std::shared_ptr<const nlohmann::json> look_;
  std::vector<LeftWork> before_, after_;
  std::uint64_t work_ = 1, last_work_ = 1;
  bool page_ = false, from_lesson_ = false;
  bool shows_training_ = false, awaits_training_ = false;
  std::optional<TrainingShown> joins_;  ///< the run being started is that of the session that is open
  std::uint64_t awaited_after_ = 0;     ///< the run before the one being started
  int wanted_step_ = -1, shown_step_ = -1;
  Training training_;
  mutable Workers workers_;  // last: its threads end first
};

}  // namespace attnscope
