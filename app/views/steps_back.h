// The steps view in the backward mode: the gradient of one step at a time, what it came from, and the
// gradients of the step's weights. Keeps only what the picture needs from frame to frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/steps_back_figure.h"
#include "app/views/steps_motion.h"
#include "app/views/steps_plot.h"
#include "app/views/steps_words.h"
#include "core/base/computed.h"

namespace attnscope {

constexpr std::int64_t kSmallVocabulary = 24;  ///< words that are shown whole

class StepsBackward {
 public:
  /// Draws into the current child window, where the workspace's gradients are; a sentence where there are
  /// none.
  void draw(const ViewContext& context);

 private:
  void draw_gradients(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads);
  void prepare(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads);
  std::vector<std::int64_t> columns(const ViewContext& context,
                                    const std::shared_ptr<const BackwardResult>& grads);
  int last_choice(const BackwardResult& grads, const Site& site) const;
  void draw_told(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads, int step);
  void draw_words(const ViewContext& context, const BackwardResult& grads, int step) const;
  void draw_chips(const ViewContext& context, const BackwardResult& grads, int step);
  void draw_from(const ViewContext& context, const BackwardResult& grads, bool& first);
  void draw_target(const ViewContext& context, const BackwardResult& grads, bool& first);
  void draw_loss(const ViewContext& context, const BackwardResult& grads, bool& first);
  void draw_figure(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads,
                   ImVec2 room);
  void pin(const ViewContext& context, const BackwardResult& grads, const FigureCell& cell);
  void offer(const ViewContext& context, const BackwardResult& grads, const FigureCell& cell) const;
  FigureMarks marks_of(const BackwardResult& grads, const FigureCell& shown) const;
  void mark_targets(const BackwardResult& grads, FigureMarks& marks) const;

  void move(const ViewContext& context, const BackwardResult& grads);
  bool crowded(const ViewContext& context);
  /// The child window of the figure, which scrolls where the figure is larger than `room`.
  void draw_scrolled(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads,
                     ImVec2 room);

  GradientFigure figure_;
  FigurePlot plot_;
  MotionPlan plan_;
  std::string planned_;    ///< the figure that it is of
  std::string words_key_;  ///< what crowded_ was decided for
  bool crowded_ = false, scrolls_ = false;
  FigureCell hovered_;
  std::string key_, shown_step_, shown_figure_, weight_;
  bool whole_vocabulary_ = false;
  int from_ = -1;  // the later step, or use of the weight, that is shown alone
  std::vector<Piece> line_;
  std::string line_key_;
  Computed<std::vector<std::int64_t>> likely_;
  Computed<std::vector<Tensor>> shares_;
};

}  // namespace attnscope
