// One function per rule. The inputs of a step are those that explain() names for its first cell.
#include "app/views/steps_figure.h"

#include <algorithm>

#include "app/look/strings.h"
#include "app/look/theme.h"
#include "app/widgets/navigation.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

constexpr std::int64_t kHeadsShown = 6, kHeadsStacked = 3;
constexpr std::int64_t kFrameProducts = std::int64_t{4} << 20;  // multiplications that a frame may spend

class Builder {
 public:
  Builder(const RunResult& run, const FigureWish& wish)
      : wish_(wish), trace_(run.trace(wish.sequence)), step_(step_of(wish.site.slot)) {}

  Figure build() {
    const Record* record = trace_.find(wish_.site);
    if (!record) return {};
    figure_.site = wish_.site;
    figure_.rule = step_.rule;
    figure_.layout = Figure::Layout::row;
    auto first = explain(trace_, wish_.site, std::vector<std::int64_t>(record->shape.size(), 0));
    if (first) {
      why_ = *std::move(first);
      figure_.rule = why_.rule;
    }
    if (wish_.site.slot == Slot::logits || wish_.site.slot == Slot::probs)
      vocabulary();
    else
      by_rule();
    return std::move(figure_);
  }

 private:
  void by_rule() {
    if (why_.terms.empty() && figure_.rule != Rule::mask_test) return alone();
    switch (figure_.rule) {
      case Rule::dot: return dot();
      case Rule::sum:
      case Rule::product: return addends(figure_.rule == Rule::sum ? "+" : "×");
      case Rule::copy: return copy();
      case Rule::rotate: return rotate();
      case Rule::scale: return scaled();
      case Rule::mask: return masked();
      case Rule::softmax: return softmax();
      case Rule::norm_scale: return norm_scale();
      case Rule::norm: return norm();
      case Rule::activation: return activation();
      case Rule::lookup: return lookup();
      case Rule::mask_test: return alone();
    }
  }

  // ---- pieces ----
  FigureAxis axis(Axis name, std::int64_t size, const char* key) const {
    FigureAxis out{key, size, FigureAxis::Names::index, {}, 0};
    const auto token_title = [&](const char* title, ImU32 colour) {
      out.names = FigureAxis::Names::token;
      out.title = tr(title);
      out.colour = colour;
    };
    if (name == Axis::query)
      token_title("steps.axis.query", theme().q);
    else if (name == Axis::key)
      token_title("steps.axis.key", theme().k);
    else if (name == Axis::pos)
      token_title("steps.axis.pos", 0);
    else if (name == Axis::vocab)
      out.names = FigureAxis::Names::vocab, out.title = tr("steps.axis.vocab");
    else if (name == Axis::unit)
      out.names = FigureAxis::Names::none;
    else
      out.title = axis_name(name);
    return out;
  }
  /// A step (the plane of one head of it).
  Operand step(const Site& site, const char* id, std::int64_t head = -1) const {
    Operand out;
    const Record& record = *trace_.find(site);
    out.id = id;
    out.site = site;
    out.title = tr(std::string("steps.member.") + std::string(step_of(site.slot).text));
    out.colour = hue_colour(step_of(site.slot).hue);
    std::vector<std::size_t> plane;
    for (std::size_t d = 0; d < record.axes.size(); ++d) {
      if (record.axes[d] == Axis::head)
        out.head = head >= 0 ? head : trace_.own_head(site, wish_.head);
      else
        plane.push_back(d);
    }
    out.row = axis(record.axes[plane[0]], record.shape[plane[0]], "rows");
    out.col = axis(record.axes[plane[1]], record.shape[plane[1]], "cols");
    if (site.slot == Slot::pattern || site.slot == Slot::probs) out.map = Colormap::sequential;
    if (site.slot == Slot::mask) out.map = Colormap::mask;
    return out;
  }
  Operand result() const {
    Operand out = step(wish_.site, "result");
    out.is_result = true;
    return out;
  }
  Operand weight(const std::string& name, const char* id) const {
    Operand out;
    const Tensor tensor = trace_.weights().get(name);
    out.id = id;
    out.weight = name;
    out.title = name;
    out.colour = hue_colour(step_.hue);
    const bool vector = tensor.rank() == 1;
    out.row = vector ? FigureAxis{"one", 1, FigureAxis::Names::none, {}, 0}
                     : axis(tensor.axis(0), tensor.size(0), "rows");
    out.col = axis(tensor.axis(vector ? 0 : 1), tensor.size(vector ? 0 : 1), "cols");
    return out;
  }
  /// Numbers without a name, one column per row.
  Operand column(const char* id, const char* title, const FigureAxis& rows,
                 std::function<Tensor(Range, Range)> part) const {
    Operand out;
    out.id = id;
    out.title = tr(title);
    out.row = rows;
    out.col = {"one", 1, FigureAxis::Names::none, {}, 0};
    out.part = std::move(part);
    return out;
  }
  int add(Operand operand) {
    figure_.operands.push_back(std::move(operand));
    return static_cast<int>(figure_.operands.size()) - 1;
  }
  void block(const char* sign, std::vector<int> operands, bool vertical = false) {
    figure_.blocks.push_back({sign, vertical, std::move(operands)});
  }
  const Source& input(std::size_t term = 0, std::size_t factor = 0) const {
    return why_.terms[term].factors[factor];
  }

  // ---- rules ----
  void alone() { block("", {add(result())}); }

  void dot() {
    figure_.layout = Figure::Layout::product;
    Operand left = step(input().site, "left"), out = result();
    const bool by_weight = input(0, 1).is_weight;
    Operand top = by_weight ? weight(input(0, 1).name, "top") : step(input(0, 1).site, "top");
    if (wish_.site.slot == Slot::scores) {
      top.transposed = true;
      std::swap(top.row, top.col);
      top.title += "ᵀ";
      left.row = out.row;
      top.col.names = out.col.names, top.col.colour = out.col.colour, top.col.title = out.col.title;
    }
    if (wish_.site.slot == Slot::z) top.row.colour = theme().k;
    left.row.key = out.row.key = "rows";
    left.col.key = top.row.key = "inner";
    top.col.key = out.col.key = "cols";
    if (out.col.names == FigureAxis::Names::index && out.site.slot <= Slot::v)
      out.group = top.group = head_size();
    add(std::move(left));
    add(std::move(top));
    const Source& last = why_.terms.back().factors.front();
    if (last.is_weight) add(weight(last.name, "bias"));
    add(std::move(out));
  }
  std::int64_t head_size() const {
    const auto layer = static_cast<std::size_t>(std::max(wish_.site.layer, 0));
    return trace_.config().blocks[layer].attention.d_head;
  }

  void addends(const char* sign) {
    figure_.shared_range = figure_.rule == Rule::sum;
    std::vector<Source> sources;
    for (const Term& term : why_.terms)
      for (const Source& factor : term.factors) sources.push_back(factor);
    static constexpr const char* kIds[] = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < sources.size() && i < 4; ++i)
      block(i ? sign : "", {add(step(sources[i].site, kIds[i]))});
    block("=", {add(result())});
  }

  // The heads that are shown around the chosen one, of a step with a head axis.
  std::vector<int> heads_of(const Site& site, const char* id, bool is_result, std::int64_t most) {
    const Record& record = *trace_.find(site);
    std::int64_t heads = 1;
    for (std::size_t d = 0; d < record.axes.size(); ++d)
      if (record.axes[d] == Axis::head) heads = record.shape[d];
    const std::int64_t own = trace_.own_head(site, wish_.head), shown = std::min(heads, most);
    const std::int64_t first = std::clamp<std::int64_t>(own - shown / 2, 0, heads - shown);
    std::vector<int> out;
    for (std::int64_t head = first; head < first + shown; ++head) {
      Operand operand = step(site, id, head);
      operand.id += std::to_string(head);
      operand.title = tr("steps.head_n", {std::to_string(head)});
      operand.colour = head == own ? hue_colour(step_.hue) : 0;
      operand.is_result = is_result && head == own;
      operand.col.key = "head_cols";
      out.push_back(add(std::move(operand)));
    }
    return out;
  }
  void copy() {
    figure_.shared_range = true;
    const Site from = input().site;
    const Slot slot = wish_.site.slot;
    const bool view = slot == Slot::view_q || slot == Slot::view_k || slot == Slot::view_v;
    const bool transpose = slot == Slot::split_q || slot == Slot::split_k || slot == Slot::split_v;
    if (view) {
      Operand flat = step(from, "before");
      flat.group = trace_.find(wish_.site)->shape[2];
      block("", {add(std::move(flat))});
      block("→", heads_of(wish_.site, "after", true, kHeadsShown));
    } else if (transpose) {
      block("", heads_of(from, "before", false, kHeadsStacked));
      block("→", heads_of(wish_.site, "after", true, kHeadsStacked), true);
    } else if (slot == Slot::concat) {
      block("", heads_of(from, "before", false, kHeadsStacked), true);
      Operand flat = result();
      flat.group = trace_.find(from)->shape[2];
      block("→", {add(std::move(flat))});
    } else {
      block("", {add(step(from, "before"))});
      block("→", {add(result())});
    }
  }

  void rotate() {
    figure_.shared_range = true;
    figure_.extra = Figure::Extra::dial;
    block("", {add(step(input().site, "before"))});
    block("→", {add(result())});
  }
  void scaled() {
    block("", {add(step(input().site, "before"))});
    block("×", {add(result())});
  }
  void masked() {
    figure_.shared_range = true;
    block("", {add(step(input().site, "before"))});
    Operand mask = step(input(1).site, "mask");
    block("⊙", {add(std::move(mask))});
    block("→", {add(result())});
  }
  void softmax() {
    const Site from = input().site;
    Operand before = step(from, "before");
    const std::int64_t head = before.head, width = before.col.size;
    const Trace* trace = &trace_;
    const auto parts = [trace, from, head, width](Range rows) {
      return softmax_parts(trace->slice(from, head, rows, {0, width}));
    };
    const FigureAxis rows = before.row;
    Operand exponential = before;
    exponential.id = "exp";
    exponential.title = tr("steps.part.exp");
    exponential.colour = 0;
    exponential.map = Colormap::sequential;
    exponential.part = [parts](Range r, Range c) { return parts(r).exponential.slice(1, c.begin, c.end); };
    block("", {add(before), add(column("max", "steps.part.max", rows,
                                       [parts](Range r, Range) { return parts(r).high; }))});
    Operand sum = column("sum", "steps.part.sum", rows, [parts](Range r, Range) { return parts(r).sum; });
    sum.map = Colormap::sequential;
    block("→", {add(std::move(exponential)), add(std::move(sum))});
    block("→", {add(result())});
  }

  const NormSpec& norm_spec() const {
    const bool final = step_.part == Part::model;
    return final ? trace_.config().final_norm
                 : trace_.config().blocks[static_cast<std::size_t>(wish_.site.layer)].norm;
  }
  void add_mean(std::vector<int>& ids, const Operand& x) {
    if (norm_spec().kind != NormSpec::Kind::layer) return;
    const Trace* trace = &trace_;
    const std::int64_t width = x.col.size;
    ids.push_back(add(column("mean", "steps.part.mean", x.row,
                             [trace, site = x.site, width, spec = norm_spec()](Range rows, Range) {
                               return norm_means(trace->slice(site, 0, rows, {0, width}), spec);
                             })));
  }
  void norm_scale() {
    const Operand x = step(input().site, "before");
    std::vector<int> ids{add(x)};
    add_mean(ids, x);
    block("", std::move(ids));
    Operand out = result();
    out.col.key = "one";
    block("→", {add(std::move(out))});
  }
  void norm() {
    const Operand x = step(input().site, "before");
    std::vector<int> ids{add(x)};
    add_mean(ids, x);
    Operand scale = step(input(1).site, "scale");
    scale.col.key = "one";
    ids.push_back(add(std::move(scale)));
    block("", std::move(ids));
    std::vector<int> out;
    for (std::size_t term = 2; term < why_.terms.size(); ++term)
      out.push_back(add(weight(input(term).name, term == 2 ? "gamma" : "beta")));
    out.push_back(add(result()));
    block("→", std::move(out), true);
  }
  void activation() {
    figure_.shared_range = true;
    figure_.extra = Figure::Extra::curve;
    block("", {add(step(input().site, "before"))});
    block("→", {add(result())});
  }
  void lookup() {
    Operand table = weight(input().name, "table"), out = result();
    const bool token = wish_.site.slot == Slot::tok_embed;
    for (std::int64_t pos = 0; pos < out.row.size; ++pos)
      table.picked_rows.push_back(token ? trace_.ids[static_cast<std::size_t>(pos)] : trace_.first_pos + pos);
    table.row.names = token ? FigureAxis::Names::vocab : FigureAxis::Names::index;
    table.row.title = tr(token ? "steps.axis.table_token" : "steps.axis.table_pos");
    table.row.size = out.row.size;
    table.row.key = "rows";
    figure_.shared_range = true;
    block("", {add(std::move(table))});
    block("→", {add(std::move(out))});
  }

  // ---- the vocabulary: the most likely tokens of one row stand for the tens of thousands ----
  void pick(Operand& operand, bool rows_too) const {
    if (!wish_.whole_vocabulary) {
      operand.picked_cols = wish_.top;
      operand.col.size = static_cast<std::int64_t>(wish_.top.size());
    }
    if (!rows_too || !large_vocabulary(trace_)) return;
    operand.picked_rows = {wish_.query};
    operand.row.size = 1;
  }
  void vocabulary() {
    if (!wish_.whole_vocabulary && wish_.top.empty()) {
      figure_.pending = true;
      figure_.layout = Figure::Layout::none;
      return;
    }
    if (wish_.site.slot == Slot::logits) {
      if (why_.terms.empty()) return alone();
      dot();
      for (Operand& operand : figure_.operands) {
        if (operand.id == "left") {
          if (large_vocabulary(trace_)) operand.picked_rows = {wish_.query}, operand.row.size = 1;
        } else {
          pick(operand, operand.is_result);
          operand.col.names = FigureAxis::Names::vocab;
        }
      }
      return;
    }
    Operand before = step(input().site, "before"), out = result();
    pick(before, true);
    pick(out, true);
    const Trace* trace = &trace_;
    const auto row_of = [rows = before.picked_rows](std::int64_t row) {
      return rows.empty() ? row : rows[static_cast<std::size_t>(row)];
    };
    const auto parts = [trace, row_of](Range rows, bool sum) {
      Buffer column({{Axis::pos, rows.size()}, {Axis::unit, 1}});
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const Tensor logits = trace->logits_row(row_of(row)).split(0, Axis::pos, 1, Axis::vocab);
        const SoftmaxParts all = softmax_parts(logits);
        column.data()[row - rows.begin] = (sum ? all.sum : all.high).at(0);
      }
      return std::move(column).freeze();
    };
    const FigureAxis rows = before.row;
    Operand sum = column("sum", "steps.part.sum", rows, [parts](Range r, Range) { return parts(r, true); });
    sum.map = Colormap::sequential;
    block("",
          {add(before),
           add(column("max", "steps.part.max", rows, [parts](Range r, Range) { return parts(r, false); })),
           add(std::move(sum))});
    block("→", {add(std::move(out))});
  }

  const FigureWish& wish_;
  const Trace& trace_;
  const Step& step_;
  Explanation why_;
  Figure figure_;
};

}  // namespace

int Figure::result() const {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].is_result) return static_cast<int>(i);
  return -1;
}

bool large_vocabulary(const Trace& trace) {
  return trace.length * trace.config().vocab_size * trace.config().d_model > kFrameProducts;
}

Figure build_figure(const RunResult& run, const FigureWish& wish) { return Builder(run, wish).build(); }

}  // namespace attnscope
