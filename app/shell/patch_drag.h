// Activation patching by mouse: a place of run A dragged onto B's half of the stage becomes an edit of B,
// with rows aligned by their tokens. The cells it affects are shaded in B while dragging, and after the drop
// until the next press. Errors (B cannot take it) are shown in the tooltip.
#pragma once

#include <memory>
#include <optional>

#include "app/state/frame_state.h"

namespace attnscope {

class PatchDrag {
 public:
  /// After A's half was drawn: a mouse press starts dragging the place under the pointer.
  void pick(const std::optional<Place>& pointed);
  /// After both halves were drawn, B's in `b0`..`b1`; `b` null: A and B are not side by side.
  void draw(FrameState& state, const RunResult* b, ImVec2 b0, ImVec2 b1);

 private:
  void make(const FrameState& state, const RunResult& b);
  void label(const FrameState& state, bool over) const;
  void put(FrameState& state, const RunResult& b);
  void fade(const FrameState& state);

  std::optional<Place> place_;              ///< being dragged
  std::optional<Result<NumberEdit>> edit_;  ///< the edit it would make in B
  std::uint64_t run_ = 0;                   ///< version of the run that the edit was made for
  std::shared_ptr<const Edit> put_;         ///< the last dropped edit
};

}  // namespace attnscope
