// Strength: the measure over the strength of what edits add to the stream behind blocks (a direction, a
// steering vector). A single vector is put behind every block in turn, a curve for each; several are each
// left at their block, and all together. The numbers of attnscope-cli steer (core/session/steer_sweep.h),
// beside the frame.
#pragma once

#include <memory>
#include <vector>

#include "app/look/kept_text.h"
#include "app/views/view.h"
#include "app/widgets/line_plot.h"
#include "core/base/computed.h"
#include "core/session/steer_sweep.h"

namespace attnscope {

class AskSteer {
 public:
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  using Answer = Result<SteerCurves>;
  static LinePlot plot_of(const SteerCurves& found);

  Kept<bool> any_;  ///< vectors are added
  Kept<LinePlot> plot_;
  Computed<Answer> made_;
  std::uint64_t allowed_ = 0;
};

}  // namespace attnscope
