#include "core/trace/hook.h"

#include <algorithm>
#include <chrono>

#include "core/trace/path.h"

namespace attnscope {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Logits stand alone: means and copies of other rows become the numbers they stand for.
NumberEdit with_numbers(NumberEdit edit, const Tensor& all, const RowFrame& rows) {
  const auto applied = apply({edit.where, EditOp::set, edit.value}, all, rows);
  if (!applied) throw EditRefused{applied.error()};
  edit.value = Frozen{applied->value, to_text(edit.where)};
  return edit;
}

}  // namespace

Hook::Hook(Trace& trace, const RunOptions& options)
    : trace_(&trace), options_(&options), state_(std::make_shared<State>()) {
  state_->start_ns = state_->last_ns = now_ns();
}

Hook Hook::in(Stack stack, int layer, Part part) const {
  Hook inner = *this;
  inner.stack_ = stack;
  inner.layer_ = layer;
  inner.part_ = part;
  return inner;
}

Hook Hook::from_row(std::int64_t first) const {
  Hook inner = *this;
  inner.first_row_ = first;
  return inner;
}

Site Hook::site(Slot slot) const {
  return part_ == Part::cross ? cross_site(slot, layer_, stack_) : site_of(slot, layer_, stack_);
}

void Hook::throw_if_cancelled() const {
  if (options_->cancel && options_->cancel->load(std::memory_order_relaxed)) throw RunCancelled{};
}

RowFrame Hook::frame(const Site& site) const {
  const Stack rows = rows_stack(site, Axis::pos);
  const Input& input = trace_->input;
  return {first_row_, rows == Stack::enc      ? &input.source_attention_mask
                      : rows == Stack::vision ? nullptr
                                              : &input.attention_mask};
}

Tensor Hook::edited(const Site& site, Tensor value) const {
  value = without_paths(site, value);
  for (const auto& edit : options_->edits) {
    const NumberEdit* number = edit->number();
    if (!number || path_from(*number) || number->where.kind != Target::Kind::step ||
        number->where.site != site)
      continue;
    auto applied = apply(*number, value, frame(site));
    if (!applied) throw EditRefused{applied.error()};
    value = std::move(applied->value);
    if (applied->reached) state_->reached.push_back(edit);
  }
  return value;
}

// Paths that are cut are about what a step reads: they come before the edits of what it makes of that, in
// whatever order they are listed.
Tensor Hook::without_paths(const Site& site, const Tensor& value) const {
  std::vector<const NumberEdit*> cuts;
  for (const auto& edit : options_->edits) {
    const NumberEdit* number = edit->number();
    if (!number || !path_from(*number) || number->where.site != site) continue;
    const auto tried = apply({number->where, EditOp::add, 0.f}, value, frame(site));
    if (!tried) throw EditRefused{tried.error()};
    if (tried->reached) state_->reached.push_back(edit);
    cuts.push_back(number);
  }
  if (cuts.empty()) return value;
  const std::int64_t rows = value.size(row_axis(value));
  auto change = path_change(*trace_, cuts, {first_row_, first_row_ + rows}, value);
  if (!change) throw EditRefused{change.error()};
  const Target whole{Target::Kind::step, site, {}, {}};
  auto applied = apply({whole, EditOp::add, Frozen{*std::move(change), to_text(whole)}}, value, frame(site));
  if (!applied) throw EditRefused{applied.error()};
  return std::move(applied->value);
}

Tensor Hook::operator()(Slot slot, Tensor value) const {
  value = edited(site(slot), std::move(value));
  record(slot, value);
  return value;
}

void Hook::record(Slot slot, const Tensor& value) const {
  std::vector<Axis> axes;
  for (int d = 0; d < value.rank(); ++d) axes.push_back(value.axis(d));
  std::vector<std::int64_t> shape = value.sizes();
  StepRows rows = value;
  if (const Record* before = first_row_ > 0 ? trace_->find(site(slot)) : nullptr) {
    rows = StepRows::joined(before->rows, first_row_, value);
    shape[static_cast<std::size_t>(row_axis(value))] += first_row_;
  }
  record(slot, std::move(rows), std::move(shape), std::move(axes));
}

void Hook::record(Slot slot, StepRows rows, std::vector<std::int64_t> shape, std::vector<Axis> axes) const {
  throw_if_cancelled();
  Record record{site(slot), std::move(rows), false, std::move(shape), std::move(axes), 0, 0};
  record.derived = record.rows.empty();
  record.begin_ns = state_->last_ns - state_->start_ns;
  state_->last_ns = now_ns();
  record.end_ns = state_->last_ns - state_->start_ns;
  if (options_->on_record) options_->on_record(record);
  trace_->put(std::move(record));
}

Tensor Hook::attend(AttentionInputs in, std::shared_ptr<KvRows> store) const {
  const MaskEdit asked = asked_mask(options_->edits, attention_kind(stack_, part_, trace_->config().stack));
  in.mask.cells.insert(in.mask.cells.end(), asked.cells.begin(), asked.cells.end());
  if (!in.sinks.empty()) in.sinks = edited(site(slot_of(StepRole::sinks)), in.sinks);
  const auto cancelled = [this] {
    return options_->cancel && options_->cancel->load(std::memory_order_relaxed);
  };
  const AttentionResult result = attnscope::attend(in, cancelled);
  throw_if_cancelled();
  const Site here = site(slot_of(StepRole::pattern));
  const auto stage_edits = [&](const AttentionInputs& rows, const Tensor& lse) {
    auto made =
        StageEdits::make(options_->edits, here, rows, lse, frame(here).attention_mask, state_->reached);
    if (!made) throw EditRefused{made.error()};
    return *std::move(made);
  };
  const StageEdits edits = stage_edits(in, result.lse);
  const Tensor z = edits.any() ? edits.weigh(in, result.lse, result.z) : result.z;
  AttentionState state{in, result.lse, {}, std::move(store)};
  const AttentionState* before =
      first_row_ > 0 && options_->keep == Keep::all ? trace_->attention(here) : nullptr;
  if (before) state.put_behind(*before);
  StageEdits all = before ? stage_edits(state.in, state.lse) : edits;
  if (all.any()) state.edits = std::make_shared<const StageEdits>(std::move(all));
  const std::int64_t heads = in.q.size(0), queries = in.first_query + in.q.size(1), keys = in.k.size(1);
  trace_->set_attention(here, std::move(state));
  for (const Slot slot : score_steps(in)) {
    if (!step_of(slot).derived)
      record(slot, in.sinks);
    else if (role_of(slot) == StepRole::mask)
      record(slot, {}, {queries, keys}, {Axis::query, Axis::key});
    else
      record(slot, {}, {heads, queries, keys}, {Axis::head, Axis::query, Axis::key});
  }
  return (*this)(slot_of(StepRole::head_out), z.rename({Axis::head, Axis::query, Axis::d_head}));
}

void Hook::predict(std::int64_t rows) const {
  const std::int64_t vocab = trace_->config().outputs();
  for (const StepRole role : {StepRole::logits, StepRole::probs})
    record(slot_of(role), {}, {rows, vocab}, {Axis::pos, Axis::vocab});
  const Site here = site(slot_of(StepRole::logits));
  std::vector<NumberEdit> edits;
  trace_->set_logit_edits({});
  for (const auto& edit : options_->edits) {
    const NumberEdit* number = edit->number();
    if (!number || number->where.kind != Target::Kind::step || number->where.site != here) continue;
    const bool by_rows = reads_rows(*number);
    const AxisRange* range = range_on(number->where, Axis::pos);
    const std::int64_t row = range && !by_rows ? std::min(range->begin, rows - 1) : 0;
    const RowFrame held{row, frame(here).attention_mask};
    const Tensor logits =
        trace_->slice(here, 0, {row, by_rows ? rows : row + 1}, {0, vocab});  // [pos, vocab]
    auto applied = apply(*number, logits, held);
    if (!applied) throw EditRefused{applied.error()};
    if (applied->reached) state_->reached.push_back(edit);
    edits.push_back(by_rows ? with_numbers(*number, logits, held) : *number);
    trace_->set_logit_edits(edits);
  }
}

}  // namespace attnscope
