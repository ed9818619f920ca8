// What is open, and what was open before, is kept every few seconds while it has changes that are not saved:
// a session each in the folder of settings, which goes when the program ends in peace and becomes what the
// next start offers where it did not (kept_sessions.h). Writes in the background. Refuses to fail silently:
// it is told once that nothing can be kept, and tried again.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/state/frame_state.h"

namespace attnscope {

class Autosave {
 public:
  /// Once per frame: writes when there is something new and the last time is long enough ago.
  void follow(FrameState& state);
  /// Something new is not written yet: a frame is worth drawing before long.
  bool waiting() const { return waiting_; }
  /// What is being written is there, or was given up; before the program ends.
  static void finish(const Jobs& jobs);

 private:
  void take_written(FrameState& state);
  void take_run_written(FrameState& state);
  void write_run(Session& session, std::uint64_t work);
  void follow_current(FrameState& state, double now);
  bool follow_left(FrameState& state);
  void write(FrameState& state, std::uint64_t work, std::uint64_t version, SessionCopy copy,
             nlohmann::json look);

  double last_ = -1e9;  ///< seconds of the program's clock
  int step_ = -1;       ///< of the model in training, that was written last
  bool waiting_ = false, told_ = false, told_run_ = false;
  Job<Status> writing_;
  std::uint64_t writing_work_ = 0, writing_version_ = 0;
};

}  // namespace attnscope
