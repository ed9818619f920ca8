// What figures of gradients are put together from: a step's gradient, matrices transposed over, products,
// sums of shares. Shared by the figures of steps and of weights in the backward mode; not for views.
#pragma once

#include "app/views/steps_back_figure.h"
#include "app/views/steps_back_planes.h"
#include "app/views/steps_parts.h"

namespace attnscope {

inline constexpr std::size_t kMostShares = 4;  // more are added up in the last

class GradientParts : protected FigureParts {
 protected:
  GradientParts(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked);

  /// The name and the kind of figure; false where the step has no gradient or its words are not known yet.
  bool begin();
  GradientFigure finish();

  static std::string short_name(const Site& site);
  bool reads_words(const Site& site) const;
  /// Turns an operand over; its part too.
  static Operand transposed(Operand operand);
  /// Numbers of the run as a part of their own, so that matrices can be joined.
  PlaneSource part_of(const Operand& operand) const;
  /// The gradient of a step.
  Operand gradient(const Site& site, const char* id, std::int64_t head = -1) const;
  void pick_words(FigureAxis& axis, std::vector<std::int64_t>& picks) const;
  /// Logits that are scaled or capped behind their product: their gradients before that.
  void product_logits(Operand& logits) const;
  /// A plane of the shape of another operand.
  static Operand norm_plane(const char* id, std::string title, const Operand& like, Tensor plane);
  /// The picture of one product, or of several that make one.
  void product(std::vector<GradientPiece> pieces, Operand result);
  /// Share number `at` of `count`: its title and colour; the last that is shown may stand for all the rest.
  Operand share(Operand like, const std::vector<Site>& from, std::size_t at);
  static bool is_rest(std::size_t at, std::size_t count) {
    return at + 1 == kMostShares && count > kMostShares;
  }
  /// Matrices of one shape that add up to the result.
  void added(std::vector<Operand> parts, Operand result);

  std::shared_ptr<const BackwardResult> grads_;
  const GradientRequest& asked_;
  GradientFigure out_;
};

/// The picture of the gradient of the weight that is wished for.
GradientFigure build_weight_figure(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked);

}  // namespace attnscope
