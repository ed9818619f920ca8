#include "core/trace/probe.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace attnscope {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool names_head(const Intervention& change, std::int64_t head) {
  for (const Coordinate& c : change.where.at)
    if (c.axis == axis_name(Axis::head)) return c.index == head;
  return true;
}

// The same intervention without its head coordinate, for the [query, key] plane of one head.
Intervention on_plane(Intervention change) {
  std::erase_if(change.where.at, [](const Coordinate& c) { return c.axis == axis_name(Axis::head); });
  return change;
}

}  // namespace

Probe::Probe(Trace& trace, const RunOptions& options)
    : trace_(&trace), options_(&options), last_ns_(std::make_shared<std::int64_t>(now_ns())), start_ns_(*last_ns_) {}

Probe Probe::in(Stack stack, int layer) const {
  Probe inner = *this;
  inner.stack_ = stack;
  inner.layer_ = layer;
  return inner;
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
  value = edited(site_of(slot, layer_, stack_), std::move(value));
  std::vector<Axis> axes;
  for (int d = 0; d < value.rank(); ++d) axes.push_back(value.axis(d));
  record(slot, value, value.sizes(), std::move(axes), line);
  return value;
}

void Probe::record(Slot slot, Tensor value, std::vector<std::int64_t> shape, std::vector<Axis> axes,
                   std::source_location line) const {
  throw_if_cancelled();
  Record record{site_of(slot, layer_, stack_), std::move(value), false, std::move(shape), std::move(axes), 0, 0, line};
  record.derived = record.value.empty();
  record.begin_ns = *last_ns_ - start_ns_;
  *last_ns_ = now_ns();
  record.end_ns = *last_ns_ - start_ns_;
  trace_->append(record);
  if (options_->on_record) options_->on_record(trace_->records().back());
}

Tensor Probe::attend(AttentionInputs in, std::source_location line) const {
  auto& cells = in.mask.cells;
  cells.insert(cells.end(), options_->mask_cells.begin(), options_->mask_cells.end());
  const auto order = [](const Mask::Cell& a, const Mask::Cell& b) {
    return std::pair(a.query, a.key) < std::pair(b.query, b.key);
  };
  std::stable_sort(cells.begin(), cells.end(), order);
  const auto cancelled = [this] { return options_->cancel && options_->cancel->load(std::memory_order_relaxed); };
  AttentionResult result = attnscope::attend(in, cancelled);
  throw_if_cancelled();
  AttentionState state{in, result.lse, {}};
  edit_heads(state, result);
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), keys = in.k.size(1);
  const bool mask_first = in.mask_before_scale;
  trace_->set_attention(site_of(Slot::pattern, layer_, stack_), std::move(state));
  const auto derived = [&](Slot slot) {
    record(slot, {}, {heads, queries, keys}, {Axis::head, Axis::query, Axis::key}, line);
  };
  derived(Slot::scores);
  if (!mask_first) derived(Slot::scaled);
  record(Slot::mask, {}, {queries, keys}, {Axis::query, Axis::key}, line);
  derived(Slot::masked);
  if (mask_first) derived(Slot::scaled);
  derived(Slot::pattern);
  return (*this)(Slot::z, result.z, line);
}

void Probe::edit_heads(AttentionState& state, AttentionResult& result) const {
  if (options_->interventions.empty()) return;
  const auto touched = [&](std::int64_t head) {
    return std::any_of(options_->interventions.begin(), options_->interventions.end(), [&](const Intervention& c) {
      const Slot slot = c.where.site.slot;
      const bool stage = slot == Slot::scores || slot == Slot::scaled || slot == Slot::masked || slot == Slot::pattern;
      return c.enabled && stage && c.where.site == site_of(slot, layer_, stack_) && names_head(c, head);
    });
  };
  const auto plane = [&](Slot slot, std::int64_t head, Tensor value) {
    for (const Intervention& change : options_->interventions)
      if (change.enabled && change.where.site == site_of(slot, layer_, stack_) && names_head(change, head))
        value = apply(on_plane(change), value);
    return value;
  };
  const AttentionInputs& in = state.in;
  const std::int64_t queries = in.q.size(1), keys = in.k.size(1), d_head = in.v.size(2);
  const auto stage_mask = [&](const Tensor& x) {  // [query, key] -> -inf where masked
    Buffer out({{Axis::query, queries}, {Axis::key, keys}});
    for (std::int64_t query = 0; query < queries; ++query)
      for (std::int64_t key = 0; key < keys; ++key)
        out.data()[query * keys + key] =
            in.mask.allowed(in.first_query + query, key) ? x.at(query, key) : -std::numeric_limits<float>::infinity();
    return std::move(out).freeze();
  };
  Buffer z({{Axis::query, queries}, {Axis::head, in.q.size(0)}, {Axis::d_head, d_head}});
  bool any = false;
  for (std::int64_t head = 0; head < in.q.size(0); ++head) {
    Tensor rows = result.z.select(0, head);  // [query, d_head]
    if (touched(head)) {
      any = true;
      const auto scores = plane(Slot::scores, head,
                                attention_rectangle(in, state.lse, ScoreStage::scores, head, 0, queries, 0, keys));
      Tensor scaled, masked;
      if (in.mask_before_scale) {
        masked = plane(Slot::masked, head, stage_mask(scores));
        scaled = plane(Slot::scaled, head, scale(masked, in.scale));
      } else {
        scaled = plane(Slot::scaled, head, scale(scores, in.scale));
        masked = plane(Slot::masked, head, stage_mask(scaled));
      }
      const Tensor pattern = plane(Slot::pattern, head, softmax_rows(in.mask_before_scale ? scaled : masked));
      rows = weighted_sum(pattern, in.v.select(0, head * in.v.size(0) / in.q.size(0)));
      state.stored[head] = {scores, scaled, masked, pattern};
    }
    for (std::int64_t query = 0; query < queries; ++query)
      for (std::int64_t i = 0; i < d_head; ++i)
        z.data()[(query * in.q.size(0) + head) * d_head + i] = rows.at(query, i);
  }
  if (any) result.z = std::move(z).freeze().permute({1, 0, 2});
}

void Probe::predict(std::int64_t rows, std::source_location line) const {
  const std::int64_t vocab = trace_->config().vocab_size;
  record(Slot::logits, {}, {rows, vocab}, {Axis::pos, Axis::vocab}, line);
  record(Slot::probs, {}, {rows, vocab}, {Axis::pos, Axis::vocab}, line);
}

}  // namespace attnscope
