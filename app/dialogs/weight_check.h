// Searches the weights of a newly opened model for NaN and infinities, once, in a background job, and shows a
// notice if there are any.
#pragma once

#include <atomic>
#include <memory>

#include "app/state/frame_state.h"

namespace attnscope {

class WeightCheck {
 public:
  /// Once per frame: starts the search after another model was opened, and shows its result.
  void follow(FrameState& state);

 private:
  Computed<WeightHealth> search_;
  std::uint64_t opened_ = 0;
};

}  // namespace attnscope
