// A place of A that is dragged onto B's half of the stage: B takes what A holds there, rows matched by their
// tokens, and the cone that it reaches is shaded in B while one holds it there, and after it was dropped
// until the next press. Refuses what B cannot take: the label at the pointer says why.
#pragma once

#include <memory>
#include <optional>

#include "app/state/frame_state.h"

namespace attnscope {

class PatchDrag {
 public:
  /// A's half was drawn: a press takes along what it was on.
  void pick(const std::optional<Place>& pointed);
  /// Both halves were drawn, B's between `b0` and `b1`; `b` null: A and B do not stand side by side.
  void draw(FrameState& state, const RunResult* b, ImVec2 b0, ImVec2 b1);

 private:
  void make(const FrameState& state, const RunResult& b);
  void label(const FrameState& state, bool over) const;
  void put(FrameState& state, const RunResult& b);
  void fade(const FrameState& state);

  std::optional<Place> place_;              ///< that is held
  std::optional<Result<NumberEdit>> edit_;  ///< of it, once it was over B
  std::uint64_t run_ = 0;                   ///< that the edit was made for
  std::shared_ptr<const Edit> put_;         ///< that was dropped last
};

}  // namespace attnscope
