// The line under the input while a run is pinned: what A is, how the answer changed from A to B (the newest
// run), and what can be done with the two. Refuses to say how an answer changed where one of them has none:
// it says why.
#pragma once

#include <string>
#include <vector>

#include "app/state/frame_state.h"

namespace attnscope {

/// What tells A from B (which may be null): its model where that is another one, its step where it trains,
/// its text, and whether it is edited.
std::string pinned_name(const RunResult& pinned, const RunResult* run, int sequence);

class CompareBar {
 public:
  /// Draws at `position`; the height that was used, 0 while nothing is pinned. `run` may be null.
  float draw(FrameState& state, const RunResult* run, ImVec2 position, float width);

 private:
  void take_answers(const RunResult& pinned, const RunResult& run, int sequence);

  std::uint64_t key_ = 0;  ///< what the sentences were made for
  std::string answer_;     ///< how the answer changed, or why that cannot be said
  std::string details_;    ///< the outputs that gained and lost, a line each
};

}  // namespace attnscope
