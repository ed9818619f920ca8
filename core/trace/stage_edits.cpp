#include "core/trace/stage_edits.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/text.h"
#include "core/step/catalog.h"

namespace attnscope {
namespace {

constexpr std::size_t kEveryEdit = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kRowsAtATime = 64;

bool same_row(const Tensor& a, const Tensor& b, std::int64_t row) {
  const std::int64_t width = a.size(1);
  return std::memcmp(a.data() + row * width, b.data() + row * width,
                     static_cast<std::size_t>(width) * sizeof(float)) == 0;
}

// Rows of `fresh` where the step before was changed, rows of `plain` elsewhere; all are [query, key].
Tensor changed_rows(const Tensor& before_plain, const Tensor& before_now, const Tensor& plain,
                    const Tensor& fresh) {
  const Tensor a = before_plain.packed(), b = before_now.packed(), old = plain.packed(), now = fresh.packed();
  Buffer out({{old.axis(0), old.size(0)}, {old.axis(1), old.size(1)}});
  for (std::int64_t row = 0; row < old.size(0); ++row)
    std::copy_n((same_row(a, b, row) ? old : now).data() + row * old.size(1), old.size(1),
                out.data() + row * old.size(1));
  return std::move(out).freeze();
}

// What one stage makes of the stage before it, for rows from `first` on.
Tensor next_stage(const AttentionInputs& in, std::int64_t head, ScoreStage to, const Tensor& before,
                  std::int64_t first) {
  const auto by_cells = [&](auto cell) {
    Buffer out({{Axis::query, before.size(0)}, {Axis::key, before.size(1)}});
    float* at = out.data();
    for (std::int64_t row = 0; row < before.size(0); ++row)
      for (std::int64_t key = 0; key < before.size(1); ++key)
        *at++ = cell(in.first_query + first + row, key, before.at(row, key));
    return std::move(out).freeze();
  };
  switch (to) {
    case ScoreStage::scaled: return scale(before, in.scale);
    case ScoreStage::capped: return in.cap > 0.f ? soft_cap(before, in.cap) : before;
    case ScoreStage::biased:
      if (in.bias.kind == ScoreBias::Kind::none) return before;
      return by_cells(
          [&](std::int64_t query, std::int64_t key, float x) { return x + in.bias.at(head, query, key); });
    case ScoreStage::masked:
      return by_cells([&](std::int64_t query, std::int64_t key, float x) {
        return in.mask.allowed(query, key) ? x : -std::numeric_limits<float>::infinity();
      });
    case ScoreStage::pattern: {
      const std::int64_t end = first + before.size(0);
      return softmax_rows(before,
                          in.sinks.empty() ? Tensor() : in.sinks.select(0, head).slice(0, first, end));
    }
    case ScoreStage::scores: break;
  }
  return before;
}

Tensor plain_rows(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                  Range rows) {
  return attention_rectangle(in, lse, stage, head, rows.begin, rows.end, 0, in.k.size(1));
}

// The mean of each key's column over the rows that count.
class ColumnMeans {
 public:
  explicit ColumnMeans(std::int64_t keys) : sums_(static_cast<std::size_t>(keys), 0.0) {}
  void take(const Tensor& rows, std::int64_t row) {
    for (std::size_t key = 0; key < sums_.size(); ++key)
      sums_[key] += static_cast<double>(rows.at(row, static_cast<std::int64_t>(key)));
    ++count_;
  }
  Tensor mean() const {
    std::vector<float> out;
    for (const double sum : sums_)
      out.push_back(count_ > 0 ? static_cast<float>(sum / static_cast<double>(count_)) : 0.f);
    return Tensor::from(std::move(out), {{Axis::key, static_cast<std::int64_t>(sums_.size())}});
  }

 private:
  std::vector<double> sums_;
  std::int64_t count_ = 0;
};

bool axes_known(const Target& where) {
  return std::all_of(where.at.begin(), where.at.end(), [](const AxisRange& range) {
    return range.axis == "head" || range.axis == "query" || range.axis == "pos" || range.axis == "key";
  });
}

}  // namespace

std::vector<ScoreStage> stage_order(const AttentionInputs& in) {
  using enum ScoreStage;
  if (in.mask_before_scale) return {scores, masked, scaled, pattern};
  return {scores, scaled, capped, biased, masked, pattern};
}

std::vector<Slot> score_steps(const AttentionInputs& in) {
  std::vector<Slot> out;
  for (const Step& step : catalog()) {
    const bool lacks = (step.kind == StepKind::cap && in.cap <= 0.f) ||
                       (step.kind == StepKind::bias && in.bias.kind == ScoreBias::Kind::none) ||
                       (step.role == StepRole::sinks && in.sinks.empty());
    if (step.kind >= StepKind::scores && step.kind <= StepKind::softmax && !lacks) out.push_back(step.slot);
  }
  const auto place = [&](StepKind kind) { return std::find(out.begin(), out.end(), slot_of(kind)); };
  if (in.mask_before_scale) {
    const auto scaled = place(StepKind::scale);
    std::rotate(scaled, scaled + 1, place(StepKind::mask) + 1);
  }
  return out;
}

std::optional<ScoreStage> score_stage(Slot slot) {
  if (!is_score_plane(slot) || role_of(slot) == StepRole::mask) return std::nullopt;
  switch (kind_of(slot)) {
    case StepKind::scores: return ScoreStage::scores;
    case StepKind::scale: return ScoreStage::scaled;
    case StepKind::cap: return ScoreStage::capped;
    case StepKind::bias: return ScoreStage::biased;
    case StepKind::mask: return ScoreStage::masked;
    case StepKind::softmax: return ScoreStage::pattern;
    default: return std::nullopt;
  }
}

Result<StageEdits> StageEdits::make(const Edits& edits, const Site& any_site, const AttentionInputs& in,
                                    const Tensor& lse, const std::vector<std::uint8_t>* attention_mask,
                                    Edits& reached) {
  StageEdits out;
  for (const ScoreStage stage : stage_order(in)) {
    for (const auto& edit : edits) {
      const NumberEdit* number = edit->enabled ? edit->number() : nullptr;
      if (!number || number->where.kind != Target::Kind::step) continue;
      Site own = any_site;
      own.slot = number->where.site.slot;
      if (own != number->where.site || score_stage(own.slot) != stage) continue;
      if (!axes_known(number->where))
        return fail(Code::bad_shape, "error.trace.stage_axis", {to_text(number->where)});
      bool here = false;
      const AxisRange* heads = range_on(number->where, Axis::head);
      const std::int64_t last = std::min(in.q.size(0), heads ? heads->end : in.q.size(0));
      for (std::int64_t head = heads ? heads->begin : 0; head < last; ++head)
        TRY_OK(out.take(*number, stage, head, in, lse, attention_mask, here));
      if (here) reached.push_back(edit);
    }
  }
  return out;
}

Status StageEdits::take(const NumberEdit& edit, ScoreStage stage, std::int64_t head,
                        const AttentionInputs& in, const Tensor& lse,
                        const std::vector<std::uint8_t>* attention_mask, bool& reached) {
  const AxisRange* range = range_on(edit.where, Axis::query);
  const std::int64_t queries = in.q.size(1);
  Range rows{0, queries};
  if (range)
    rows = {std::clamp<std::int64_t>(range->begin - in.first_query, 0, queries),
            std::clamp<std::int64_t>(range->end - in.first_query, 0, queries)};
  const AxisRange* keys = range_on(edit.where, Axis::key);
  if (rows.size() <= 0 || (keys && keys->begin >= in.k.size(1))) return Done{};
  reached = true;
  TRY(StageEdit own, resolved(edit, in, lse, head, stage, attention_mask));
  own.rows = rows;
  HeadEdits& at = heads_[head];
  at.first_query = in.first_query;
  at.stages[static_cast<std::size_t>(stage)].push_back(std::move(own));
  const auto check = apply(at.stages[static_cast<std::size_t>(stage)].back().edit,
                           plain_rows(in, lse, head, stage, {rows.begin, rows.begin + 1}),
                           {in.first_query + rows.begin, nullptr});
  if (!check) return check.error();
  return Done{};
}

// Without the head; means and copies of other rows become the numbers they stand for.
Result<StageEdits::StageEdit> StageEdits::resolved(NumberEdit edit, const AttentionInputs& in,
                                                   const Tensor& lse, std::int64_t head, ScoreStage stage,
                                                   const std::vector<std::uint8_t>* attention_mask) const {
  std::vector<std::int64_t> read;
  std::erase_if(edit.where.at, [](const AxisRange& range) { return range.axis == axis_name(Axis::head); });
  const auto now = [&](Range rows) { return computed(in, lse, head, stage, rows, kEveryEdit); };
  if (auto* frozen = std::get_if<Frozen>(&edit.value); frozen && frozen->values.rank() == 3) {
    const std::int64_t heads = frozen->values.size(0);
    frozen->values = frozen->values.select(0, heads == in.q.size(0) ? head : 0);
  } else if (const auto* from = std::get_if<FromPos>(&edit.value)) {
    const std::int64_t row = from->pos - in.first_query;
    if (row < 0 || row >= in.q.size(1))
      return fail(Code::out_of_range, "error.trace.stage_position", {to_text(edit.where), from->pos});
    edit.value = Frozen{now({row, row + 1}).select(0, 0), "@pos:" + std::to_string(from->pos)};
    read = {row};
  } else if (std::holds_alternative<MeanOver>(edit.value)) {
    ColumnMeans means(in.k.size(1));
    for (std::int64_t row = 0; row < in.q.size(1); row += kRowsAtATime) {
      const Tensor part = now({row, std::min(row + kRowsAtATime, in.q.size(1))});
      for (std::int64_t i = 0; i < part.size(0); ++i) {
        const auto at = static_cast<std::size_t>(in.first_query + row + i);
        if (attention_mask && at < attention_mask->size() && (*attention_mask)[at] == 0) continue;
        means.take(part, i);
        read.push_back(row + i);
      }
    }
    edit.value = Frozen{means.mean(), "mean"};
  }
  if (auto* frozen = std::get_if<Frozen>(&edit.value); frozen && frozen->values.rank() == 1) {
    const AxisRange* keys = range_on(edit.where, Axis::key);
    if (keys && frozen->values.size(0) == in.k.size(1))
      frozen->values = frozen->values.slice(0, keys->begin, std::min(keys->end, in.k.size(1)));
  }
  return StageEdit{std::move(edit), {}, std::move(read)};
}

bool StageEdits::covers(std::int64_t head, std::int64_t row) const {
  const auto at = heads_.find(head);
  if (at == heads_.end()) return false;
  for (const auto& stage : at->second.stages)
    for (const StageEdit& one : stage)
      if (row >= one.rows.begin && row < one.rows.end) return true;
  return false;
}

bool StageEdits::involves(std::int64_t head, std::int64_t row) const {
  const auto at = heads_.find(head);
  if (at == heads_.end()) return false;
  for (const auto& stage : at->second.stages)
    for (const StageEdit& one : stage)
      if (std::binary_search(one.read.begin(), one.read.end(), row)) return true;
  return covers(head, row);
}

StageEdits::Sent StageEdits::sent(const AttentionInputs& in, const Tensor& lse, std::int64_t head,
                                  const BehindEdit& back) const {
  Sent out;
  const auto own = heads_.find(head);
  if (own == heads_.end()) return out;
  const std::vector<ScoreStage> order = stage_order(in);
  for (auto stage = order.rbegin(); stage != order.rend(); ++stage) {
    const auto& list = own->second.stages[static_cast<std::size_t>(*stage)];
    auto& sums = out[static_cast<std::size_t>(*stage)];
    sums.resize(list.size());
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i].read.empty()) continue;
      std::vector<double> sum(static_cast<std::size_t>(in.k.size(1)), 0.0);
      const AxisRange* keys = range_on(list[i].edit.where, Axis::key);
      const auto begin = static_cast<std::size_t>(keys ? keys->begin : 0);
      const std::size_t end = keys ? std::min(static_cast<std::size_t>(keys->end), sum.size()) : sum.size();
      for (std::int64_t row = list[i].rows.begin; row < list[i].rows.end; ++row) {
        const std::vector<double> gradient = back(row, *stage, i, out);
        const bool scales = list[i].edit.op == EditOp::scale;
        const Tensor before = scales ? computed(in, lse, head, *stage, {row, row + 1}, i) : Tensor();
        for (std::size_t key = begin; key < end; ++key)
          if (gradient[key] != 0)
            sum[key] += gradient[key] *
                        (scales ? static_cast<double>(before.at(0, static_cast<std::int64_t>(key))) : 1.0);
      }
      for (double& x : sum) x /= static_cast<double>(list[i].read.size());
      sums[i] = std::move(sum);
    }
  }
  return out;
}

void StageEdits::send_back(std::int64_t head, ScoreStage stage, std::int64_t row, const Sent& sent,
                           std::vector<double>& gradient, std::size_t first) const {
  const auto own = heads_.find(head);
  if (own == heads_.end()) return;
  const auto& list = own->second.stages[static_cast<std::size_t>(stage)];
  const auto& sums = sent[static_cast<std::size_t>(stage)];
  for (std::size_t i = list.size(); i-- > first;) {
    const std::vector<float> now(gradient.begin(), gradient.end());
    const auto keys = static_cast<std::int64_t>(now.size());
    const auto back = apply_backward(list[i].edit, Tensor::from(now, {{Axis::query, 1}, {Axis::key, keys}}),
                                     {own->second.first_query + row, nullptr});
    const bool read = std::binary_search(list[i].read.begin(), list[i].read.end(), row);
    for (std::size_t key = 0; key < now.size(); ++key)
      gradient[key] =
          static_cast<double>(back->at(0, static_cast<std::int64_t>(key))) +  // checked when taken
          (read ? sums[i][key] : 0.0);
  }
}

Tensor StageEdits::computed(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                            Range rows, std::size_t edits_of_stage) const {
  const auto own = heads_.find(head);
  const auto edited = [&](ScoreStage at, Tensor plane) {
    if (own == heads_.end()) return plane;
    const auto& list = own->second.stages[static_cast<std::size_t>(at)];
    const std::size_t count = at == stage ? std::min(edits_of_stage, list.size()) : list.size();
    for (std::size_t i = 0; i < count; ++i)
      plane = (*apply(list[i].edit, plane, {in.first_query + rows.begin, nullptr}))
                  .value;  // checked when it was taken
    return plane;
  };
  ScoreStage from = ScoreStage::scores;
  Tensor plain = plain_rows(in, lse, head, from, rows);
  Tensor now = edited(from, plain);
  for (const ScoreStage to : stage_order(in)) {
    if (to == ScoreStage::scores) continue;
    if (from == stage) break;
    const Tensor next = plain_rows(in, lse, head, to, rows);
    now = edited(to, changed_rows(plain, now, next, next_stage(in, head, to, now, rows.begin)));
    plain = next;
    from = to;
  }
  return now;
}

Tensor StageEdits::rows(const AttentionInputs& in, const Tensor& lse, std::int64_t head, ScoreStage stage,
                        Range rows) const {
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    if (covers(head, row)) return computed(in, lse, head, stage, rows, kEveryEdit);
  return plain_rows(in, lse, head, stage, rows);
}

Tensor StageEdits::weigh(const AttentionInputs& in, const Tensor& lse, const Tensor& z) const {
  const std::int64_t heads = in.q.size(0), queries = in.q.size(1), d_head = in.v.size(2);
  Buffer out({{Axis::query, queries}, {Axis::head, heads}, {Axis::d_head, d_head}});
  z.permute({1, 0, 2}).read(out.data());
  for (const auto& [head, edits] : heads_) {
    const Tensor v = in.v.select(0, head * in.v.size(0) / heads);
    for (std::int64_t row = 0; row < queries; ++row) {
      if (!covers(head, row)) continue;
      std::int64_t end = row + 1;
      while (end < queries && end < row + kRowsAtATime && covers(head, end)) ++end;
      const Tensor now = computed(in, lse, head, ScoreStage::pattern, {row, end}, kEveryEdit);
      const Tensor plain = plain_rows(in, lse, head, ScoreStage::pattern, {row, end}).packed();
      const Tensor fresh = weighted_sum(now, v), packed = now.packed();  // [query, d_head]
      for (std::int64_t i = 0; i < end - row; ++i)
        for (std::int64_t d = 0; d < d_head && !same_row(plain, packed, i); ++d)
          out.data()[((row + i) * heads + head) * d_head + d] = fresh.at(i, d);
      row = end - 1;
    }
  }
  return std::move(out).freeze().permute({1, 0, 2});  // [head, query, d_head]
}

}  // namespace attnscope
