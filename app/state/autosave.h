// What is open is kept every few seconds while it has changes that are not saved, as a session in the folder
// of settings; it goes when the program ends in peace, and the next start offers what a crash left. Writes in
// the background. Refuses to touch the file of a program that still runs on this machine.
#pragma once

#include "app/state/frame_state.h"

namespace attnscope {

class Autosave {
 public:
  /// Once per frame: writes when there is something new and the last time is long enough ago.
  void follow(FrameState& state);
  /// Something new is not written yet: a frame is worth drawing before long.
  bool waiting() const { return waiting_; }
  /// The program ends, and what was not saved is let go of.
  static void remove(const Jobs& jobs);
  /// The newest session that a program left which no longer runs; empty: none. The file is renamed, so that
  /// it is offered once.
  static std::string left_behind();

 private:
  double last_ = 0;          ///< seconds of the program's clock
  std::uint64_t point_ = 0;  ///< what was written last
  std::uint64_t opened_ = 0;
  int step_ = -1;  ///< of the model in training, likewise
  bool waiting_ = false;
};

}  // namespace attnscope
