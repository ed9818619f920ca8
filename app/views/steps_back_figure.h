// The picture of one gradient as data: which later gradients it came from and what they were multiplied by,
// laid out as a product where it is one; or a weight's gradient from its own product. Draws nothing and
// computes nothing: who read what is Gradients::readers, the numbers are Gradients'.
#pragma once

#include "app/views/steps_figure.h"
#include "core/session/backward_run.h"

namespace attnscope {

struct GradientRequest {
  int head = 0;
  std::int64_t query = 0;
  Site site;
  std::string weight;  ///< not empty: the gradient of this weight of the step
  bool whole_vocabulary = false;
  std::vector<std::int64_t> top;  ///< columns of the vocabulary; empty: not known yet
  int from = -1;                  ///< the one later step (or use of the weight) that is shown; < 0: all
  /// What each later step sends back, where there are several; null: the figure works them out.
  std::shared_ptr<const std::vector<Tensor>> shares = nullptr;
};

/// Matrices that a product has side by side as its left factor, and one below the other as its right one.
struct GradientPiece {
  Operand left, top;
};

struct GradientFigure {
  Figure figure;
  std::vector<GradientPiece> pieces;  ///< of a product
  /// Of each operand the later steps (or uses of the weight) whose shares it shows, as numbers; empty: all,
  /// or no share.
  std::vector<std::vector<int>> shares;
  int from = -1;     ///< the share that the result is; < 0: it is the whole gradient
  std::string name;  ///< "blocks.0.attn.q.grad"
};
/// `gradients` must have gradients. A step without a gradient gives a figure without a layout.
GradientFigure build_gradient_figure(std::shared_ptr<const BackwardResult> grads,
                                     const GradientRequest& asked);

/// What each later step sends back to a step.
std::vector<Tensor> gradient_shares(const BackwardResult& grads, const Site& site, std::int64_t head);
/// "Q", "the norm", "the stream"; its full name where two of them would be called the same.
std::string reader_name(const std::vector<Site>& readers, const Site& reader);

/// The matrix and the cell of it that stands at (row, col) of an operand of the figure.
struct GradientSpot {
  const Operand* operand = nullptr;
  std::int64_t row = 0, col = 0;
};
GradientSpot gradient_spot(const GradientFigure& figure, int operand, std::int64_t row, std::int64_t col);

}  // namespace attnscope
