#include "core/trace/probe.h"

#include <algorithm>
#include <chrono>

#include "core/trace/head_edits.h"

namespace attnscope {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Probe::Probe(Trace& trace, const RunOptions& options)
    : trace_(&trace),
      options_(&options),
      last_ns_(std::make_shared<std::int64_t>(now_ns())),
      start_ns_(*last_ns_) {}

Probe Probe::in(Stack stack, int layer, Part part) const {
  Probe inner = *this;
  inner.stack_ = stack;
  inner.layer_ = layer;
  inner.part_ = part;
  return inner;
}

Site Probe::site(Slot slot) const {
  return part_ == Part::cross ? cross_site(slot, layer_, stack_) : site_of(slot, layer_, stack_);
}

void Probe::throw_if_cancelled() const {
  if (options_->cancel && options_->cancel->load(std::memory_order_relaxed)) throw RunCancelled{};
}

Tensor Probe::edited(const Site& site, Tensor value) const {
  for (const Intervention& change : options_->interventions)
    if (change.enabled && change.where.site == site) value = apply(change, value);
  return value;
}

Tensor Probe::operator()(Slot slot, Tensor value, std::source_location line) const {
  value = edited(site(slot), std::move(value));
  std::vector<Axis> axes;
  for (int d = 0; d < value.rank(); ++d) axes.push_back(value.axis(d));
  record(slot, value, value.sizes(), std::move(axes), line);
  return value;
}

void Probe::record(Slot slot, Tensor value, std::vector<std::int64_t> shape, std::vector<Axis> axes,
                   std::source_location line) const {
  throw_if_cancelled();
  Record record{site(slot), std::move(value), false, std::move(shape), std::move(axes), 0, 0, line};
  record.derived = record.value.empty();
  record.begin_ns = *last_ns_ - start_ns_;
  *last_ns_ = now_ns();
  record.end_ns = *last_ns_ - start_ns_;
  trace_->append(record);
  if (options_->on_record) options_->on_record(trace_->records().back());
}

Tensor Probe::attend(AttentionInputs in, std::source_location line) const {
  auto& cells = in.mask.cells;
  const MaskOf of = mask_of_attention(stack_, part_, trace_->config().stack);
  const SideMask* side = of == MaskOf::main ? nullptr : find_mask(options_->side_masks, of);
  if (of == MaskOf::main) cells.insert(cells.end(), options_->mask_cells.begin(), options_->mask_cells.end());
  if (side) cells.insert(cells.end(), side->cells.begin(), side->cells.end());
  const auto order = [](const Mask::Cell& a, const Mask::Cell& b) {
    return std::pair(a.query, a.key) < std::pair(b.query, b.key);
  };
  std::stable_sort(cells.begin(), cells.end(), order);
  const auto cancelled = [this] {
    return options_->cancel && options_->cancel->load(std::memory_order_relaxed);
  };
  AttentionResult result = attnscope::attend(in, cancelled);
  throw_if_cancelled();
  AttentionState state{in, result.lse, {}};
  if (!options_->interventions.empty())
    edit_heads(options_->interventions, site(Slot::pattern), state, result);
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1);
  const bool mask_first = in.mask_before_scale;
  const bool capped = in.cap > 0.f, biased = in.bias.kind != ScoreBias::Kind::none;
  trace_->set_attention(site(Slot::pattern), std::move(state));
  const auto derived = [&](Slot slot) {
    record(slot, {}, {heads, queries, keys}, {Axis::head, Axis::query, Axis::key}, line);
  };
  derived(Slot::scores);
  if (!mask_first) derived(Slot::scaled);
  if (capped) derived(Slot::capped);
  if (biased) derived(Slot::biased);
  record(Slot::mask, {}, {queries, keys}, {Axis::query, Axis::key}, line);
  derived(Slot::masked);
  if (mask_first) derived(Slot::scaled);
  derived(Slot::pattern);
  return (*this)(Slot::z, result.z.rename({Axis::head, Axis::query, Axis::d_head}), line);
}

void Probe::predict(std::int64_t rows, std::source_location line) const {
  const std::int64_t vocab = trace_->config().outputs();
  record(Slot::logits, {}, {rows, vocab}, {Axis::pos, Axis::vocab}, line);
  record(Slot::probs, {}, {rows, vocab}, {Axis::pos, Axis::vocab}, line);
}

}  // namespace attnscope
