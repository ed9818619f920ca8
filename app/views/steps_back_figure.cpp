// One function per way in which a slope comes back. Several products into one slope are one product: their
// left factors stand side by side, the right ones below each other.
#include "app/views/steps_back_figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/look/strings.h"
#include "app/look/theme.h"
#include "app/views/steps_parts.h"
#include "app/widgets/navigation.h"
#include "core/trace/head.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostBlocks = 4;
using PlaneSource = std::function<Tensor(Range, Range)>;

std::int64_t picked(const std::vector<std::int64_t>& picks, std::int64_t at) {
  return picks.empty() ? at : picks[static_cast<std::size_t>(at)];
}

// The rows and columns of `source` that are picked, by the cell.
PlaneSource with_picks(PlaneSource source, std::vector<std::int64_t> rows, std::vector<std::int64_t> cols) {
  if (rows.empty() && cols.empty()) return source;
  return [=](Range r, Range c) {
    Buffer out({{Axis::none, r.size()}, {Axis::none, c.size()}});
    for (std::int64_t row = r.begin; row < r.end; ++row) {
      const std::int64_t from = picked(rows, row);
      const Tensor whole = cols.empty() ? source({from, from + 1}, c) : Tensor();
      for (std::int64_t col = c.begin; col < c.end; ++col) {
        const std::int64_t at = picked(cols, col);
        const Tensor one = cols.empty() ? Tensor() : source({from, from + 1}, {at, at + 1});
        out.data()[(row - r.begin) * c.size() + col - c.begin] =
            cols.empty() ? whole.at(0, col - c.begin) : one.at(0, 0);
      }
    }
    return std::move(out).freeze();
  };
}

// The rectangle of matrices side by side (`below` false) or one below the other.
PlaneSource joined(std::vector<PlaneSource> parts, std::vector<std::int64_t> sizes, bool below) {
  return [=](Range rows, Range cols) {
    Buffer out({{Axis::none, rows.size()}, {Axis::none, cols.size()}});
    const Range along = below ? rows : cols;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < parts.size(); first += sizes[i++]) {
      const Range own{std::max(along.begin, first) - first, std::min(along.end, first + sizes[i]) - first};
      if (own.size() <= 0) continue;
      const Tensor part = below ? parts[i](own, cols) : parts[i](rows, own);
      const std::int64_t down = below ? first + own.begin - rows.begin : 0,
                         right = below ? 0 : first + own.begin - cols.begin;
      for (std::int64_t row = 0; row < part.size(0); ++row)
        for (std::int64_t col = 0; col < part.size(1); ++col)
          out.data()[(down + row) * cols.size() + right + col] = part.at(row, col);
    }
    return std::move(out).freeze();
  };
}

// Rows that are not counted are hatched.
float loss_shown(double loss) {
  return std::isnan(loss) ? -std::numeric_limits<float>::infinity() : static_cast<float>(loss);
}

class SlopeBuilder : FigureParts {
 public:
  SlopeBuilder(std::shared_ptr<const Slopes> slopes, const SlopeWish& wish)
      : FigureParts(slopes->gradients->trace(), wish.site, wish.head), slopes_(slopes), wish_(wish) {}

  SlopeFigure build() {
    const Gradients& gradients = *slopes_->gradients;
    out_.name = wish_.weight.empty() ? gradient_name(site_) : wish_.weight + ".grad";
    if (!gradients.find(site_)) return std::move(out_);
    figure_.site = site_;
    figure_.rule = Rule::sum;
    figure_.layout = Figure::Layout::row;
    if (over_words() && wish_.top.empty() && !wish_.whole_vocabulary) {
      figure_.pending = true;
      figure_.layout = Figure::Layout::none;
    } else if (!wish_.weight.empty()) {
      weight_figure();
    } else if (site_.slot == Slot::logits) {
      loss_figure();
    } else {
      step_figure();
    }
    out_.figure = std::move(figure_);
    return std::move(out_);
  }

 private:
  // ---- pieces ----
  static std::string short_name(const Site& site) {
    std::string name = to_text(site);
    const std::size_t blocks = name.find("blocks.");
    if (blocks != std::string::npos) name = name.substr(name.find('.', blocks + 7) + 1);
    return name;
  }
  bool reads_words(const Site& site) const {
    const auto& readers = slopes_->readers_of(site);
    return std::any_of(readers.begin(), readers.end(),
                       [](const Site& reader) { return reader.slot == Slot::logits; });
  }
  bool over_words() const { return site_.slot == Slot::logits || reads_words(site_); }

  /// Turns an operand over; its part too.
  static Operand turned(Operand operand) {
    operand.transposed = !operand.transposed;
    std::swap(operand.row, operand.col);
    operand.title += "ᵀ";
    if (operand.part)
      operand.part = [part = operand.part](Range rows, Range cols) {
        const Tensor upright = part(cols, rows);
        return upright.empty() ? upright : upright.transpose();
      };
    return operand;
  }
  /// Numbers of the run as a part of their own, so that matrices can be joined.
  PlaneSource part_of(const Operand& operand) const {
    if (operand.part) return operand.part;
    return [trace = &trace_, operand](Range rows, Range cols) {
      return operand_values(*trace, operand, rows, cols);
    };
  }
  /// The slope of a step.
  Operand slope(const Site& site, const char* id, std::int64_t head = -1) const {
    Operand out = step(site, id, head);
    out.title = short_name(site) + ".grad";
    out.map = Colormap::diverging;
    out.slope = true;
    out.version = slopes_->version;
    if (site.slot == Slot::logits) pick_words(out.col, out.picked_cols);
    out.part = with_picks([gradients = slopes_->gradients, site, at = std::max<std::int64_t>(out.head, 0)](
                              Range rows, Range cols) { return gradients->slice(site, at, rows, cols); },
                          out.picked_rows, out.picked_cols);
    return out;
  }
  Operand own_slope() const {
    Operand out = slope(site_, "result");
    out.is_result = true;
    return out;
  }
  void pick_words(FigureAxis& axis, std::vector<std::int64_t>& picks) const {
    axis.names = FigureAxis::Names::output;
    if (wish_.whole_vocabulary) return;
    picks = wish_.top;
    axis.size = static_cast<std::int64_t>(picks.size());
  }

  // ---- which slopes came back ----
  /// The readers of the step as factors of products; nothing where some reader is no product.
  std::vector<SlopePiece> products() const {
    std::vector<SlopePiece> out;
    for (const Site& reader : slopes_->readers_of(site_)) {
      const std::size_t before = out.size();
      const Rule rule = step_of(reader.slot).rule;
      if (reader.slot == Slot::scores || reader.slot == Slot::z)
        attended(reader, out);
      else if (rule == Rule::dot)
        projected(reader, out);
      if (out.size() == before) return {};
    }
    return out;
  }
  void projected(const Site& reader, std::vector<SlopePiece>& out) const {
    const HeadSpec& head = trace_.config().head;
    const bool words = reader.slot == Slot::logits;
    if (words && (head.cap > 0.f || head.scale != 1.f)) return;  // more than a product
    Operand left = slope(reader, "left"), top = weight(to_text(reader) + ".weight", "top");
    top.colour = hue_colour(step_of(reader.slot).hue);
    top.title = short_name(reader) + ".weight";
    if (words) pick_words(top.col, top.picked_cols);
    top = turned(std::move(top));
    std::swap(top.picked_rows, top.picked_cols);
    if (words && !top.picked_rows.empty()) top = with_picked_rows(std::move(top));
    if (left.row.size != trace_.find(site_)->shape[0]) return;
    out.push_back({std::move(left), std::move(top)});
  }
  /// A turned weight whose rows are picked words: read column by column of the weight.
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
  /// Through scores (to Q or K) and through z (to the pattern or V); heads that share a K or V are added.
  void attended(const Site& reader, std::vector<SlopePiece>& out) const {
    const auto why = explain(trace_, reader, {0, 0, 0});
    if (!why || why->terms.empty() || why->terms[0].factors.size() < 2) return;
    const Site first = why->terms[0].factors[0].site, second = why->terms[0].factors[1].site;
    const bool to_first = site_ == first, scores = reader.slot == Slot::scores;
    const std::int64_t own = trace_.own_head(site_, head_);
    const int heads = trace_.config().attention_at(site_).n_heads;
    for (int head = 0; head < heads; ++head) {
      if (to_first ? head != head_ : trace_.own_head(site_, head) != own) continue;
      Operand arrived = slope(reader, "left", head);
      if (to_first) {
        Operand other = step(second, "top", trace_.own_head(second, head));
        out.push_back({std::move(arrived), scores ? std::move(other) : turned(std::move(other))});
      } else {
        Operand other = step(first, "top", trace_.own_head(first, head));
        if (scores)
          out.push_back({turned(std::move(arrived)), std::move(other)});
        else
          out.push_back({turned(std::move(other)), std::move(arrived)});
      }
    }
  }

  void step_figure() {
    std::vector<SlopePiece> pieces = products();
    if (!pieces.empty()) return product(std::move(pieces), own_slope());
    const std::vector<Site>& readers = slopes_->readers_of(site_);
    if (readers.empty()) {
      block("", {add(own_slope())});
      return;
    }
    bool as_it_is = true;
    for (std::size_t i = 0; i < std::min(readers.size(), kMostBlocks); ++i)
      as_it_is = came_through(readers[i], i) && as_it_is;
    block(as_it_is ? "=" : "→", {add(own_slope())});
  }
  /// Blocks for what one reader sends back; true where it comes unchanged.
  bool came_through(const Site& reader, std::size_t number) {
    const char* sign = number > 0 ? "+" : "";
    const std::string id = "from" + std::to_string(number);
    Operand arrived = slope(reader, id.c_str());
    const Rule rule = step_of(reader.slot).rule;
    const bool alone = slopes_->readers_of(site_).size() == 1;
    if (alone && reader.slot == Slot::pattern) return through_softmax(std::move(arrived)), false;
    if (alone && (rule == Rule::activation || rule == Rule::product))
      return through_curve(reader, std::move(arrived)), true;
    if (rule == Rule::dot) arrived.title += " · Wᵀ";
    if (rule == Rule::norm) arrived.title = tr("steps.back.through_norm", {arrived.title});
    block(sign, {add(std::move(arrived))});
    return rule == Rule::sum || rule == Rule::copy;
  }
  void through_softmax(Operand arrived) {
    Operand pattern = step(Site{site_.stack, site_.layer, site_.part, Slot::pattern}, "a");
    const FigureAxis rows = arrived.row;
    Operand sums = column(
        "sums", "steps.back.row_sum", rows,
        [gradients = slopes_->gradients, site = pattern.site, head = std::max<std::int64_t>(pattern.head, 0)](
            Range r, Range) { return pattern_row_sums(*gradients, site, head, r); });
    sums.version = slopes_->version;
    sums.slope = true;
    block("", {add(std::move(pattern))});
    block("⊙", {add(std::move(arrived))});
    block("−", {add(std::move(sums))});
  }
  void through_curve(const Site& reader, Operand arrived) {
    const bool gated = reader.slot == Slot::mlp_post && site_.slot != Slot::mlp_pre;
    Operand other;
    if (gated) {
      Site factor = site_;
      factor.slot = site_.slot == Slot::mlp_act ? Slot::mlp_up : Slot::mlp_act;
      other = step(factor, "factor");
    } else {
      other = step(site_, "factor");
      other.title = tr("steps.back.curve_slope", {other.title});
      const Activation kind = activation_at(trace_.config(), reader);
      other.part = [trace = &trace_, site = site_, kind](Range rows, Range cols) {
        const Tensor x = trace->slice(site, 0, rows, cols);
        std::vector<float> ones(static_cast<std::size_t>(x.count()), 1.f);
        return activate_backward(
            kind, Tensor::from(std::move(ones), {{x.axis(0), x.size(0)}, {x.axis(1), x.size(1)}}), x);
      };
    }
    block("", {add(std::move(arrived))});
    block("⊙", {add(std::move(other))});
  }

  // ---- products ----
  void product(std::vector<SlopePiece> pieces, Operand result) {
    figure_.layout = Figure::Layout::product;
    Operand left = pieces.front().left, top = pieces.front().top;
    left.id = "left", top.id = "top";
    if (pieces.size() > 1) {
      std::vector<PlaneSource> lefts, tops;
      std::vector<std::int64_t> sizes;
      std::int64_t inner = 0;
      left.title.clear(), top.title.clear();
      for (const SlopePiece& piece : pieces) {
        lefts.push_back(part_of(piece.left));
        tops.push_back(part_of(piece.top));
        sizes.push_back(piece.left.col.size);
        inner += sizes.back();
        const bool first = left.title.empty();
        left.title += (first ? "" : " | ") + piece.left.title;
        top.title += (first ? "" : " / ") + piece.top.title;
        left.id += "/" + piece.left.title, top.id += "/" + piece.top.title;
      }
      left.part = joined(lefts, sizes, false);
      top.part = joined(tops, sizes, true);
      left.col = top.row = FigureAxis{"inner", inner, FigureAxis::Names::none, {}, 0, site_.stack, 0};
      const bool even = std::all_of(sizes.begin(), sizes.end(), [&](auto size) { return size == sizes[0]; });
      if (even) left.group = sizes.front();
      left.group_is_head = false;
      left.version = top.version = slopes_->version;
      left.id = "left", top.id = "top";
    }
    left.row.key = result.row.key = "rows";
    left.col.key = top.row.key = "inner";
    top.col.key = result.col.key = "cols";
    out_.pieces = std::move(pieces);
    add(std::move(left));
    add(std::move(top));
    add(std::move(result));
  }

  // ---- the loss ----
  void loss_figure() {
    Operand probs = step(trace_.main(Slot::probs), "probs");
    probs.title = tr("steps.back.probabilities");
    pick_words(probs.col, probs.picked_cols);
    Operand out = own_slope();
    if (large_vocabulary(trace_)) {  // the chosen row alone
      probs.picked_rows = out.picked_rows = {wish_.query};
      probs.row.size = out.row.size = 1;
      out.part = with_picks([gradients = slopes_->gradients, site = site_](
                                Range rows, Range cols) { return gradients->slice(site, 0, rows, cols); },
                            out.picked_rows, out.picked_cols);
    }
    Operand losses = column("losses", "steps.back.losses", probs.row, {});
    losses.part = with_picks(
        [slopes = slopes_](Range rows, Range) {
          Buffer all({{Axis::pos, rows.size()}, {Axis::unit, 1}});
          for (std::int64_t row = rows.begin; row < rows.end; ++row)
            all.data()[row - rows.begin] = loss_shown(slopes->losses[static_cast<std::size_t>(row)]);
          return std::move(all).freeze();
        },
        probs.picked_rows, {});
    losses.version = slopes_->version;
    losses.map = Colormap::sequential;
    losses.id = "sum";    // its largest number may be above one
    losses.slope = true;  // rows that are not counted have no number
    block("", {add(std::move(losses)), add(std::move(probs))});
    block("→", {add(std::move(out))});
  }

  // ---- weights ----
  Operand weight_slopes(const char* id) const {
    Operand out = weight(wish_.weight, id);
    out.title = wish_.weight + ".grad";
    out.slope = true;
    out.is_result = true;
    out.version = slopes_->version;
    return out;
  }
  void finish_weight(Operand& out) const {
    out.part = with_picks([gradients = slopes_->gradients, name = wish_.weight](
                              Range rows, Range cols) { return weight_slope(*gradients, name, rows, cols); },
                          out.picked_rows, out.picked_cols);
  }
  void weight_figure() {
    Operand out = weight_slopes("result"), arrived = slope(site_, "top");
    const auto why = explain(trace_, site_, std::vector<std::int64_t>(trace_.find(site_)->shape.size(), 0));
    const bool dot = step_.rule == Rule::dot && why && !why->terms.empty();
    if (!dot || trace_.weights().get(wish_.weight).rank() == 1)
      return summed(std::move(out), std::move(arrived));
    Operand left = turned(step(why->terms[0].factors[0].site, "left"));
    if (left.col.size != arrived.row.size) {  // one prediction for the whole input
      left.picked_cols = {0};
      left.col.size = 1;
    }
    if (site_.slot == Slot::logits) pick_words(out.col, out.picked_cols);
    out.group = 0;
    finish_weight(out);
    product({{std::move(left), std::move(arrived)}}, std::move(out));
  }
  // A bias, a norm's weight, a row of a table: the slopes of the rows that used it, added up.
  void summed(Operand out, Operand arrived) {
    if (site_.slot == Slot::logits) pick_words(out.col, out.picked_cols);
    if (step_.rule == Rule::lookup) {
      for (const WeightUse& use : slopes_->gradients->uses())
        if (use.name == wish_.weight && use.kind == WeightUse::Kind::rows)
          out.picked_rows.assign(use.ids.begin(), use.ids.end());
      out.row.size = static_cast<std::int64_t>(out.picked_rows.size());
      const bool words = site_.slot == Slot::tok_embed;
      out.row.names = words ? FigureAxis::Names::vocab : FigureAxis::Names::index;
      out.row.title = tr(words ? "steps.axis.table_token" : "steps.axis.table_pos");
    }
    finish_weight(out);
    arrived.id = "from";
    block("", {add(std::move(arrived))});
    block(step_.rule == Rule::norm ? "→" : "Σ", {add(std::move(out))});
  }

  std::shared_ptr<const Slopes> slopes_;
  const SlopeWish& wish_;
  SlopeFigure out_;
};

}  // namespace

SlopeFigure build_slope_figure(std::shared_ptr<const Slopes> slopes, const SlopeWish& wish) {
  return SlopeBuilder(std::move(slopes), wish).build();
}

SlopeSpot slope_spot(const SlopeFigure& figure, int operand, std::int64_t row, std::int64_t col) {
  const auto& operands = figure.figure.operands;
  if (operand < 0 || operand >= static_cast<int>(operands.size())) return {};
  if (figure.pieces.empty() || operand > 1) return {&operands[static_cast<std::size_t>(operand)], row, col};
  std::int64_t& along = operand == 0 ? col : row;
  for (const SlopePiece& piece : figure.pieces) {
    if (along < piece.left.col.size) return {operand == 0 ? &piece.left : &piece.top, row, col};
    along -= piece.left.col.size;
  }
  return {};
}

}  // namespace attnscope
