// The chips of the two pages of paths; and attention through all blocks: for the row of the measure, the
// share of each input row after every block, as raw attention, attention rollout or attention flow. Computed
// in core/lens.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/computed.h"
#include "core/lens/rollout.h"

namespace attnscope {

class AskPaths {
 public:
  /// What is followed: direct and total paths from sender to receiver, or attention alone.
  void draw_kinds(const ViewContext& context, class ChipRow& line);
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  void draw_choices(const ViewContext& context, const Trace& trace, float width);
  void draw_rows(const ViewContext& context, const Trace& trace, const PathRows& found, std::int64_t query,
                 bool fresh, ImVec2 at, ImVec2 room);

  AttentionPlace place_;  ///< that is followed
  MatrixWindow window_;
  Computed<Result<PathRows>> rows_;
};

}  // namespace attnscope
