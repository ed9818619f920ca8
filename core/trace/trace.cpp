#include "core/trace/trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/trace/flow.h"
#include "core/trace/head.h"

namespace attnscope {
namespace {

constexpr std::size_t kKeptLogitRows = 64;

Range clamp(Range r, std::int64_t size) {
  r.begin = std::clamp<std::int64_t>(r.begin, 0, size);
  r.end = std::clamp<std::int64_t>(r.end, r.begin, size);
  return r;
}

Site pattern_site(Site site) {
  site.slot = Slot::pattern;
  return site;
}

int head_axis(const Record& record) {
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (record.axes[d] == Axis::head) return static_cast<int>(d);
  return -1;
}

Tensor mask_rectangle(const AttentionInputs& in, Range rows, Range cols) {
  Buffer out({{Axis::query, rows.size()}, {Axis::key, cols.size()}});
  float* at = out.data();
  for (std::int64_t query = rows.begin; query < rows.end; ++query)
    for (std::int64_t key = cols.begin; key < cols.end; ++key)
      *at++ = in.mask.allowed(in.first_query + query, key) ? 1.f : 0.f;
  return std::move(out).freeze();
}

int stage_of(Slot slot) {
  switch (slot) {
    case Slot::scores: return static_cast<int>(ScoreStage::scores);
    case Slot::scaled: return static_cast<int>(ScoreStage::scaled);
    case Slot::capped: return static_cast<int>(ScoreStage::capped);
    case Slot::biased: return static_cast<int>(ScoreStage::biased);
    case Slot::masked: return static_cast<int>(ScoreStage::masked);
    default: return static_cast<int>(ScoreStage::pattern);
  }
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
    if (selector.matches(record.site)) out.push_back(&record);
  return out;
}

void Trace::append(Record record) {
  CHECK(!index_.contains(record.site));
  index_[record.site] = static_cast<int>(records_.size());
  records_.push_back(std::move(record));
}

void Trace::set_attention(const Site& site, AttentionState state) {
  attention_[pattern_site(site)] = std::move(state);
}

const AttentionState* Trace::attention(const Site& site) const {
  const auto at = attention_.find(pattern_site(site));
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
  if (stack == Stack::enc) return positions_of(input.source_real, 0);
  if (stack == Stack::vision) return {};
  return positions_of(input.real, first_pos);
}

std::int64_t Trace::rows(Stack stack) const {
  const Record* record = find(site_of(Slot::embed, -1, stack));
  return record ? record->shape[0] : 0;
}

bool Trace::is_real(Stack stack, std::int64_t row) const {
  const auto& real = stack == Stack::enc ? input.source_real : input.real;
  if (stack == Stack::vision || row < 0 || row >= static_cast<std::int64_t>(real.size())) return true;
  return real[static_cast<std::size_t>(row)] != 0;
}

Tensor Trace::slice(const Site& site, std::int64_t head, Range rows, Range cols) const {
  const Record* record = find(site);
  if (!record) return {};
  const int heads = head_axis(*record);
  std::vector<std::int64_t> plane;
  for (std::size_t d = 0; d < record->shape.size(); ++d)
    if (static_cast<int>(d) != heads) plane.push_back(record->shape[d]);
  if (heads >= 0 && (head < 0 || head >= record->shape[static_cast<std::size_t>(heads)])) return {};
  rows = clamp(rows, plane[0]);
  cols = clamp(cols, plane[1]);
  if (record->derived) return derived_slice(*record, head, rows, cols);
  const Tensor flat = heads >= 0 ? record->value.select(heads, head) : record->value;
  return flat.slice(0, rows.begin, rows.end).slice(1, cols.begin, cols.end);
}

Tensor Trace::derived_slice(const Record& record, std::int64_t head, Range rows, Range cols) const {
  const Slot slot = record.site.slot;
  if (slot == Slot::logits || slot == Slot::probs) return vocabulary_slice(slot, rows, cols);
  const AttentionState* state = attention(record.site);
  CHECK(state != nullptr);
  if (slot == Slot::mask) return mask_rectangle(state->in, rows, cols);
  const int stage = stage_of(slot);
  if (const auto edited = state->stored.find(head); edited != state->stored.end()) {
    return edited->second[static_cast<std::size_t>(stage)]
        .slice(0, rows.begin, rows.end)
        .slice(1, cols.begin, cols.end);
  }
  return attention_rectangle(state->in, state->lse, static_cast<ScoreStage>(stage), head, rows.begin,
                             rows.end, cols.begin, cols.end);
}

Tensor Trace::vocabulary_slice(Slot slot, Range rows, Range cols) const {
  const Tensor from = final_rows(*this).slice(0, rows.begin, rows.end);  // [row, d_model]
  if (slot == Slot::logits) return unembed(*config_, *weights_, from, cols);
  const Tensor all = unembed(*config_, *weights_, from, {0, config_->outputs()});
  return softmax_rows(all).slice(1, cols.begin, cols.end);
}

Tensor Trace::logits_row(std::int64_t row) const {
  const Record* record = find(main(Slot::logits));
  if (!record || row < 0 || row >= record->shape[0]) return {};
  std::lock_guard lock(logit_rows_->mutex);
  auto& kept = logit_rows_->rows;
  if (const auto at = kept.find(row); at != kept.end()) return at->second;
  if (kept.size() >= kKeptLogitRows) kept.clear();
  const Tensor fresh = vocabulary_slice(Slot::logits, {row, row + 1}, {0, record->shape[1]}).select(0, 0);
  kept[row] = fresh;
  return fresh;
}

Result<Tensor> Trace::tensor(const Site& site, std::int64_t limit) const {
  const Record* record = find(site);
  if (!record) {
    return fail(Code::not_found, format("This run has no step called %s.", to_text(site).c_str()),
                "attnscope-cli trace MODEL --summary lists the steps of a run.");
  }
  std::int64_t count = 1;
  Shape shape;
  for (std::size_t d = 0; d < record->shape.size(); ++d) {
    count *= record->shape[d];
    shape.emplace_back(record->axes[d], record->shape[d]);
  }
  if (count > limit) {
    return fail(Code::no_memory,
                format("%s would be %s numbers.", to_text(site).c_str(), format_count(count).c_str()),
                "Ask for fewer steps, or for a shorter input.");
  }
  if (!record->derived) return record->value;
  const Range all_rows{0, record->shape[record->shape.size() - 2]}, all_cols{0, record->shape.back()};
  if (head_axis(*record) < 0) return slice(site, 0, all_rows, all_cols);
  Buffer out(shape);
  float* to = out.data();
  for (std::int64_t head = 0; head < record->shape[0]; ++head) {
    const Tensor plane = slice(site, head, all_rows, all_cols).packed();
    to = std::copy_n(plane.data(), plane.count(), to);
  }
  return std::move(out).freeze();
}

float Trace::cell(const Site& site, const std::vector<std::int64_t>& index) const {
  const Record* record = find(site);
  const float none = std::numeric_limits<float>::quiet_NaN();
  if (!record || index.size() != record->shape.size()) return none;
  for (std::size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= record->shape[d]) return none;
  if (!record->derived) return record->value.at(index);
  if (site.slot == Slot::logits) return logits_row(index[0]).at(index[1]);
  const std::int64_t row = index[index.size() - 2], col = index.back();
  return slice(site, index[0], {row, row + 1}, {col, col + 1}).at(0);
}

Tensor final_rows(const Trace& trace) {
  const std::vector<Site> from = flow_inputs(trace, trace.main(Slot::logits));
  const Record* record = from.empty() ? nullptr : trace.find(from.front());
  return record ? record->value : Tensor();
}

}  // namespace attnscope
