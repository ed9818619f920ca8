#include "core/trace/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/ops/mask.h"
#include "core/trace/editable.h"
#include "core/trace/flow.h"
#include "core/trace/head.h"
#include "core/trace/inside.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr std::size_t kKeptLogitRows = 64;

int head_axis(const Record& record) {
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (record.axes[d] == Axis::head) return static_cast<int>(d);
  return -1;
}

Tensor mask_rectangle(const AttentionInputs& in, Range rows, Range cols) {
  Buffer out({{Axis::query, rows.size()}, {Axis::key, cols.size()}});
  std::fill_n(out.data(), out.count(), 1.f);
  for (std::int64_t row = 0; row < rows.size(); ++row)
    fill_masked(in.mask, in.first_query + rows.begin + row, cols.begin, cols.end, 0.f,
                out.data() + row * cols.size());
  return std::move(out).freeze();
}

}  // namespace

Trace::Trace(std::shared_ptr<const ModelConfig> config, std::shared_ptr<const Weights> weights)
    : config_(std::move(config)), weights_(std::move(weights)) {}

const Record* Trace::find(const Site& site) const {
  const int index = index_of(site);
  return index < 0 ? nullptr : &records_[static_cast<std::size_t>(index)];
}

int Trace::index_of(const Site& site) const {
  const auto at = index_.find(site);
  return at == index_.end() ? -1 : at->second;
}

std::vector<const Record*> Trace::select(const Selector& selector) const {
  std::vector<const Record*> out;
  for (const Record& record : records_)
    if (selector.matches(record.site, config_->of(record.site.stack).n_layers())) out.push_back(&record);
  return out;
}

std::vector<std::string> Trace::nearest_steps(const Selector& selector) const {
  const std::string& text = selector.text();
  const std::string wanted = text.substr(0, text.find_first_of("[,"));
  const bool every_block = wanted.find("blocks.*") != std::string::npos;
  std::vector<std::string> known;
  for (const Record& record : records_) {
    std::string name = to_text(record.site);
    const std::string block = "blocks." + std::to_string(record.site.layer) + ".";
    if (const std::size_t at = name.find(block); every_block && at != std::string::npos)
      name.replace(at, block.size(), "blocks.*.");
    if (wanted.starts_with('*') && !wanted.starts_with("*blocks"))
      name = "*." + name.substr(name.rfind('.') + 1);
    known.push_back(std::move(name));
  }
  return nearest_names(wanted, std::move(known));
}

void Trace::put(Record record) {
  const auto [at, fresh] = index_.emplace(record.site, static_cast<int>(records_.size()));
  if (fresh)
    records_.push_back(std::move(record));
  else
    records_[static_cast<std::size_t>(at->second)] = std::move(record);
}

void Trace::set_attention(const Site& site, AttentionState state) {
  attention_[site.near(StepRole::pattern)] = std::move(state);
}

namespace {

// The first `rows` rows of a run's attention; keys and values of the same positions where they are its own.
AttentionState cut(AttentionState state, std::int64_t queries, bool own_keys) {
  const auto first = [](const Tensor& t, int axis, std::int64_t count) {
    return t.empty() || t.size(axis) <= count ? t : t.slice(axis, 0, count);
  };
  state.keep_queries(queries);
  if (!own_keys) return state;
  state.in.k = first(state.in.k, 1, queries);
  state.in.v = first(state.in.v, 1, queries);
  return state;
}

}  // namespace

void Trace::share(const Trace& base) {
  records_ = base.records_;
  index_ = base.index_;
  attention_ = base.attention_;
  for (Record& record : records_) {
    for (std::size_t d = 0; d < record.axes.size(); ++d) {
      const Axis axis = record.axes[d];
      if (axis != Axis::pos && axis != Axis::query && axis != Axis::key) continue;
      if (rows_stack(record.site, axis) != config_->stack) continue;
      record.shape[d] = std::min(record.shape[d], length);
      if (axis != Axis::key) record.rows = record.rows.first(length);
    }
  }
  for (auto& [site, state] : attention_)
    if (site.stack == config_->stack) state = cut(state, length, site.part != Part::cross);
}

namespace {

// The rows of a step [pos, d_model] with NaN before row `first`.
StepRows nan_before(std::int64_t first, const StepRows& rows) {
  if (rows.empty() || first == 0) return rows;
  const Tensor own = rows.range(first, rows.count());
  const auto nan = std::make_shared<const float>(std::numeric_limits<float>::quiet_NaN());
  const std::vector<Dim> repeated{{own.axis(0), first, 0}, {own.axis(1), own.size(1), 0}};
  const StepRows none = Tensor::borrow(nan, nan.get(), repeated);
  return StepRows::joined(none, first, own);
}

}  // namespace

void Trace::keep_predictions(std::int64_t asked) {
  std::vector<Record> kept;
  const std::vector<Site> read = flow_inputs(*this, main(StepRole::logits));
  for (Record& record : records_) {
    const bool predicts = is_over_vocabulary(record.site.slot);
    if (!predicts && std::find(read.begin(), read.end(), record.site) == read.end()) continue;
    record.rows = nan_before(asked, record.rows);
    kept.push_back(std::move(record));
  }
  records_ = std::move(kept);
  index_.clear();
  for (std::size_t i = 0; i < records_.size(); ++i) index_[records_[i].site] = static_cast<int>(i);
}

const AttentionState* Trace::attention(const Site& site) const {
  const auto at = attention_.find(site.near(StepRole::pattern));
  return at == attention_.end() ? nullptr : &at->second;
}

std::int64_t Trace::own_head(const Site& site, std::int64_t head) const {
  const Record* record = find(site);
  if (!record || site.layer < 0) return 0;
  const int axis = head_axis(*record);
  const AttentionSpec& attention = config_->attention_at(site);
  if (axis < 0 && record->axes.back() != Axis::concat) return 0;
  const std::int64_t own =
      axis < 0 ? record->shape.back() / attention.d_head : record->shape[static_cast<std::size_t>(axis)];
  const std::int64_t all = attention.n_heads;
  return std::clamp<std::int64_t>(own == all ? head : head * own / all, 0, own - 1);
}

Positions Trace::positions(Stack stack) const {
  if (stack == Stack::enc) return positions_of(input.source_attention_mask, 0);
  if (stack == Stack::vision) return {};
  return positions_of(input);
}

std::int64_t Trace::rows(Stack stack) const {
  if (const Record* record = find(site_of(StepRole::embedding, -1, stack))) return record->shape[0];
  if (stack == config_->stack) return length;
  for (const Record& record : records_) {
    const int rows = rows_axis(record.site, record.axes);
    if (record.site.stack == stack && rows >= 0) return record.shape[static_cast<std::size_t>(rows)];
  }
  return 0;
}

bool Trace::is_real(Stack stack, std::int64_t row) const {
  const auto& attention_mask = stack == Stack::enc ? input.source_attention_mask : input.attention_mask;
  if (stack == Stack::vision || row < 0 || row >= static_cast<std::int64_t>(attention_mask.size()))
    return true;
  return attention_mask[static_cast<std::size_t>(row)] != 0;
}

Tensor Trace::slice(const Site& site, std::int64_t head, Range rows, Range cols) const {
  const Record* record = find(site);
  if (!record) return {};
  const int heads = head_axis(*record);
  std::vector<std::int64_t> plane;
  for (std::size_t d = 0; d < record->shape.size(); ++d)
    if (static_cast<int>(d) != heads) plane.push_back(record->shape[d]);
  if (heads >= 0 && (head < 0 || head >= record->shape[static_cast<std::size_t>(heads)])) return {};
  rows = cut_to(rows, plane[0]);
  cols = cut_to(cols, plane[1]);
  if (record->derived) return derived_slice(*record, head, rows, cols);
  const bool by_rows = rows.size() < plane[0];
  const Tensor held = by_rows ? record->rows.range(rows.begin, rows.end) : record->value();
  const Tensor flat = heads >= 0 ? held.select(heads, head) : held;
  return flat.slice(1, cols.begin, cols.end);
}

Tensor Trace::derived_slice(const Record& record, std::int64_t head, Range rows, Range cols) const {
  const Slot slot = record.site.slot;
  if (is_over_vocabulary(slot)) return vocabulary_slice(slot, rows, cols);
  const AttentionState* state = attention(record.site);
  CHECK(state != nullptr);
  if (role_of(slot) == StepRole::mask) return mask_rectangle(state->in, rows, cols);
  return state->stage(*score_stage(slot), head, rows, cols);
}

// Edited logits are made whole: an edit may reach any of them.
Tensor Trace::vocabulary_slice(Slot slot, Range rows, Range cols) const {
  const Tensor from = final_rows(*this).slice(0, rows.begin, rows.end);  // [row, d_model]
  if (role_of(slot) == StepRole::logits && logit_edits_.empty())
    return unembed(*config_, *weights_, from, cols);
  Tensor all = unembed(*config_, *weights_, from, {0, config_->outputs()});  // [row, vocab]
  for (const NumberEdit& edit : logit_edits_) all = (*apply(edit, all, {rows.begin, nullptr})).value;
  return (role_of(slot) == StepRole::logits ? all : softmax_rows(all)).slice(1, cols.begin, cols.end);
}

Tensor Trace::logits_row(std::int64_t row) const {
  const Record* record = find(main(StepRole::logits));
  if (!record || row < 0 || row >= record->shape[0]) return {};
  if (!record->derived) return record->value().select(0, row);
  std::lock_guard lock(logit_rows_->mutex);
  auto& kept = logit_rows_->rows;
  if (const auto at = kept.find(row); at != kept.end()) return at->second;
  if (kept.size() >= kKeptLogitRows) kept.clear();
  const Tensor fresh =
      vocabulary_slice(slot_of(StepRole::logits), {row, row + 1}, {0, record->shape[1]}).select(0, 0);
  kept[row] = fresh;
  return fresh;
}

Result<Tensor> Trace::tensor(const Cell& cell, std::int64_t limit) const {
  return part(cell.site, cell.at, limit);
}

Result<Tensor> Trace::part(const Site& site, const std::vector<AxisRange>& at, std::int64_t limit) const {
  const Record* record = find(site);
  if (!record) return fail(Code::not_found, "error.trace.no_step_here", {to_text(site)});
  TRY(const std::vector<AxisRange> counted, absolute(*this, {Target::Kind::step, site, {}, at}));
  return gathered(
      *record, to_text(site), counted,
      [&](std::int64_t head, Range rows, Range cols) { return slice(site, head, rows, cols); }, limit);
}

float Trace::cell(const Site& site, const std::vector<std::int64_t>& index) const {
  const Record* record = find(site);
  if (!record || !is_cell(index, record->shape)) return std::numeric_limits<float>::quiet_NaN();
  if (!record->derived) return record->rows.at(index);
  if (site.is(StepRole::logits)) return logits_row(index[0]).at(index[1]);
  const std::int64_t row = index[index.size() - 2], col = index.back();
  return slice(site, index[0], {row, row + 1}, {col, col + 1}).at(0);
}

namespace {

// The requested range of each axis.
Result<std::vector<Range>> ranges_of(const Record& record, const std::string& name,
                                     const std::vector<AxisRange>& at, std::vector<bool>& fixed) {
  std::vector<Range> ranges;
  fixed.assign(record.shape.size(), false);
  for (const std::int64_t size : record.shape) ranges.push_back({0, size});
  for (const AxisRange& asked : at) {
    std::vector<std::string> names;
    for (const Axis axis : record.axes) names.emplace_back(axis_name(axis));
    auto axis = std::find(names.begin(), names.end(), asked.axis);
    if (axis == names.end() && is_row_axis(asked.axis))
      axis =
          std::find_if(names.begin(), names.end(), [](const std::string& one) { return is_row_axis(one); });
    if (axis == names.end()) {
      return fail(Code::not_found, "error.trace.step_axis", {name, in_quotes(asked.axis), join(names, ", ")});
    }
    const auto d = static_cast<std::size_t>(axis - names.begin());
    if (asked.begin < 0 || asked.end > record.shape[d]) {
      return fail(Code::out_of_range, "error.trace.step_index",
                  {name, shape_text(record.shape), names[d], asked.end - 1, record.shape[d] - 1});
    }
    ranges[d] = {asked.begin, asked.end};
    fixed[d] = asked.end == asked.begin + 1;
  }
  return ranges;
}

Tensor put_together(const Record& record, const std::vector<Range>& ranges, const SliceOf& slice) {
  const std::size_t rank = ranges.size();
  const Range rows = ranges[rank - 2], cols = ranges[rank - 1];
  if (head_axis(record) < 0) return slice(0, rows, cols);
  Shape shape;
  for (std::size_t d = 0; d < rank; ++d) shape.emplace_back(record.axes[d], ranges[d].size());
  Buffer out(shape);
  float* to = out.data();
  for (std::int64_t head = ranges[0].begin; head < ranges[0].end; ++head) {
    const Tensor plane = slice(head, rows, cols).packed();
    to = std::copy_n(plane.data(), plane.count(), to);
  }
  return std::move(out).freeze();
}

}  // namespace

Result<Tensor> gathered(const Record& record, const std::string& name, const std::vector<AxisRange>& at,
                        const SliceOf& slice, std::int64_t limit) {
  std::vector<bool> fixed;  // axes of one index, which are gone
  TRY(const std::vector<Range> ranges, ranges_of(record, name, at, fixed));
  std::int64_t count = 1;
  for (const Range range : ranges) count *= range.size();
  if (count > limit) {
    return fail(Code::no_memory, "error.trace.too_many",
                {name, format_count(count), axis_name(record.axes[0])});
  }
  Tensor out = record.derived ? Tensor() : record.value();
  if (record.derived)
    out = put_together(record, ranges, slice);
  else
    for (std::size_t d = 0; d < ranges.size(); ++d)
      out = out.slice(static_cast<int>(d), ranges[d].begin, ranges[d].end);
  for (int d = out.rank() - 1; d >= 0; --d)
    if (out.rank() > 1 && fixed[static_cast<std::size_t>(d)]) out = out.select(d, 0);
  return out;
}

int rows_axis(const Site& site, const std::vector<Axis>& axes) {
  const Hue hue = step_of(site.slot).hue;
  const bool of_encoder = site.part == Part::cross && (hue == Hue::key || hue == Hue::value);
  const bool own =
      site.is(StepRole::pixels) || site.is(StepRole::patches) || kind_of(site.slot) >= StepKind::projector;
  for (std::size_t d = 0; d < axes.size() && !own; ++d)
    if (axes[d] == Axis::query || (axes[d] == Axis::pos && !of_encoder)) return static_cast<int>(d);
  return -1;
}

Tensor final_rows(const Trace& trace) {
  const std::vector<Site> from = flow_inputs(trace, trace.main(StepRole::logits));
  const Record* record = from.empty() ? nullptr : trace.find(from.front());
  return record ? record->value() : Tensor();
}

void AttentionState::keep_queries(std::int64_t count) {
  for (Tensor* rows : by_query())
    if (!rows->empty() && rows->size(1) > count) *rows = rows->slice(1, 0, count);
}

void AttentionState::put_behind(AttentionState before) {
  const std::int64_t shared = in.first_query;
  if (before.in.first_query > 0 || before.in.q.size(1) < shared) return;
  const auto own = by_query(), old = before.by_query();
  for (std::size_t i = 0; i < own.size(); ++i)
    if (!own[i]->empty()) *own[i] = joined_along(1, {old[i]->slice(1, 0, shared), *own[i]});
  in.first_query = 0;
}

Tensor AttentionState::stage(ScoreStage stage, std::int64_t head, Range rows, Range cols) const {
  if (edits && edits->reach(head))
    return edits->rows(in, lse, head, stage, rows).slice(1, cols.begin, cols.end);
  return attention_rectangle(in, lse, stage, head, rows.begin, rows.end, cols.begin, cols.end);
}

}  // namespace attnscope
