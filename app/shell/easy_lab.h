// Labs in the easy window: one lab, another one each day, with the one number that is worth moving.
#pragma once

#include <map>
#include <string>

#include "app/state/frame_state.h"
#include "core/lab/lab.h"

namespace attnscope {

class EasyLab {
 public:
  /// The lab that is shown: the one that is open, else that of the day; null where the open one takes longer
  /// than a picture may.
  static const Lab* shown(const Workspace& workspace);
  /// That of today, of those that are computed while a slider moves.
  static const Lab& of_the_day();
  /// Its values, made where there are none yet.
  static LabValues& values(Workspace& workspace, const Lab& lab);
  /// The slider, `right` its end; returns its left end.
  float draw(Workspace& workspace, float right, float y);

 private:
  Lab one_;  ///< the lab with this control alone
};

}  // namespace attnscope
