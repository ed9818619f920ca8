// The picture of one slope as data: which later slopes it came from and what they were multiplied by, laid
// out as a product where it is one; or a weight's slope from its own product. Draws nothing and computes
// nothing: who read what is Slopes::readers, the numbers are Gradients'.
#pragma once

#include "app/views/steps_figure.h"
#include "core/session/backpass.h"

namespace attnscope {

struct SlopeWish {
  int head = 0;
  std::int64_t query = 0;
  Site site;
  std::string weight;  ///< not empty: the slope of this weight of the step
  bool whole_vocabulary = false;
  std::vector<std::int64_t> top;  ///< columns of the vocabulary; empty: not known yet
};

/// Matrices that a product has side by side as its left factor, and one below the other as its right one.
struct SlopePiece {
  Operand left, top;
};

struct SlopeFigure {
  Figure figure;
  std::vector<SlopePiece> pieces;  ///< of a product
  std::string name;                ///< "blocks.0.attn.q.grad"
};
/// `slopes` must have gradients. A step without a slope gives a figure without a layout.
SlopeFigure build_slope_figure(std::shared_ptr<const Slopes> slopes, const SlopeWish& wish);

/// The matrix and the cell of it that stands at (row, col) of an operand of the figure.
struct SlopeSpot {
  const Operand* operand = nullptr;
  std::int64_t row = 0, col = 0;
};
SlopeSpot slope_spot(const SlopeFigure& figure, int operand, std::int64_t row, std::int64_t col);

}  // namespace attnscope
