// Labs in the easy window: one lab, another one each day, with the one or two numbers that are worth moving
// and one thing to try.
#pragma once

#include <string>

#include "app/state/frame_state.h"
#include "core/base/computed.h"
#include "core/lab/lab.h"

namespace attnscope {

class EasyLab {
 public:
  /// The lab that is shown: the one that is open, else that of the day.
  static const Lab& shown(const Workspace& workspace);
  /// That of today, of those that one begins with.
  static const Lab& of_the_day();
  /// Its values, made where there are none yet.
  static LabValues& values(Workspace& workspace, const Lab& lab);
  /// The picture of a lab at its values, computed beside the frame: the newest one there is, else null.
  std::shared_ptr<const Result<LabPicture>> picture(const FrameState& state, const Lab& lab);
  /// "Another lab", `right` its end; returns its left end.
  static float draw_list(Workspace& workspace, float right, float y);
  /// Height of the controls and the card below the picture, in pixels.
  static float height();
  void draw(FrameState& state, ImVec2 at, float width);

 private:
  void toggle(FrameState& state, const Lab& lab);
  void move(FrameState& state, const Lab& lab);
  bool moved_ = false;  ///< the control is on its way to what is to be tried
  float share_ = 0;     ///< of that way
  double from_ = 0;     ///< where it began
  std::string moves_;   ///< id of the lab
  Lab one_;             ///< the lab with the controls that are shown
  std::string drawn_;   ///< key of the lab that was asked for last
  Computed<Result<LabPicture>> picture_;
};

}  // namespace attnscope
