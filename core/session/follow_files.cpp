// The files of what is open, while other programs save them: what was copied stays as it was and the newer
// state is offered; numbers that are read from the mapped file are not used once the file was written to.
#include <algorithm>

#include "core/session/session.h"

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kLookAgain{400};

}  // namespace

void Session::follow_files() {
  if (pinned_ && pinned_->document.model)
    if (const Status same = pinned_->document.model->weights().intact(); !same) {
      const bool other = pinned_->document.opened != document().opened;
      pinned_.reset();  // its numbers are looked up in that file, too
      if (other) report(same.error());
    }
  if (stamps_.empty() || mixed_) return;
  if (const Status same = document().model->weights().intact(); !same) {
    mixed_ = same.error();
    run_.cancel();
    generated_.cancel();
    result_.reset();
    previous_.reset();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookAgain) return;
  looked_ = now;
  const auto newer =
      std::find_if(stamps_.begin(), stamps_.end(), [](const ReadFile& f) { return f.newer(); });
  newer_file_ = newer == stamps_.end() ? std::string() : newer->path;
}

void Session::take_stamps() {
  for (ReadFile& file : stamps_) file.stamp = stamp_of(file.path).value_or(file.stamp);
  newer_file_.clear();
}

void Session::saved_to(const std::string& path) {
  const auto now = stamp_of(path);
  for (ReadFile& file : stamps_)
    if (const auto its = stamp_of(file.path); now && its && its->same_file(*now)) file.stamp = *now;
}

}  // namespace attnscope
