// The figure of a slide that is not on the screen yet, small, for whoever speaks: its session is opened and
// run beside the frame, and drawn as the projector will show it.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>

#include "app/figure/figure_box.h"
#include "app/state/frame_state.h"

namespace attnscope {

class SlidePreview {
 public:
  /// Draws it at the cursor of ImGui, `width` pixels wide. False while it is computed, and where its view has
  /// no such figure; then nothing is drawn.
  bool draw(const FrameState& state, int slide, float width);

 private:
  using Run = std::shared_ptr<const RunResult>;
  bool place(const RunResult& run, ImVec2 size);

  Computed<Result<Run>> run_;
  std::shared_ptr<const nlohmann::json> session_;  ///< of the slide
  Run placed_;                                     ///< the run of the state below
  std::optional<ViewState> view_;
  const ViewSpec* spec_ = nullptr;
  FigureBox box_;
};

}  // namespace attnscope
