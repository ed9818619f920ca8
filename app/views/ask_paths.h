// Attention through all blocks, beside the raw patterns: for the row that is asked about, what each row of
// the input has of it after every block, as raw attention, rollout or flow. Refuses to compute: core/lens
// does.
#pragma once

#include "app/views/view.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/computed.h"
#include "core/lens/rollout.h"

namespace attnscope {

class AskPaths {
 public:
  void draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room);

 private:
  void draw_choices(const Trace& trace);
  void draw_rows(const ViewContext& context, const Trace& trace, const PathRows& found, std::int64_t query,
                 bool fresh, ImVec2 at, ImVec2 room);

  AttentionPath path_ = AttentionPath::rollout;
  AttentionPlace place_;
  MatrixWindow window_;
  Computed<Result<PathRows>> rows_;
};

}  // namespace attnscope
