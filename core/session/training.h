// A training run beside the Session: one thread owns the Trainer and executes the commands of the window
// (start, pause, one step, another learning rate), and publishes immutable snapshots. Calls do not
// block unless stated. The run is saved to disk when it pauses or ends, each run
// in a file of its own, and where that file cannot be written, in another place.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/arch/open.h"
#include "core/base/no_copy.h"
#include "core/base/workers.h"
#include "core/session/training_curves.h"
#include "core/session/training_files.h"

namespace attnscope {

/// The prefix of the path of a model that trains; the name of its task follows.
inline constexpr std::string_view kTrainingPath = "training:";

enum class TrainingState : std::uint8_t { none, preparing, running, paused, measuring, finished, failed };
/// "running", as the state file and tests spell it.
const char* training_state_name(TrainingState state);

/// The model as it was after a step, and its run of the example that is watched.
struct Checkpoint {
  int step = 0;
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Trace> shown;  ///< null where the example could not be run
};

/// A training run as it stood at one moment. Immutable.
struct TrainingSnapshot {
  std::uint64_t version = 0;  ///< grows with every snapshot
  std::uint64_t run = 0;      ///< grows with every start
  TrainingSettings settings;  ///< with the smoothing of now
  std::shared_ptr<const Task> task;
  std::shared_ptr<const OpenedModel> opened;  ///< what the run's model is called, and its tokenizer
  Example example;                            ///< the task's fixed example
  Checkpoint now;
  std::vector<std::shared_ptr<const Checkpoint>> checkpoints;  ///< evenly over the whole run, oldest first
  std::shared_ptr<const TrainingCurves> curves;
  std::vector<Measure> measures;  ///< of the finished model; empty before
  int measured_on = 0;            ///< held-out examples that they were measured on
  std::optional<Error> error;     ///< why the run stopped
  double tokens_per_second = 0, steps_per_second = 0;
  double learning_rate_factor = 1;
  int steps = 0;  ///< where the run ends
};

/// The result of a request for a file.
struct TrainingOutcome {
  enum class Kind : std::uint8_t { saved, exported, resumed, failed };
  Kind kind = Kind::saved;
  std::string path;
  Error error;               ///< where it failed
  std::uint64_t number = 0;  ///< grows with every outcome
};

class Training : NoCopy {
 public:
  /// `wake` is called from the run's thread when its state changes (not with every snapshot).
  explicit Training(std::function<void()> wake = {});
  ~Training();  ///< close()

  /// Starts a new run: runs, or does no step yet. Errors: check_settings; then nothing is started. If the run
  /// before cannot be saved, outcome() has the error and nothing is started until the next call.
  Status start(const TrainingSettings& settings, bool run = true);
  /// Resumes from a checkpoint of a run with these settings, paused; a file of the folder of kept runs is
  /// updated further, another one stays as it is. A file that does not fit gives a failed outcome().
  /// `earlier`: the model as it was after an earlier step, which the file does not hold.
  Status resume(const TrainingSettings& settings, const std::string& path,
                std::optional<EarlierModel> earlier = {});
  void go();
  void pause();
  void step_once();
  /// Ends the run here, and measures its model.
  void stop();
  /// The schedule's learning rate is multiplied by this.
  void set_learning_rate_factor(double factor);
  void set_smoothing(double smoothing);
  /// A checkpoint file, or the model of now as a folder with its card; in the background (outcome()).
  void save(const std::string& path);
  void export_model(const std::string& folder);
  /// Writes the run as it stands to a checkpoint file, with the models that one can go back to, and waits for
  /// that; the run goes on, and a snapshot of that step is published. Errors: the writers'.
  Status write(const std::string& path);
  /// The newest model alone, without waiting, after the step in hand; take_written_later() tells of it.
  void write_later(const std::string& path);
  /// What became of the newest write_later() that was carried out; once.
  std::optional<Status> take_written_later();
  /// Runs are kept in this folder when they pause, end, and every half minute; empty: nowhere.
  void keep_in(std::string folder);
  std::string kept_in() const;
  /// Grows with every file that was kept or removed.
  std::uint64_t kept_version() const { return kept_version_; }
  /// Pauses and keeps the run, and waits for it. Errors: it cannot be kept in its folder; the sentence says
  /// where it lies instead. Where nothing was trained since it was kept last, there is nothing to do.
  Status settle();
  /// The same, and ends the thread: no further calls.
  Status close();
  /// Removes the file of a kept run from the disk. A failure gives a failed outcome().
  void remove_kept(const std::string& path);

  TrainingState state() const { return state_; }
  /// Steps are being done.
  bool running() const { return state_ == TrainingState::running; }
  /// Something is being computed.
  bool busy() const;
  /// The newest, or null before the first run.
  std::shared_ptr<const TrainingSnapshot> snapshot() const;
  std::optional<TrainingOutcome> outcome() const;
  void dismiss_outcome();
  /// Returns when nothing is being computed and no run goes on: for tests and pictures, never in a frame.
  void wait() const { worker_.finish(); }

 private:
  using Clock = std::chrono::steady_clock;
  void order(std::function<void()> what);
  Status now(const std::function<Status()>& what);
  // On the run's thread.
  void prepare(TrainingSettings settings, bool run);
  void take_up(TrainingSettings settings, const std::string& path,
               const std::optional<EarlierModel>& earlier);
  void go_on_from(std::vector<EarlierModel> before, const std::optional<EarlierModel>& looked_at);
  Status export_now(const std::string& folder) const;
  static Result<Trainer> made(TrainingSettings& settings);
  bool leave();
  void adopt(Trainer trainer, const TrainingSettings& settings);
  void advance();
  void finish();
  void measure_held_out();
  void remember();
  Checkpoint checkpoint_now() const;
  Checkpoint checkpoint_of(int step, std::shared_ptr<const Model> model) const;
  void publish(bool wake);
  void carry_out(const std::function<void()>& what);
  Status kept();
  Status kept_somewhere();
  void keep();
  void tell(TrainingOutcome outcome);

  std::function<void()> wake_;
  std::atomic<TrainingState> state_{TrainingState::none};
  std::atomic<bool> cancel_{false};
  std::atomic<std::uint64_t> kept_version_{0};

  mutable std::mutex mutex_;
  std::shared_ptr<const TrainingSnapshot> snapshot_;
  std::optional<TrainingOutcome> outcome_;
  std::optional<Status> written_later_;
  std::string folder_;

  // Of the run's thread alone.
  std::optional<Trainer> trainer_;
  TrainingSettings settings_;
  std::shared_ptr<const Task> task_;
  std::shared_ptr<const OpenedModel> opened_;
  Example example_;
  TrainingCurves curves_;
  CheckpointRing<std::shared_ptr<const Checkpoint>> ring_;
  std::vector<Measure> measures_;
  std::optional<Error> error_;
  std::uint64_t version_ = 0, run_ = 0, outcomes_ = 0;
  std::string kept_path_;                ///< of this run; empty before it was kept
  std::optional<FileStamp> kept_stamp_;  ///< of that file, as it was left
  int kept_step_ = -1;
  std::optional<std::pair<int, Error>>
      rescued_;          ///< the step that was written elsewhere, and the error that was reported
  bool warned_ = false;  ///< that the run cannot be kept
  Clock::time_point published_, kept_;

  Worker worker_;  // last: its thread ends first
};

}  // namespace attnscope
