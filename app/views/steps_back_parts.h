// Building blocks for figures of gradients: a step's gradient, transposed matrices, products, sums of
// contributions. Shared by the figures of steps and of weights in backward mode only.
#pragma once

#include "app/views/steps_back_figure.h"
#include "app/views/steps_back_planes.h"
#include "app/views/steps_parts.h"

namespace attnscope {

inline constexpr std::size_t kMostShares = 4;  // the last one is the sum of all others

class GradientParts : protected FigureParts {
 protected:
  GradientParts(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked);

  /// Sets name and kind of the figure; false if the step has no gradient, or its columns are not known yet.
  bool begin();
  GradientFigure finish();

  static std::string short_name(const Site& site);
  bool reads_words(const Site& site) const;
  /// Transposes an operand, with its part.
  static Operand transposed(Operand operand);
  /// Values of the run as a `part`, so that matrices can be joined.
  PlaneSource part_of(const Operand& operand) const;
  /// The gradient of a step.
  Operand gradient(const Site& site, const char* id, std::int64_t head = -1) const;
  void pick_words(FigureAxis& axis, std::vector<std::int64_t>& picks) const;
  /// For logits that are scaled or capped after the matmul: takes the gradient before that.
  void product_logits(Operand& logits) const;
  /// A matrix of the shape of another operand.
  static Operand norm_plane(const char* id, std::string title, const Operand& like, Tensor plane);
  /// The figure of one product, or of several that form one.
  void product(std::vector<GradientPiece> pieces, Operand result);
  /// Contribution `at` of `count`: title and colour; the last one may be the sum of all the rest.
  Operand share(Operand like, const std::vector<Site>& from, std::size_t at);
  static bool is_rest(std::size_t at, std::size_t count) {
    return at + 1 == kMostShares && count > kMostShares;
  }
  /// Matrices of one shape whose sum is the result.
  void added(std::vector<Operand> parts, Operand result);

  std::shared_ptr<const BackwardResult> grads_;
  const GradientRequest& asked_;
  GradientFigure out_;
};

/// The figure of the gradient of the requested weight.
GradientFigure build_weight_figure(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked);

}  // namespace attnscope
