// The line below the input while a run is pinned: what A is, how the prediction changed from A to
// B (the newest run), and actions on the two. If the predictions cannot be compared, it shows
// why.
#pragma once

#include <string>
#include <vector>

#include "app/state/frame_state.h"

namespace attnscope {

/// What distinguishes A from B (may be null): its model if different, its training step, its text, and
/// whether it is edited.
std::string pinned_name(const RunResult& pinned, const RunResult* run, int sequence);

class CompareBar {
 public:
  /// Draws at `position`; returns the height used in pixels, 0 if nothing is pinned. `run` may be null.
  float draw(FrameState& state, const RunResult* run, ImVec2 position, float width);

 private:
  void take_answers(const RunResult& pinned, const RunResult& run, int sequence);

  std::uint64_t key_ = 0;  ///< cache key of the texts
  std::string answer_;     ///< how the prediction changed, or why it cannot be compared
  std::string details_;    ///< outputs that gained and lost probability, one per line
};

}  // namespace attnscope
