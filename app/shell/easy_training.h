// Training in the easy window: a task, one button, the loss as it falls, and one sentence about it. Sizes and
// recipe are in the full window's view.
#pragma once

#include <string>

#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "app/widgets/line_plot.h"

namespace attnscope {

class EasyTraining {
 public:
  /// True where it stands beside the picture: in the view that asks how a model learns.
  static bool shown(const FrameState& state);
  /// Width in pixels of the panel.
  static float width();
  void draw(FrameState& state, ImVec2 at, ImVec2 size);
  /// While a run goes on and another view is open: one line that says so; returns its height in pixels.
  float draw_elsewhere(FrameState& state, ImVec2 at, float width);

 private:
  void follow(const Session& session);
  /// The run of the task that is chosen; null where there is none.
  const TrainingSnapshot* chosen_run(const Session& session) const;
  void draw_task(float width);
  void draw_button(FrameState& state);
  void draw_course(const Session& session, ImVec2 at, ImVec2 size);
  void start(FrameState& state) const;

  std::shared_ptr<const TrainingSnapshot> snapshot_;
  std::string task_;       ///< empty before the first frame
  std::uint64_t run_ = 0;  ///< the run whose task was taken over
  KeptText title_, said_, elsewhere_;
  Kept<LinePlot> plot_;
};

}  // namespace attnscope
