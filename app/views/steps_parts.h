// Building blocks for figures: a plane of a step, a weight, a column of values, with axes, titles and
// colours. Shared by the figures of forward and backward pass only.
#pragma once

#include "app/views/steps_figure.h"

namespace attnscope {

class FigureParts {
 public:
  FigureParts(const Trace& trace, const Site& site, int head)
      : trace_(trace), site_(site), head_(head), step_(step_of(site.slot)) {}

 protected:
  const ModelConfig& stack() const { return trace_.config().of(site_.stack); }
  Site in_stack(Slot slot) const { return site_of(slot, -1, site_.stack); }
  FigureAxis axis(const Site& site, Axis name, std::int64_t size, const char* key) const;
  FigureAxis one() const { return {"one", 1, FigureAxis::Names::none, {}, 0, site_.stack, 0}; }
  /// "Q"; with its stack if the figure contains two ("Q · Decoder").
  std::string member_of(const Site& site) const;
  std::string title_of(const Site& site, bool transposed = false) const;
  /// A step (one head of it; < 0: the head of the figure).
  Operand step(const Site& site, const char* id, std::int64_t head = -1) const;
  /// The step of the figure.
  Operand result() const;
  Operand weight(const std::string& name, const char* id) const;
  /// Unnamed values, one per row, each computed from `reads` others.
  Operand column(const char* id, const char* title, const FigureAxis& rows, std::int64_t reads,
                 std::function<Tensor(Range, Range)> part) const;
  int add(Operand operand);
  void block(const char* sign, std::vector<int> operands, bool vertical = false);

  const Trace& trace_;
  const Site site_;
  const int head_;
  const Step& step_;
  Figure figure_;
};

}  // namespace attnscope
