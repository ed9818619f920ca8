// One edit carried out on the rows that a tensor holds.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/tensor/shape_of.h"
#include "core/trace/edit.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostRank = Tensor::kMaxRank;
using EditApplyIndex = std::array<std::int64_t, kMostRank>;

// The cells of a tensor that a target covers, in the tensor's own indices.
struct Box {
  EditApplyIndex begin{}, end{1, 1, 1, 1};
  EditApplyIndex origin{};  // absolute index at which the target begins on each axis
  int row_axis = -1;
  bool empty = false;
};

Result<Box> box_of(const Target& where, const Tensor& value, const RowFrame& rows) {
  Box box;
  std::size_t named = 0;
  for (int d = 0; d < value.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const bool row = is_row_axis(value.axis(d));
    if (row && box.row_axis < 0) box.row_axis = d;
    const std::int64_t first = row ? rows.first : 0;
    box.origin[at] = 0;
    box.end[at] = value.size(d);
    const AxisRange* range = range_on(where, value.axis(d));
    if (!range) continue;
    ++named;
    box.origin[at] = range->begin;
    box.begin[at] = std::clamp<std::int64_t>(range->begin - first, 0, value.size(d));
    box.end[at] = std::clamp<std::int64_t>(range->end - first, box.begin[at], value.size(d));
    if (box.begin[at] == box.end[at]) box.empty = true;
  }
  if (named == where.at.size()) return box;
  std::vector<Axis> axes;
  for (int d = 0; d < value.rank(); ++d) axes.push_back(value.axis(d));
  TRY_OK(check_axes(where, axes));
  return box;
}

template <class Visit>
void for_each_cell(const Box& box, Visit visit) {
  EditApplyIndex at{};
  for (at[0] = box.begin[0]; at[0] < box.end[0]; ++at[0])
    for (at[1] = box.begin[1]; at[1] < box.end[1]; ++at[1])
      for (at[2] = box.begin[2]; at[2] < box.end[2]; ++at[2])
        for (at[3] = box.begin[3]; at[3] < box.end[3]; ++at[3]) visit(at);
}

float cell(const Tensor& value, const EditApplyIndex& at) { return value.at(at[0], at[1], at[2], at[3]); }

// What a covered cell is set to, added or multiplied by.
class EditSource {
 public:
  EditSource(const NumberEdit& edit, const Tensor& value, const Box& box, const RowFrame& rows)
      : edit_(edit), value_(value), box_(box), rows_(rows) {}

  // Checks that every covered cell has a number.
  Status prepare() {
    if (const auto* from = std::get_if<FromPos>(&edit_.value)) return prepare_row(from->pos);
    if (std::holds_alternative<MeanOver>(edit_.value)) return prepare_mean();
    if (const auto* frozen = std::get_if<Frozen>(&edit_.value)) return prepare_frozen(frozen->values);
    return Done{};
  }

  float operator()(const EditApplyIndex& at) const {
    if (const auto* number = std::get_if<float>(&edit_.value)) return *number;
    if (const auto* frozen = std::get_if<Frozen>(&edit_.value)) return frozen_cell(frozen->values, at);
    if (box_.row_axis < 0) return mean_;
    EditApplyIndex from = at;
    from[static_cast<std::size_t>(box_.row_axis)] = row_;
    return std::holds_alternative<FromPos>(edit_.value) ? cell(value_, from) : row_mean(from);
  }

  // What a mean or a copy of the same step sends to the cells that it was made of: send(cell, part of
  // `gradient` of the operand at a covered cell).
  template <class Send, class Gradient>
  void send_back(Send send, Gradient gradient) const {
    if (box_.row_axis < 0) return;
    const auto axis = static_cast<std::size_t>(box_.row_axis);
    const std::int64_t all = value_.size(box_.row_axis);
    std::int64_t counted = 0;
    for (std::int64_t row = 0; row < all; ++row) counted += counts(row) ? 1 : 0;
    const bool copies = std::holds_alternative<FromPos>(edit_.value);
    for_each_cell(box_, [&](EditApplyIndex at) {
      const double part = gradient(at);
      for (at[axis] = copies ? row_ : 0; at[axis] < (copies ? row_ + 1 : all); ++at[axis])
        if (copies || counts(at[axis])) send(at, copies ? part : part / static_cast<double>(counted));
    });
  }

 private:
  Status prepare_row(std::int64_t pos) {
    row_ = pos - rows_.first;
    const bool has_rows = box_.row_axis >= 0;
    return check_row(edit_.where, has_rows, pos, rows_.first,
                     rows_.first + (has_rows ? value_.size(box_.row_axis) : 0));
  }

  Status prepare_mean() {
    double sum = 0;
    std::int64_t count = 0;
    if (box_.row_axis >= 0) return Done{};
    for_each_cell(box_, [&](const EditApplyIndex& at) {
      sum += static_cast<double>(cell(value_, at));
      ++count;
    });
    mean_ = count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.f;
    return Done{};
  }

  bool counts(std::int64_t row) const {
    const auto at = static_cast<std::size_t>(rows_.first + row);
    return !rows_.attention_mask || at >= rows_.attention_mask->size() || (*rows_.attention_mask)[at] != 0;
  }
  // Over all rows at one index of the other axes; every row of the box uses the same few sums.
  float row_mean(EditApplyIndex at) const {
    const auto axis = static_cast<std::size_t>(box_.row_axis);
    at[axis] = 0;
    std::size_t place = 0;
    for (std::size_t d = 0; d < kMostRank; ++d)
      if (d != axis) place = place * static_cast<std::size_t>(box_.end[d]) + static_cast<std::size_t>(at[d]);
    if (place < means_.size() && means_[place].known) return means_[place].value;
    double sum = 0;
    std::int64_t count = 0;
    for (; at[axis] < value_.size(box_.row_axis); ++at[axis]) {
      if (!counts(at[axis])) continue;
      sum += static_cast<double>(cell(value_, at));
      ++count;
    }
    if (means_.size() <= place) means_.resize(place + 1);
    means_[place] = {true, count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0.f};
    return means_[place].value;
  }

  // Frozen numbers fit as the whole step, one row of it that every row gets, or as the covered cells, where
  // axes of one cell may be left out and missing axes in front repeat.
  Status prepare_frozen(const Tensor& values) {
    whole_ = values.rank() == value_.rank();
    for (int d = 0; whole_ && d < values.rank(); ++d) {
      const std::int64_t wanted =
          d == box_.row_axis ? rows_.first + box_.end[static_cast<std::size_t>(d)] : value_.size(d);
      whole_ =
          d == box_.row_axis ? values.size(d) >= wanted || values.size(d) == 1 : values.size(d) == wanted;
    }
    if (whole_ || fits_box(values)) return Done{};
    return fail(Code::bad_shape, "error.trace.edit.shape",
                {to_text(edit_.where), shape_text(values), shape_text(value_)});
  }
  bool fits_box(const Tensor& values) {
    axis_of_.assign(static_cast<std::size_t>(values.rank()), -1);
    int d = value_.rank() - 1;
    for (int v = values.rank() - 1; v >= 0; --v) {
      if (values.size(v) == 1) continue;
      while (d >= 0 && single(d)) --d;
      if (d < 0 || !matches(values.size(v), d)) return false;
      axis_of_[static_cast<std::size_t>(v)] = d--;
    }
    return true;
  }
  bool single(int d) const {
    const auto at = static_cast<std::size_t>(d);
    const AxisRange* range = range_on(edit_.where, value_.axis(d));
    return range ? range->end == range->begin + 1 : box_.end[at] - box_.begin[at] == 1 && d != box_.row_axis;
  }
  bool matches(std::int64_t size, int d) const {
    const auto at = static_cast<std::size_t>(d);
    if (d != box_.row_axis) return size == box_.end[at] - box_.begin[at];
    return size >= rows_.first + box_.end[at] - box_.origin[at];
  }
  float frozen_cell(const Tensor& values, const EditApplyIndex& at) const {
    EditApplyIndex from{};
    for (int v = 0; v < values.rank(); ++v) {
      const int d = whole_ ? v : axis_of_[static_cast<std::size_t>(v)];
      if (d < 0) continue;
      const auto axis = static_cast<std::size_t>(d);
      const bool repeats = whole_ && d == box_.row_axis && values.size(v) == 1;
      const std::int64_t absolute = repeats ? 0 : at[axis] + (d == box_.row_axis ? rows_.first : 0);
      from[static_cast<std::size_t>(v)] = whole_ ? absolute : absolute - box_.origin[axis];
    }
    return cell(values, from);
  }

  struct Mean {
    bool known = false;
    float value = 0;
  };
  const NumberEdit& edit_;
  const Tensor& value_;
  const Box& box_;
  const RowFrame& rows_;
  std::int64_t row_ = 0;
  float mean_ = 0;
  bool whole_ = false;
  std::vector<int> axis_of_;
  mutable std::vector<Mean> means_;
};

float combined(EditOp op, float old, float operand) {
  switch (op) {
    case EditOp::set: return operand;
    case EditOp::add: return old + operand;
    case EditOp::scale: return old * operand;
  }
  return old;
}

// A row-major copy that is written cell by cell.
class Copy {
 public:
  explicit Copy(const Tensor& value) : out_(shape_of(value)) {
    value.read(out_.data());
    std::int64_t stride = 1;
    for (int d = value.rank() - 1; d >= 0; --d) {
      step_[static_cast<std::size_t>(d)] = stride;
      stride *= value.size(d);
    }
  }
  float& operator[](const EditApplyIndex& at) {
    return out_.data()[at[0] * step_[0] + at[1] * step_[1] + at[2] * step_[2] + at[3] * step_[3]];
  }
  Tensor freeze() { return std::move(out_).freeze(); }

 private:
  Buffer out_;
  EditApplyIndex step_{};
};

}  // namespace

Result<Applied> apply(const NumberEdit& edit, const Tensor& value, const RowFrame& rows) {
  if (value.empty()) return Applied{value, false};
  TRY(const Box box, box_of(edit.where, value, rows));
  if (box.empty) return Applied{value, false};
  EditSource source(edit, value, box, rows);
  TRY_OK(source.prepare());
  Copy out(value);
  for_each_cell(box,
                [&](const EditApplyIndex& at) { out[at] = combined(edit.op, cell(value, at), source(at)); });
  return Applied{out.freeze(), true};
}

bool reads_rows(const NumberEdit& edit) {
  return std::holds_alternative<MeanOver>(edit.value) || std::holds_alternative<FromPos>(edit.value);
}

Result<Tensor> apply_backward(const NumberEdit& edit, const Tensor& gradient, const RowFrame& rows,
                              const Tensor& before) {
  TRY(const Box box, box_of(edit.where, gradient, rows));
  if (gradient.empty() || box.empty) return gradient;
  const bool product = needs_value(edit);
  CHECK(!product || before.sizes() == gradient.sizes());
  EditSource source(edit, product ? before : gradient, box, rows);
  TRY_OK(source.prepare());
  Copy out(gradient);
  for_each_cell(box, [&](const EditApplyIndex& at) {
    if (edit.op == EditOp::set) out[at] = 0.f;
    if (edit.op == EditOp::scale) out[at] = cell(gradient, at) * source(at);
  });
  if (!reads_rows(edit)) return out.freeze();
  const auto sent = [&](const EditApplyIndex& at) {
    return static_cast<double>(cell(gradient, at)) * (product ? static_cast<double>(cell(before, at)) : 1.0);
  };
  source.send_back([&](const EditApplyIndex& to, double part) { out[to] += static_cast<float>(part); }, sent);
  return out.freeze();
}

}  // namespace attnscope
