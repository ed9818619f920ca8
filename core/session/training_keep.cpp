// Saving a training run to disk: while it goes on, when it pauses, and at the end.
// Files that another window has written are not overwritten.
#include <filesystem>

#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/session/training.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {

// ---- called by the window ------------------------------------------------------------------------

Training::~Training() { (void)close(); }

void Training::keep_in(std::string folder) {
  std::lock_guard lock(mutex_);
  folder_ = std::move(folder);
}

std::string Training::kept_in() const {
  std::lock_guard lock(mutex_);
  return folder_;
}

void Training::remove_kept(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::remove(path, error) && error)
    return tell({TrainingOutcome::Kind::failed, path,
                 fail(Code::io_failed, "error.session.training.remove", {quoted_path(path), error.message()}),
                 0});
  ++kept_version_;
  if (wake_) wake_();
}

// Before all else that was ordered; the step in hand is done again.
Status Training::now(const std::function<Status()>& what) {
  Status made = Done{};
  cancel_ = true;
  const bool begun = worker_.order_now([&] {
    cancel_ = false;
    const Status tried = guarded(Text::of("error.work.keep"), [&] {
      made = what();
      publish(true);
    });
    if (!tried) made = tried;
  });
  if (!begun) cancel_ = false;
  return made;
}

Status Training::settle() {
  return now([this] {
    if (state_ == TrainingState::running) state_ = TrainingState::paused;
    return kept_somewhere();
  });
}

Status Training::write(const std::string& path) {
  return now([this, path]() -> Status {
    if (!trainer_) return Done{};
    std::vector<EarlierModel> earlier;
    for (const auto& [step, checkpoint] : ring_.all())
      if (step < trainer_->state().step) earlier.push_back({step, checkpoint->model});
    return save_checkpoint(path, *trainer_, earlier);
  });
}

void Training::write_later(const std::string& path) {
  order([this, path] {
    if (!trainer_) return;
    Status written = save_checkpoint(path, *trainer_);
    std::lock_guard lock(mutex_);
    written_later_ = std::move(written);
  });
}

std::optional<Status> Training::take_written_later() {
  std::lock_guard lock(mutex_);
  return std::exchange(written_later_, std::nullopt);
}

Status Training::close() {
  Status done = settle();
  worker_.end();
  return done;
}

// ---- the run's thread ----------------------------------------------------------------------------

// Whether another run may replace this one: it is saved, or its loss was reported and the call is
// repeated.
bool Training::leave() {
  Status done = kept();
  if (done || std::exchange(warned_, true)) return true;
  const Text lost = Text::of("error.session.training.lost");
  tell({TrainingOutcome::Kind::failed, kept_path_, done.error().advising(lost), 0});
  return false;
}

// The steps since the last time are on disk.
Status Training::kept() {
  const std::string folder = kept_in();
  kept_ = Clock::now();
  if (folder.empty() || !trainer_ || trainer_->state().step == kept_step_) return Done{};
  TRY_OK(make_folder(folder));
  // Another window may go on with the same run: then each has a file of its own.
  const auto there = kept_path_.empty() ? std::nullopt : stamp_of(kept_path_);
  const bool own = there && kept_stamp_ && there->same_file(*kept_stamp_) && !rewritten(*kept_stamp_, *there);
  if (!own) {
    TRY(kept_path_, claim_kept_path(folder, settings_.task));
  }
  if (Status saved = save_checkpoint(kept_path_, *trainer_); !saved) {
    std::error_code error;
    if (!own) std::filesystem::remove(std::exchange(kept_path_, {}), error);
    return saved;
  }
  kept_stamp_ = stamp_of(kept_path_);
  kept_step_ = trainer_->state().step;
  warned_ = false;
  ++kept_version_;
  return Done{};
}

// Before the end: where the run's own place fails, another one is as good.
Status Training::kept_somewhere() {
  Status done = kept();
  if (done || (rescued_ && rescued_->first == trainer_->state().step)) return done ? done : rescued_->second;
  const std::string name = "/" + settings_.task + ".safetensors";
  const auto written = rescued(
      "training", [&](const std::string& folder) { return save_checkpoint(folder + name, *trainer_); });
  const Error error =
      done.error().advising(written ? Text::of("error.session.training.rescued", {*written + name, kept_in()})
                                    : Text::of("error.session.training.not_rescued"));
  if (written) rescued_ = {trainer_->state().step, error};
  return error;
}

void Training::keep() {
  if (Status done = kept(); !done) tell({TrainingOutcome::Kind::failed, kept_path_, done.error(), 0});
}

}  // namespace attnscope
