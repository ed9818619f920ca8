// Autosave: the open work, and those opened before it, are written every few seconds while they have unsaved
// changes, one session file each in the config folder. Deleted when the program exits normally; after a crash
// the next start offers them (kept_sessions.h). Written by a background job. Errors: one notice when writing
// fails, and it is tried again.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "app/state/frame_state.h"

namespace attnscope {

class Autosave {
 public:
  /// Once per frame: starts a write if something changed and the last write was long enough ago.
  void follow(FrameState& state);
  /// True while there are changes to write: the event loop must draw a frame soon.
  bool waiting() const { return waiting_; }
  /// What is being written is there, or was given up: before the program ends, never in a frame.
  static void finish(const FrameState& state);

 private:
  void take_written(FrameState& state);
  void take_run_written(FrameState& state);
  void write_run(Session& session, std::uint64_t work);
  bool run_is_first(Session& session, std::uint64_t work, double now);
  void follow_current(FrameState& state, double now);
  bool follow_left(FrameState& state);
  void write(FrameState& state, std::uint64_t work, std::uint64_t version, SessionCopy copy,
             nlohmann::json look);

  double last_ = -1e9;       ///< time of the last write, seconds of ImGui's clock
  int step_ = -1;            ///< last written optimiser step of the training run
  double run_asked_ = -1;    ///< time at which its checkpoint was asked for; < 0: it was not
  bool run_comes_ = false;   ///< and it is not written yet
  bool run_failed_ = false;  ///< it could not be written
  bool waiting_ = false, told_ = false, told_run_ = false;
  std::uint64_t writing_work_ = 0, writing_version_ = 0;
};

}  // namespace attnscope
