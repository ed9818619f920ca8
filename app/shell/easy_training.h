// Training in the easy window: a task, one button, the loss as it falls, one sentence about it, and one thing
// to try. How one number changes is a film behind a button; sizes and recipe are in the full window's view.
#pragma once

#include <string>

#include "app/figure/figure_box.h"
#include "app/look/kept_text.h"
#include "app/state/frame_state.h"
#include "app/widgets/line_plot.h"

namespace attnscope {

/// The key of what can be tried beside it. `begun`: a run of the chosen task; `own`: it is what is open.
const char* training_try_key(TrainingState state, bool begun, bool own);

class EasyTraining {
 public:
  /// True in the view that asks how a model learns.
  static bool shown(const FrameState& state);
  /// In place of the picture, where no station of the way back is looked at.
  void draw(FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size);
  /// At a station of the way back: the button that leads here. Returns the left end of what it drew.
  float draw_return(FrameState& state, float right, float y) const;
  /// While a run goes on and another view is open: one line that says so; returns its height in pixels.
  float draw_elsewhere(FrameState& state, ImVec2 at, float width);

 private:
  void follow(const Session& session);
  /// The run of the task that is chosen; null where there is none.
  const TrainingSnapshot* chosen_run(const Session& session) const;
  void draw_task(float width);
  void draw_button(FrameState& state);
  float draw_said(const Session& session, ImVec2 at, float width);
  void draw_side(FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size);
  void draw_said_next(const FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size);
  void draw_curve(const Session& session, ImVec2 at, ImVec2 size);
  float follow_losses(const FrameState& state, const RunResult* run, ImVec2 most);
  void draw_try(FrameState& state, ImVec2 at, float width) const;
  void start(FrameState& state) const;

  std::shared_ptr<const TrainingSnapshot> snapshot_;
  std::string task_;          ///< empty before the first frame
  std::uint64_t run_ = 0;     ///< the run whose task was taken over
  std::uint64_t opened_ = 0;  ///< Session::opened_version() + 1 of what was asked for its task
  KeptText title_, said_, elsewhere_, back_;
  Kept<LinePlot> plot_;
  FigureBox answer_;  ///< what the model that is open says
  FigureBox losses_;  ///< before the start: what the loss of each word of the open text is
};

}  // namespace attnscope
