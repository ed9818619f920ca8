// Looks for NaN and infinities among the weights of what was opened, once, in the background, and says so in
// a notice. Refuses to make the frame wait.
#pragma once

#include <atomic>
#include <memory>

#include "app/state/frame_state.h"

namespace attnscope {

class WeightCheck {
 public:
  /// Once per frame: starts the search when another model was opened, and tells what was found.
  void follow(FrameState& state);

 private:
  Computed<WeightHealth> search_;
  std::uint64_t opened_ = 0;
};

}  // namespace attnscope
