// Builds figures, one function per rule. A step's inputs are those that explain() returns for its first cell.
#include <algorithm>

#include "app/look/theme.h"
#include "app/views/steps_builder.h"
#include "app/views/steps_words.h"
#include "app/widgets/navigation.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/lens/positions.h"
#include "core/trace/flow.h"
#include "core/trace/inside.h"
#include "core/trace/row_parts.h"

namespace attnscope {
namespace {

constexpr std::int64_t kHeadsShown = 6, kHeadsStacked = 4;
constexpr std::int64_t kFrameProducts = std::int64_t{4} << 20;  // multiplications allowed per frame

}  // namespace

Figure FigureBuilder::build() {
  const Record* record = trace_.find(asked_.site);
  if (!record) return {};
  figure_.site = asked_.site;
  figure_.rule = step_.rule;
  figure_.layout = Figure::Layout::row;
  auto first = explain(trace_, asked_.site, std::vector<std::int64_t>(record->shape.size(), 0));
  if (first) {
    why_ = *std::move(first);
    figure_.rule = why_.rule;
  }
  if (is_over_vocabulary(asked_.site.slot))
    vocabulary();
  else
    by_rule();
  // Side by side all have the same rows; and the result is what the page's title names.
  for (Operand& operand : figure_.operands)
    if (operand.is_step() && (operand.is_result || figure_.layout == Figure::Layout::row) &&
        operand.title == title_of(operand.site))
      operand.title = member_of(operand.site);
  for (Operand& operand : figure_.operands)
    if (asked_.letters && operand.is_weight() && operand.title == operand.weight)
      operand.title = weight_letter(trace_, asked_.site, operand.weight);
  return std::move(figure_);
}

void FigureBuilder::by_rule() {
  if (why_.terms.empty() && figure_.rule != Rule::mask_test) return alone();
  if (asked_.site.is(StepRole::merged)) return merged();
  if (asked_.site.is(StepKind::bias)) return biased();
  if (asked_.site.is(StepRole::embedding) && stack().patch.class_token) return with_class_row();
  switch (figure_.rule) {
    case Rule::dot: return dot();
    case Rule::sum:
    case Rule::product: return addends(figure_.rule == Rule::sum ? "+" : "×");
    case Rule::copy: return copy();
    case Rule::rotate: return rotate();
    case Rule::scale: return scaled();
    case Rule::cap: return capped();
    case Rule::mask: return masked();
    case Rule::softmax: return softmax();
    case Rule::norm_scale: return norm_scale();
    case Rule::norm: return norm();
    case Rule::activation: return activation();
    case Rule::lookup: return asked_.site.is(StepRole::sinks) ? alone() : lookup();
    case Rule::mask_test: return alone();
  }
}

// ---- rules ----
void FigureBuilder::alone() {
  if (asked_.site.is(StepRole::pixels)) figure_.extra = Figure::Extra::picture;
  block("", {add(result())});
}

void FigureBuilder::dot() {
  figure_.layout = Figure::Layout::product;
  Operand left = step(input().site, "left"), out = result();
  const bool by_weight = input(0, 1).is_weight;
  Operand top = by_weight ? weight(input(0, 1).name, "top") : step(input(0, 1).site, "top");
  if (asked_.site.is(StepKind::scores)) {
    top.transposed = true;
    std::swap(top.row, top.col);
    top.title = title_of(top.site, true);
    left.row = out.row;
    top.col = out.col;
  }
  if (asked_.site.is(StepRole::head_out)) top.row.colour = theme().k;
  if (!by_weight) name_shared_head(top);
  left.row.key = out.row.key = "rows";
  left.col.key = top.row.key = "inner";
  top.col.key = out.col.key = "cols";
  if (out.site.is(StepRole::projection)) group(out, asked_.site), group(top, asked_.site);
  if (out.row.size < left.row.size) {  // one prediction for the whole input
    left.picked_rows = {0};
    left.row.size = out.row.size;
  }
  add(std::move(left));
  add(std::move(top));
  const Source& last = why_.terms.back().factors.front();
  if (last.is_weight) add(weight(last.name, "bias"));
  add(std::move(out));
}

// Adds to the title of a K or V head the query heads that share it.
void FigureBuilder::name_shared_head(Operand& operand) const {
  const std::int64_t shared = shared_heads(trace_, operand.site);
  if (shared < 2) return;
  const std::int64_t first = operand.head * shared;
  operand.title = tr("steps.shared_head", {operand.title, std::to_string(operand.head), std::to_string(first),
                                           std::to_string(first + shared - 1)});
}

// The columns are grouped by heads of a projection.
void FigureBuilder::group(Operand& operand, const Site& projection) const {
  operand.group = trace_.config().attention_at(projection).d_head;
  operand.own_group = trace_.own_head(projection, asked_.head);
}

void FigureBuilder::addends(const char* sign) {
  figure_.shared_range = figure_.rule == Rule::sum;
  std::vector<Source> sources;
  for (const Term& term : why_.terms)
    for (const Source& factor : term.factors) sources.push_back(factor);
  static constexpr const char* kIds[] = {"a", "b", "c", "d"};
  for (std::size_t i = 0; i < sources.size() && i < 4; ++i)
    block(i ? sign : "", {add(step(sources[i].site, kIds[i]))});
  block("=", {add(result())});
}

// The operands of the heads shown around the current one, for a step with a head axis.
std::vector<int> FigureBuilder::heads_of(const Site& site, const char* id, bool is_result,
                                         std::int64_t most) {
  const Record& record = *trace_.find(site);
  const std::int64_t heads = size_along(Axis::head, record.axes, record.shape, 1);
  const std::int64_t own = trace_.own_head(site, asked_.head), shown = std::min(heads, most);
  const std::int64_t first = std::clamp<std::int64_t>(own - shown / 2, 0, heads - shown);
  std::vector<int> out;
  for (std::int64_t head = first; head < first + shown; ++head) {
    Operand operand = step(site, id, head);
    operand.id += std::to_string(head);
    operand.title =
        tr(shared_heads(trace_, site) > 1 ? "steps.kv_head_n" : "steps.head_n", {std::to_string(head)});
    operand.colour = head == own ? hue_colour(step_.hue) : 0;
    operand.is_result = is_result && head == own;
    operand.col.key = "head_cols";
    out.push_back(add(std::move(operand)));
  }
  return out;
}

void FigureBuilder::copy() {
  figure_.shared_range = true;
  const Site from = input().site;
  const Slot slot = asked_.site.slot;
  const bool view = role_of(slot) == StepRole::view, transpose = role_of(slot) == StepRole::split;
  if (view) {
    Operand flat = step(from, "before");
    group(flat, from);
    block("", {add(std::move(flat))});
    block("→", heads_of(asked_.site, "after", true, kHeadsShown));
  } else if (transpose) {
    block("", heads_of(from, "before", false, kHeadsStacked));
    block("→", heads_of(asked_.site, "after", true, kHeadsStacked), true);
  } else if (role_of(slot) == StepRole::concat) {
    block("", heads_of(from, "before", false, kHeadsStacked), true);
    Operand flat = result();
    group(flat, asked_.site);
    block("→", {add(std::move(flat))});
  } else {
    block("", {add(step(from, "before"))});
    block("→", {add(result())});
  }
}

void FigureBuilder::rotate() {
  figure_.shared_range = true;
  figure_.extra = Figure::Extra::dial;
  block("", {add(step(input().site, "before"))});
  block("→", {add(result())});
}

void FigureBuilder::scaled() {
  block("", {add(step(input().site, "before"))});
  block("→", {add(result())});
}

void FigureBuilder::capped() {
  figure_.extra = Figure::Extra::curve;
  block("", {add(step(input().site, "before"))});
  block("→", {add(result())});
}

// The position bias is shown between the scores and their sum.
void FigureBuilder::biased() {
  figure_.shared_range = true;
  Operand before = step(input().site, "a"), bias = before;
  bias.id = "bias";
  bias.title = tr("steps.part.bias");
  bias.colour = 0;
  bias.part = [trace = &trace_, site = asked_.site, head = before.head](Range rows, Range cols) {
    return bias_rectangle(*trace, site, head, rows, cols);
  };
  block("", {add(std::move(before))});
  block("+", {add(std::move(bias))});
  block("=", {add(result())});
}

// The class token's row above the patches.
void FigureBuilder::with_class_row() {
  figure_.shared_range = true;
  Operand patches = step(in_stack(slot_of(StepRole::patches)), "patches");
  patches.row.key = "patch_rows";
  Operand first = weight(input().name, "class");
  first.row.key = "one";
  block("", {add(std::move(first)), add(std::move(patches))}, true);
  for (std::size_t term = 1; term < why_.terms.size(); ++term)
    block("+", {add(step(input(term).site, term == 1 ? "b" : "c"))});
  block("=", {add(result())});
}

// Image rows replace the placeholder tokens of the text.
void FigureBuilder::merged() {
  figure_.shared_range = true;
  const Site projected = site_of(StepRole::projector, -1, Stack::vision);
  const Site image = trace_.find(projected) ? projected : stack_output(trace_, Stack::vision);
  const Site scaled = in_stack(slot_of(StepRole::words, Rule::scale));
  Operand seen = step(image, "image");
  seen.row.key = "image_rows";
  block("", {add(std::move(seen))});
  block("+", {add(step(trace_.find(scaled) ? scaled : in_stack(slot_of(StepRole::words)), "words"))});
  block("→", {add(result())});
}

void FigureBuilder::masked() {
  figure_.shared_range = true;
  block("", {add(step(input().site, "before"))});
  block("|", {add(step(input(1).site, "mask"))});  // no product: where M is 0, −∞ stands
  block("→", {add(result())});
}

void FigureBuilder::softmax() {
  Operand before = step(input().site, "before");
  if (before.site.is(StepKind::scale) &&
      attention().scale != 1.f)  // in one step with scaling: the title contains the scale
    before.title = tr("steps.scaled_of", {title_of(before.site.with(slot_of(StepKind::mask))),
                                          significant(static_cast<double>(attention().scale), 4)});
  const std::int64_t head = before.head, width = before.col.size;
  const Trace* trace = &trace_;
  struct Last {  // the last rows: their parts are shown side by side
    Range rows{0, -1};
    SoftmaxParts parts;
  };
  const auto parts = [trace, from = before.site, head, width, last = std::make_shared<Last>()](Range rows) {
    if (rows.begin != last->rows.begin || rows.end != last->rows.end)
      *last = {rows, softmax_parts(trace->slice(from, head, rows, {0, width}),
                                   trace->slice(from.near(StepRole::sinks), head, rows, {0, 1}))};
    return last->parts;
  };
  const FigureAxis rows = before.row;
  Operand exponential = before;
  exponential.id = "exp";
  exponential.title = tr("steps.part.exp");
  exponential.colour = 0;
  exponential.map = Colormap::sequential;
  exponential.reads = width;
  exponential.part = [parts](Range r, Range c) { return parts(r).exponential.slice(1, c.begin, c.end); };
  block("", {add(before), add(column("max", "steps.part.max", rows, width,
                                     [parts](Range r, Range) { return parts(r).high; }))});
  Operand sum =
      column("sum", "steps.part.sum", rows, width, [parts](Range r, Range) { return parts(r).sum; });
  sum.map = Colormap::sequential;
  block("→", {add(std::move(exponential)), add(std::move(sum))});
  block("→", {add(result())});
}

// A statistic of each row of x in the norm, as a column.
int FigureBuilder::row_part(const char* id, const char* title, const Operand& x, RowPart part) {
  return add(column(id, title, x.row, x.col.size,
                    [trace = &trace_, site = x.site, head = std::max<std::int64_t>(x.head, 0), part,
                     width = x.col.size, spec = norm_spec(trace_.config(), asked_.site)](Range rows, Range) {
                      return part(trace->slice(site, head, rows, {0, width}), spec);
                    }));
}

void FigureBuilder::add_mean(std::vector<int>& ids, const Operand& x) {
  if (norm_spec(trace_.config(), asked_.site).kind == NormSpec::Kind::layer)
    ids.push_back(row_part("mean", "steps.part.mean", x, norm_means));
}

void FigureBuilder::norm_scale() {
  const Operand x = step(input().site, "before");
  std::vector<int> ids{add(x)};
  add_mean(ids, x);
  block("", std::move(ids));
  Operand out = result();
  out.col.key = "one";
  block("→", {add(std::move(out))});
}

void FigureBuilder::norm() {
  const Operand x = step(input().site, "before");
  std::vector<int> ids{add(x)};
  add_mean(ids, x);
  const bool recorded = why_.terms.size() > 1 && !input(1).is_weight;  // per-head norms record no scale
  if (recorded) {
    Operand scale = step(input(1).site, "scale");
    scale.col.key = "one";
    ids.push_back(add(std::move(scale)));
  } else {
    ids.push_back(row_part("scale", "steps.part.scale", x, norm_scales));
  }
  block("", std::move(ids));
  std::vector<int> out;
  for (std::size_t term = recorded ? 2 : 1; term < why_.terms.size(); ++term)
    out.push_back(add(weight(input(term).name, input(term).name.ends_with("bias") ? "beta" : "gamma")));
  out.push_back(add(result()));
  block("→", std::move(out), true);
}

void FigureBuilder::activation() {
  figure_.shared_range = true;
  figure_.extra = Figure::Extra::curve;
  block("", {add(step(input().site, "before"))});
  block("→", {add(result())});
}

int Figure::result() const {
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].is_result) return static_cast<int>(i);
  return -1;
}

std::int64_t shared_heads(const Trace& trace, const Site& site) {
  const Hue hue = step_of(site.slot).hue;
  const bool kv = (hue == Hue::key || hue == Hue::value) && !site.is(StepRole::head_out);
  const AttentionSpec& attention = trace.config().attention_at(site);
  return kv && attention.n_kv_heads > 0 ? attention.n_heads / attention.n_kv_heads : 1;
}

std::int64_t predicted_rows(const Trace& trace) {
  const Record* logits = trace.find(trace.main(StepRole::logits));
  const Record* record = logits ? logits : trace.find(trace.main(StepRole::probs));
  return record ? record->shape[0] : 0;
}

bool large_vocabulary(const Trace& trace) {
  return predicted_rows(trace) * trace.config().outputs() * trace.config().d_model > kFrameProducts;
}

Figure build_figure(const RunResult& run, const FigureRequest& asked) {
  static std::uint64_t built = 0;
  Figure figure = FigureBuilder(run, asked).build();
  figure.id = ++built;
  return figure;
}

}  // namespace attnscope
