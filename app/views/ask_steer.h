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
  struct Found {
    std::vector<SteerCell> cells;
    std::vector<double> values;  ///< of the run without vectors, then of each cell
    std::size_t strengths = 0;   ///< cells of a curve
    int own = -1;                ///< the block where a single vector stands
    bool together = false;       ///< the last curve is that of all
  };
  using Answer = Result<Found>;
  static Answer asked(const std::shared_ptr<const Document>& document, int sequence,
                      const LogitMeasure& measure, const std::atomic<bool>& cancel);
  static LinePlot plot_of(const Found& found);
  static ShownTable table_of(const Found& found);

  Kept<bool> any_;  ///< vectors are added
  Kept<LinePlot> plot_;
  Computed<Answer> made_;
  std::uint64_t allowed_ = 0;
};

}  // namespace attnscope
