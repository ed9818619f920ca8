// The stage: the tabs, one view or two side by side, and what stands there instead of a view (nothing open, a
// view that cannot show this run, a run that takes long). Refuses to know what a view draws.
#pragma once

#include <chrono>

#include "app/frame_state.h"

namespace attnscope {

class Stage {
 public:
  /// Draws between state.stage_min and state.stage_max. `run` may be null.
  void draw(FrameState& state, const RunResult* run, const RunResult* before, Painter& painter);

 private:
  void draw_tabs(FrameState& state, const char* id, ImVec2 position, float width, std::string& shown,
                 std::string& other);
  void draw_pane(FrameState& state, const char* id, ImVec2 min, ImVec2 max, std::string& shown,
                 std::string& other, const RunResult* run, const RunResult* before, Painter& painter);
  void draw_view(FrameState& state, const std::string& shown, const RunResult* run, const RunResult* before,
                 Painter& painter);
  void draw_split(FrameState& state, float x);
  void draw_progress(FrameState& state);

  std::chrono::steady_clock::time_point quiet_since_ = std::chrono::steady_clock::now();
};

}  // namespace attnscope
