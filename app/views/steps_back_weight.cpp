// The figure of a weight's gradient: the product of the weight's input and the incoming gradient, summed over
// rows; if several steps use the weight, the contribution of each use.
#include <algorithm>

#include "app/views/steps_back_parts.h"
#include "core/base/words.h"
#include "core/trace/provenance.h"

namespace attnscope {
namespace {

class WeightGradientBuilder : GradientParts {
 public:
  WeightGradientBuilder(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked)
      : GradientParts(std::move(grads), asked) {}

  GradientFigure build() {
    out_.from = own_use() ? 0 : -1;
    if (begin()) weight_figure();
    return finish();
  }

 private:
  Operand weight_gradients(const char* id) const {
    Operand out = weight(asked_.weight, id);
    out.title = asked_.weight + ".grad";
    out.gradient = true;
    out.is_result = true;
    out.version = grads_->version;
    return out;
  }
  /// Its values: the sum over all uses, or over `count` of them from `first` on.
  void finish_weight(Operand& out, std::size_t first = 0, std::size_t count = 1000) const {
    std::vector<WeightPart> uses = weight_parts(*grads_->gradients, asked_.weight);
    count = std::min(count, uses.size() - std::min(first, uses.size()));
    uses = {uses.begin() + static_cast<std::ptrdiff_t>(first),
            uses.begin() + static_cast<std::ptrdiff_t>(first + count)};
    out.part =
        with_picks([gradients = grads_->gradients, name = asked_.weight, uses](
                       Range rows, Range cols) { return weight_share(*gradients, name, uses, rows, cols); },
                   out.picked_rows, out.picked_cols);
  }
  /// True if only the step's own contribution is shown, and other steps use the weight too.
  bool own_use() const {
    return asked_.from >= 0 && weight_parts(*grads_->gradients, asked_.weight).size() > 1;
  }
  void finish_own(Operand& out) const {
    if (!own_use()) return finish_weight(out);
    out.title = tr("steps.back.from", {short_name(site_)});
    finish_weight(out, 0, 1);
  }
  bool several_uses() const {
    return !own_use() && weight_parts(*grads_->gradients, asked_.weight).size() > 1;
  }
  /// One weight with several uses: the contribution of each.
  void uses_figure(const Operand& out) {
    const std::vector<WeightPart> uses = weight_parts(*grads_->gradients, asked_.weight);
    std::vector<Site> steps;
    for (const WeightPart& use : uses) steps.push_back(use.step);
    std::vector<Operand> parts;
    for (std::size_t i = 0; i < std::min(uses.size(), kMostShares); ++i) {
      parts.push_back(share(out, steps, i));
      finish_weight(parts.back(), i, is_rest(i, uses.size()) ? uses.size() : 1);
    }
    added(std::move(parts), out);
  }

  void weight_figure() {
    Operand out = weight_gradients("result"), arrived = gradient(site_, "top");
    const auto why = explain(trace_, site_, std::vector<std::int64_t>(trace_.find(site_)->shape.size(), 0));
    const bool dot = step_.rule == Rule::dot && why && !why->terms.empty();
    if (!dot || trace_.weights().get(asked_.weight).rank() == 1)
      return summed(std::move(out), std::move(arrived));
    Operand left = transposed(step(why->terms[0].factors[0].site, "left"));
    if (left.col.size != arrived.row.size) {  // one prediction for the whole input
      left.picked_cols = {0};
      left.col.size = 1;
    }
    if (site_.is(StepRole::logits)) pick_words(out.col, out.picked_cols);
    out.group = 0;
    finish_own(out);
    if (several_uses()) return uses_figure(out);
    if (site_.is(StepRole::logits)) product_logits(arrived);
    product({{std::move(left), std::move(arrived)}}, std::move(out));
  }
  // A bias, norm weight or embedding row: the sum of the gradients of the rows that used it.
  void summed(Operand out, Operand arrived) {
    if (site_.is(StepRole::logits)) pick_words(out.col, out.picked_cols);
    if (step_.rule == Rule::lookup) {
      for (const WeightUse& use : grads_->gradients->uses())
        if (use.name == asked_.weight && use.kind == WeightUse::Kind::rows)
          out.picked_rows.assign(use.ids.begin(), use.ids.end());
      out.row.size = static_cast<std::int64_t>(out.picked_rows.size());
      const bool words = site_.is(StepRole::words);
      out.row.names = words ? FigureAxis::Names::vocab : FigureAxis::Names::index;
      out.row.title = tr(words ? "steps.axis.table_token" : "steps.axis.table_pos");
    }
    finish_own(out);
    if (several_uses()) return uses_figure(out);
    arrived.id = "from";
    block("", {add(std::move(arrived))});
    if (step_.rule == Rule::norm && asked_.weight.ends_with(".weight")) {
      Operand normed = gradient(site_, "normed");
      const NormBack back =
          norm_back(*grads_->gradients, site_, std::max<std::int64_t>(normed.head, 0), {0, normed.row.size});
      block("⊙", {add(norm_plane("normed", tr("steps.back.normed"), normed, back.normed))});
    }
    const bool heads = trace_.find(site_)->shape.size() > 2;  // one head is shown, all are summed
    block(heads ? "→" : "Σ", {add(std::move(out))});
  }
};

}  // namespace

GradientFigure build_weight_figure(std::shared_ptr<const BackwardResult> grads,
                                   const GradientRequest& asked) {
  return WeightGradientBuilder(std::move(grads), asked).build();
}

}  // namespace attnscope
