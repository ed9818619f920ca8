// The stage: tabs, one view or two side by side, and what is shown instead of a view (start page, why a view
// is unavailable for this run, progress of a long run).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "app/look/kept_text.h"
#include "app/shell/patch_drag.h"
#include "app/shell/stage_compare.h"
#include "app/state/opened_row.h"

namespace attnscope {

/// In a window lower than this (units), captions and margins around the figure are left out.
inline constexpr float kVeryLow = 400.f;

class Stage {
 public:
  /// Draws between state.stage_min and state.stage_max. `run` may be null.
  void draw(FrameState& state, const RunResult* run, const RunResult* before, Painter& painter);

 private:
  /// One half of the stage, or all of it: its view, showing the newest run (B) or the pinned one (A).
  struct Half {
    const char* id;
    bool second;
    std::string& shown;
    bool& pinned;
    const RunResult *run, *before;
  };
  void draw_tabs(FrameState& state, const Half& half, ImVec2 position, float width);
  void draw_half(FrameState& state, const Half& half, ImVec2 min, ImVec2 max, Painter& painter);
  void draw_view(FrameState& state, const Half& half, Painter& painter);
  static void name_run(const FrameState& state, const Half& half, ImVec2 at, float width);
  void draw_split(FrameState& state, float x);
  static void follow_active(FrameState& state, float x);
  static void draw_active(const FrameState& state, float x);
  void draw_progress(FrameState& state);
  void open_row(FrameState& state, const RunResult& run);

  PatchDrag patch_;
  std::array<StageCompare, 2> compare_;
  std::array<std::string, 2> shown_;  // the views of the last frame
  OpenedRow opened_row_;
  std::pair<bool, std::uint64_t> row_of_;  // the mask is shown, of what was opened: when the row was chosen
  std::array<KeptText, 2> why_;            // why the view is unavailable
  std::chrono::steady_clock::time_point quiet_since_ = std::chrono::steady_clock::now();
};

}  // namespace attnscope
