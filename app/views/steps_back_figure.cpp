// One function per backward rule. Query heads that share a K/V head form one product: their left factors are
// side by side, the right factors stacked. If several later steps contribute, each contribution is a matrix
// of its own, and they are added.
#include "app/views/steps_back_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/look/theme.h"
#include "app/views/steps_back_parts.h"
#include "app/views/steps_words.h"
#include "app/widgets/navigation.h"
#include "core/base/words.h"
#include "core/lens/patches.h"
#include "core/model/gradient_provenance.h"

namespace attnscope {
namespace {

// Rows that the loss does not count are hatched.
float loss_shown(double loss) {
  return std::isnan(loss) ? -std::numeric_limits<float>::infinity() : static_cast<float>(loss);
}

class StepGradientBuilder : GradientParts {
 public:
  StepGradientBuilder(std::shared_ptr<const BackwardResult> grads, const GradientRequest& asked)
      : GradientParts(std::move(grads), asked) {}

  GradientFigure build() {
    out_.from = chosen();
    if (begin()) site_.is(StepRole::logits) ? loss_figure() : step_figure();
    return finish();
  }

 private:
  const std::vector<Site>& readers() const { return grads_->readers_of(site_); }

  /// The result: the gradient, or the chosen contribution to it. Picks the rows that are not structurally
  /// zero.
  Operand own_gradient() const {
    Operand out = gradient(site_, "result");
    out.is_result = true;
    const Record& record = *trace_.find(site_);
    const bool first_alone = reads_words(site_) && record.shape[0] > predicted_rows(trace_);
    if (first_alone) {
      out.picked_rows = {0};
      out.row.size = 1;
    }
    if (chosen() >= 0) {
      out.title =
          tr("steps.back.from", {reader_name(readers(), readers()[static_cast<std::size_t>(chosen())])});
      out.part = plane_of(shares()[static_cast<std::size_t>(chosen())]);
    }
    out.part = with_picks(out.part, out.picked_rows, {});
    return out;
  }
  int chosen() const {
    const int count = static_cast<int>(readers().size());
    return count > 1 && asked_.weight.empty() && asked_.from < count ? asked_.from : -1;
  }
  const std::vector<Tensor>& shares() const {
    if (!shares_)
      shares_ = asked_.shares ? asked_.shares
                              : std::make_shared<const std::vector<Tensor>>(gradient_shares(
                                    *grads_, site_, std::max<std::int64_t>(step(site_, "own").head, 0)));
    return *shares_;
  }

  // ---- incoming gradients ----
  /// The contribution through `reader` as factors of products; empty if it is not a matmul.
  std::vector<GradientPiece> products(const Site& reader) const {
    std::vector<GradientPiece> out;
    if (reader.is(StepKind::scores) || reader.is(StepRole::head_out))
      attended(reader, out);
    else if (step_of(reader.slot).rule == Rule::dot)
      projected(reader, out);
    return out;
  }
  void projected(const Site& reader, std::vector<GradientPiece>& out) const {
    const bool words = reader.is(StepRole::logits);
    Operand left = gradient(reader, "left"), top = weight(to_text(reader) + ".weight", "top");
    top.colour = hue_colour(step_of(reader.slot).hue);
    top.title = short_name(reader) + ".weight";
    if (words) product_logits(left);
    if (words) pick_words(top.col, top.picked_cols);
    top = transposed(std::move(top));
    std::swap(top.picked_rows, top.picked_cols);
    if (words && !top.picked_rows.empty()) top = with_picked_rows(std::move(top));
    out.push_back({std::move(left), std::move(top)});
  }
  /// A transposed weight with picked tokens as rows: reads these columns of the weight.
  Operand with_picked_rows(Operand operand) const {
    const std::vector<std::int64_t> picks = operand.picked_rows;
    const Tensor table = trace_.weights().get(operand.weight);  // [d_model, vocab]
    operand.part = with_picks(
        [table](Range rows, Range cols) {
          return table.slice(1, rows.begin, rows.end).slice(0, cols.begin, cols.end).transpose();
        },
        picks, {});
    return operand;
  }
  /// Through scores (to Q or K) and z (to the pattern or V); sums over the query heads of a shared K/V head.
  void attended(const Site& reader, std::vector<GradientPiece>& out) const {
    const auto why = explain(trace_, reader, {0, 0, 0});
    if (!why || why->terms.empty() || why->terms[0].factors.size() < 2) return;
    const Site first = why->terms[0].factors[0].site, second = why->terms[0].factors[1].site;
    const bool to_first = site_ == first, scores = reader.is(StepKind::scores);
    const std::int64_t own = trace_.own_head(site_, head_);
    const int heads = trace_.config().attention_at(site_).n_heads;
    for (int head = 0; head < heads; ++head) {
      if (to_first ? head != head_ : trace_.own_head(site_, head) != own) continue;
      Operand arrived = gradient(reader, "left", head);
      if (to_first) {
        Operand other = step(second, "top", trace_.own_head(second, head));
        out.push_back({std::move(arrived), scores ? std::move(other) : transposed(std::move(other))});
      } else {
        Operand other = step(first, "top", trace_.own_head(first, head));
        if (scores)
          out.push_back({transposed(std::move(arrived)), std::move(other)});
        else
          out.push_back({transposed(std::move(other)), std::move(arrived)});
      }
    }
  }

  void step_figure() {
    if (readers().empty()) return block("", {add(own_gradient())});
    if (readers().size() > 1 && chosen() < 0) return shares_figure();
    const Site& reader = readers()[static_cast<std::size_t>(std::max(chosen(), 0))];
    std::vector<GradientPiece> pieces = products(reader);
    if (!pieces.empty()) return product(std::move(pieces), own_gradient());
    if (step_of(reader.slot).rule == Rule::norm) return through_norm(reader);
    came_through(reader);
    const Rule rule = rule_back(trace_, reader);
    block(rule == Rule::rotate || rule == Rule::mask ? "→" : "=", {add(own_gradient())});
  }
  /// The gradient coming from one reader, and the values it is multiplied by.
  void came_through(const Site& reader) {
    Operand arrived = gradient(reader, "from0");
    switch (rule_back(trace_, reader)) {
      case Rule::softmax: return through_softmax(std::move(arrived));
      case Rule::activation:
      case Rule::product:
      case Rule::cap: return through_curve(reader, std::move(arrived));
      case Rule::scale:
        arrived.title = tr("steps.back.times", {arrived.title, precise(scale_at(reader))});
        break;
      default: break;
    }
    block("", {add(std::move(arrived))});
  }
  double scale_at(const Site& reader) const {
    const auto share = explain_share(*grads_->gradients, site_, reader,
                                     std::vector<std::int64_t>(trace_.find(site_)->shape.size(), 0));
    return share.terms.front().factors.back().value;
  }

  // ---- several readers ----
  /// One matrix per contribution, added up.
  void shares_figure() {
    std::vector<Operand> parts;
    for (std::size_t i = 0; i < std::min(readers().size(), kMostShares); ++i) {
      parts.push_back(share(gradient(site_, "share"), readers(), i));
      parts.back().part = plane_of(is_rest(i, readers().size()) ? added_up(shares(), i) : shares()[i]);
    }
    added(std::move(parts), own_gradient());
  }

  // ---- norms ----
  int norm_column(const char* id, const char* title, const FigureAxis& rows, Tensor column_of,
                  bool gradient) {
    Operand out = column(id, title, rows, 0, plane_of(std::move(column_of)));
    out.gradient = gradient;
    out.version = grads_->version;
    out.colour = gradient ? 0 : theme().norm;
    return add(std::move(out));
  }
  /// All terms of dX = (g - mean g - x̂ mean(g x̂)) / σ.
  void through_norm(const Site& reader) {
    figure_.rule = Rule::copy;  // column labels are drawn once
    Operand arrived = gradient(reader, "from0");
    const NormBack back =
        norm_back(*grads_->gradients, reader, std::max<std::int64_t>(arrived.head, 0), {0, arrived.row.size});
    const bool moved = norm_spec(trace_.config(), reader).weight_offset != 0.f;
    Operand gain =
        norm_plane("gamma", tr(moved ? "steps.back.gain_plus" : "steps.back.gain"), arrived, back.gain);
    gain.row = one();
    const FigureAxis rows = arrived.row;
    arrived.title = tr("steps.back.dy");  // short, as in the formula: there is little room
    Operand normed = norm_plane("normed", tr("steps.back.normed"), arrived, back.normed);
    std::vector<int> above{add(std::move(arrived)), add(std::move(gain))};
    block("", std::move(above), true);
    std::vector<int> parts{add(std::move(normed))};
    if (back.centred) parts.push_back(norm_column("mean", "steps.back.mean", rows, back.mean, true));
    parts.push_back(norm_column("mean_with", "steps.back.mean_with", rows, back.mean_with, true));
    parts.push_back(norm_column("inverse", "steps.back.inverse", rows, back.inverse, false));
    block(",", std::move(parts));
    Operand out = own_gradient();
    out.title = tr("steps.back.dx");
    block("→", {add(std::move(out))});
  }

  void through_softmax(Operand arrived) {
    Operand pattern = step(site_.near(StepRole::pattern), "a");
    const FigureAxis rows = arrived.row;
    Operand sums = column(
        "sums", "steps.back.row_sum", rows, pattern.col.size,
        [gradients = grads_->gradients, site = pattern.site, head = std::max<std::int64_t>(pattern.head, 0)](
            Range r, Range) { return pattern_row_sums(*gradients, site, head, r); });
    sums.version = grads_->version;
    sums.gradient = true;
    if (site_.is(StepRole::sinks)) {
      block(
          "−",
          {add(column("share", "steps.back.sink_share", rows, pattern.col.size,
                      [trace = &trace_, site = pattern.site, head = std::max<std::int64_t>(pattern.head, 0)](
                          Range r, Range) { return sink_shares(*trace, site, head, r); }))});
      return block("⊙", {add(std::move(sums))});
    }
    block("", {add(std::move(pattern))});
    block("⊙", {add(std::move(arrived))});
    block("−", {add(std::move(sums))});
  }
  void through_curve(const Site& reader, Operand arrived) {
    Operand other;
    if (rule_back(trace_, reader) == Rule::product) {
      other = step(other_factor(site_), "factor");
    } else {
      other = step(site_, "factor");
      other.title =
          tr(step_of(reader.slot).rule == Rule::cap ? "steps.back.cap_gradient" : "steps.back.curve_gradient",
             {other.title});
      other.part = [trace = &trace_, site = site_, reader, head = std::max<std::int64_t>(other.head, 0)](
                       Range rows, Range cols) {
        return curve_gradients(*trace, site, reader, head, rows, cols);
      };
    }
    block("", {add(std::move(arrived))});
    block("⊙", {add(std::move(other))});
  }

  // ---- the loss ----
  /// Rows whose next row is a patch of an image, too, can have no target: those that can are shown.
  void pick_rows_with_target(Operand& probs, Operand& out) const {
    const PatchRows patches = patch_rows(trace_, site_.stack);
    if (patches.empty() || !probs.picked_rows.empty()) return;
    for (std::int64_t row = 0; row < probs.row.size; ++row)
      if (patches.patch(row) < 0 || patches.patch(row + 1) < 0) probs.picked_rows.push_back(row);
    out.picked_rows = probs.picked_rows;
    probs.row.size = out.row.size = static_cast<std::int64_t>(probs.picked_rows.size());
    out.part = with_picks([gradients = grads_->gradients, site = site_](
                              Range rows, Range cols) { return gradients->slice(site, 0, rows, cols); },
                          out.picked_rows, out.picked_cols);
  }
  void loss_figure() {
    Operand probs = step(trace_.main(StepRole::probs), "probs");
    probs.title = tr("steps.back.probabilities");
    pick_words(probs.col, probs.picked_cols);
    Operand out = own_gradient();
    if (large_vocabulary(trace_)) {  // only the cursor's row
      probs.picked_rows = out.picked_rows = {asked_.query};
      probs.row.size = out.row.size = 1;
      out.part = with_picks([gradients = grads_->gradients, site = site_](
                                Range rows, Range cols) { return gradients->slice(site, 0, rows, cols); },
                            out.picked_rows, out.picked_cols);
    }
    pick_rows_with_target(probs, out);
    Operand losses = column("losses", "steps.back.losses", probs.row, 0, {});
    losses.part = with_picks(
        [grads = grads_](Range rows, Range) {
          Buffer all({{Axis::pos, rows.size()}, {Axis::unit, 1}});
          for (std::int64_t row = rows.begin; row < rows.end; ++row)
            all.data()[row - rows.begin] = loss_shown(grads->losses[static_cast<std::size_t>(row)]);
          return std::move(all).freeze();
        },
        probs.picked_rows, {});
    losses.picked_rows = probs.picked_rows;
    losses.version = grads_->version;
    losses.map = Colormap::sequential;
    losses.id = "sum";       // losses may exceed one, probabilities not
    losses.gradient = true;  // rows that are not counted are masked
    block("", {add(std::move(losses)), add(std::move(probs))});
    block("→", {add(std::move(out))});
  }

  mutable std::shared_ptr<const std::vector<Tensor>> shares_;
};

}  // namespace

GradientFigure build_gradient_figure(std::shared_ptr<const BackwardResult> grads,
                                     const GradientRequest& asked) {
  if (!asked.weight.empty()) return build_weight_figure(std::move(grads), asked);
  return StepGradientBuilder(std::move(grads), asked).build();
}

std::vector<Tensor> gradient_shares(const BackwardResult& grads, const Site& site, std::int64_t head) {
  std::vector<Tensor> out;
  for (const Site& reader : grads.readers_of(site))
    out.push_back(gradient_share(*grads.gradients, site, reader, head));
  return out;
}

std::string reader_name(const std::vector<Site>& readers, const Site& reader) {
  const auto member = [](const Site& site) {
    const Rule rule = step_of(site.slot).rule;
    if (rule == Rule::norm) return std::string(tr("steps.back.the_norm"));
    if (rule == Rule::sum || rule == Rule::copy) return std::string(tr("steps.back.the_stream"));
    return std::string(tr("steps.member." + std::string(step_of(site.slot).text)));
  };
  const std::string name = member(reader);
  bool twice = false, in_block = false;  // same name twice; in one block, too
  for (const Site& other : readers) {
    const bool same = other != reader && member(other) == name;
    twice = twice || same;
    in_block = in_block || (same && other.layer == reader.layer);
  }
  if (!twice) return name;
  return in_block ? to_text(reader) : tr("steps.back.in_block", {name, std::to_string(reader.layer)});
}

GradientSpot gradient_spot(const GradientFigure& figure, int operand, std::int64_t row, std::int64_t col) {
  const auto& operands = figure.figure.operands;
  if (operand < 0 || operand >= static_cast<int>(operands.size())) return {};
  if (figure.pieces.empty() || operand > 1) return {&operands[static_cast<std::size_t>(operand)], row, col};
  std::int64_t& along = operand == 0 ? col : row;
  for (const GradientPiece& piece : figure.pieces) {
    if (along < piece.left.col.size) return {operand == 0 ? &piece.left : &piece.top, row, col};
    along -= piece.left.col.size;
  }
  return {};
}

}  // namespace attnscope
