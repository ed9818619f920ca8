// The figure of one gradient as data: the later gradients it came from and the values they were multiplied
// by, laid out as a matmul if it is one; or a weight's gradient. Draws and computes nothing:
// Gradients::readers lists the later steps, and Gradients holds the values.
#pragma once

#include "app/views/steps_figure.h"
#include "core/session/backward_run.h"

namespace attnscope {

struct GradientRequest {
  int head = 0;
  std::int64_t query = 0;
  Site site;
  std::string weight;  ///< if not empty: the gradient of this weight of the step
  bool whole_vocabulary = false;
  std::vector<std::int64_t> top;  ///< columns of the vocabulary; empty: not computed yet
  int from = -1;                  ///< the one later step (or use of the weight) to show; < 0: all
  /// The contribution of each later step, if there are several; null: computed by the figure.
  std::shared_ptr<const std::vector<Tensor>> shares = nullptr;
};

/// One or more products: matrices side by side as left factor, stacked as right factor.
struct GradientPiece {
  Operand left, top;
};

struct GradientFigure {
  Figure figure;
  std::vector<GradientPiece> pieces;  ///< if it is a product
  /// For each operand: indices of the later steps (or uses of the weight) whose contributions it shows;
  /// empty: all, or none.
  std::vector<std::vector<int>> shares;
  int from = -1;     ///< the contribution in the result; < 0: the total gradient
  std::string name;  ///< "blocks.0.attn.q.grad"
};
/// `grads` must have gradients. A step without a gradient gives a figure without a layout.
GradientFigure build_gradient_figure(std::shared_ptr<const BackwardResult> grads,
                                     const GradientRequest& asked);

/// The contribution of each later step to the gradient of a step.
std::vector<Tensor> gradient_shares(const BackwardResult& grads, const Site& site, std::int64_t head);
/// Short name: "Q", "the norm", "the stream"; the full name if two readers would have the same one.
std::string reader_name(const std::vector<Site>& readers, const Site& reader);

/// The matrix and its cell that are shown at (row, col) of an operand of the figure.
struct GradientSpot {
  const Operand* operand = nullptr;
  std::int64_t row = 0, col = 0;
};
GradientSpot gradient_spot(const GradientFigure& figure, int operand, std::int64_t row, std::int64_t col);

}  // namespace attnscope
