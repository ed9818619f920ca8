// The steps view in backward mode: the gradient of one step at a time, the gradients it was computed from,
// and the gradients of the step's weights. Holds only display state.
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

constexpr std::int64_t kSmallVocabulary = 24;  ///< tokens; smaller vocabularies are shown whole

class StepsBackward {
 public:
  /// Draws into the current child window, if the workspace has gradients; otherwise a
  /// message.
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
  /// The child window of the figure; scrolls if the figure is larger than `room`.
  void draw_scrolled(const ViewContext& context, const std::shared_ptr<const BackwardResult>& grads,
                     ImVec2 room);

  GradientFigure figure_;
  FigurePlot plot_;
  MotionPlan plan_;
  std::string planned_;    ///< figure that plan_ belongs to
  std::string words_key_;  ///< cache key of crowded_
  bool crowded_ = false, scrolls_ = false;
  FigureCell hovered_;
  std::string key_, shown_step_, shown_figure_, weight_;
  bool whole_vocabulary_ = false;
  int from_ = -1;  // index of the later step (or use of the weight) shown alone; -1: all
  std::vector<Piece> line_;
  std::string line_key_;
  Computed<std::vector<std::int64_t>> likely_;
  Computed<std::vector<Tensor>> shares_;
};

}  // namespace attnscope
