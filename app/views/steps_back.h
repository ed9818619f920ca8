// The steps view in the backward mode: the slope of one step at a time, what it came from, and the slopes of
// the step's weights. Keeps only what the picture needs from frame to frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/steps_back_figure.h"
#include "app/views/steps_plot.h"
#include "app/views/steps_words.h"
#include "app/widgets/deferred.h"

namespace attnscope {

class StepsBackward {
 public:
  /// Draws into the current child window, where the workspace's slopes are; a sentence where there are none.
  void draw(const ViewContext& context);

 private:
  void draw_slopes(const ViewContext& context, const std::shared_ptr<const Slopes>& slopes);
  void prepare(const ViewContext& context, const std::shared_ptr<const Slopes>& slopes);
  std::vector<std::int64_t> columns(const ViewContext& context, const std::shared_ptr<const Slopes>& slopes);
  int last_choice(const Slopes& slopes, const Site& site) const;
  void draw_words(const ViewContext& context, const Slopes& slopes, int step) const;
  void draw_chips(const ViewContext& context, const Slopes& slopes, int step);
  void draw_from(const ViewContext& context, const Slopes& slopes, bool& first);
  void draw_target(const ViewContext& context, const Slopes& slopes, bool& first);
  void draw_loss(const ViewContext& context, const Slopes& slopes, bool& first);
  void draw_figure(const ViewContext& context, const std::shared_ptr<const Slopes>& slopes, ImVec2 room);
  void pin(const ViewContext& context, const Slopes& slopes, const FigureCell& cell);
  FigureMarks marks_of(const Slopes& slopes, const FigureCell& shown) const;
  void mark_targets(const Slopes& slopes, FigureMarks& marks) const;

  SlopeFigure figure_;
  FigurePlot plot_;
  FigureCell hovered_;
  std::string key_, shown_step_, shown_figure_, weight_;
  bool whole_vocabulary_ = false;
  int from_ = -1;  // the later step, or use of the weight, that is shown alone
  std::vector<Piece> line_;
  std::string line_key_;
  Deferred<std::vector<std::int64_t>> likely_;
  Deferred<std::vector<Tensor>> shares_;
};

}  // namespace attnscope
