#include "core/lens/donor.h"

#include <algorithm>
#include <cmath>

#include "core/trace/editable.h"

namespace attnscope {

bool names_axis(const std::string& word, Axis axis) {
  return word == axis_name(axis) || (is_row_axis(axis) && (word == "pos" || word == "query"));
}

Donor::Donor(std::shared_ptr<const Trace> run, std::shared_ptr<const Trace> from)
    : run_(std::move(run)), from_(std::move(from)) {
  for (const Record& record : run_->records())
    for (const Axis axis : record.axes)
      if (is_row_axis(axis) || axis == Axis::key) {
        const Stack stack = rows_stack(record.site, axis);
        if (!partners_.contains(stack)) partners_[stack] = align_rows(*run_, *from_, stack);
      }
}

std::int64_t Donor::matched() const { return partners_.at(run_->config().stack).matched(); }

const Alignment& Donor::partners(const Site& site, Axis axis) const {
  return partners_.at(rows_stack(site, axis));
}

bool Donor::has(const Target& where) const {
  const auto matched = [&](Axis axis) {
    const AxisRange* range = range_on(where, axis);
    bool any = !range;
    for (std::int64_t row = range ? range->begin : 0; !any && row < range->end; ++row)
      any = partners(where.site, axis).matches(row);
    return any;
  };
  return matched(Axis::pos) && matched(Axis::key);
}

Tensor Donor::numbers(const Target& where) const {
  const Site& site = where.site;
  const Record& record = *run_->find(site);
  const Alignment &rows = partners(site, Axis::pos), &keys = partners(site, Axis::key);
  const bool by_key = record.axes.back() == Axis::key;
  const bool same =
      rows.identity() && (!by_key || keys.identity()) && record.shape == from_->find(site)->shape;
  if (same && !record.derived) return from_->find(site)->value();
  return covered(where);
}

Tensor Donor::covered(const Target& where) const {
  const Site& site = where.site;
  const Record& record = *run_->find(site);
  const Alignment &rows = partners(site, Axis::pos), &keys = partners(site, Axis::key);
  std::vector<Tensor> planes;
  for_each_plane(record, where, [&](std::int64_t head, Range row, Range col) {
    const Tensor from = aligned_slice(*run_, *from_, site, rows, keys, head, row, col).packed();
    const Tensor own = run_->slice(site, head, row, col);
    Buffer out({{own.axis(0), own.size(0)}, {own.axis(1), own.size(1)}});
    for (std::int64_t i = 0; i < own.size(0); ++i)
      for (std::int64_t j = 0; j < own.size(1); ++j)
        out.data()[i * own.size(1) + j] =
            from.empty() || std::isnan(from.at(i, j)) ? own.at(i, j) : from.at(i, j);
    planes.push_back(std::move(out).freeze());
  });
  if (planes.size() == 1) return planes.front();
  const bool heads_first = record.axes.front() == Axis::head;
  const std::int64_t heads = std::ssize(planes), count = planes[0].size(0), width = planes[0].size(1);
  Buffer out({{heads_first ? Axis::head : Axis::pos, heads_first ? heads : count},
              {heads_first ? Axis::pos : Axis::head, heads_first ? count : heads},
              {Axis::none, width}});
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        out.data()[(heads_first ? head * count + i : i * heads + head) * width + j] =
            planes[static_cast<std::size_t>(head)].at(i, j);
  return std::move(out).freeze();
}

// Both runs have the step, of the same sizes beside its rows and keys.
Status Donor::check_sizes(const Site& site) const {
  const Record *record = run_->find(site), *other = from_->find(site);
  if (!record || !other) return fail(Code::not_found, "error.trace.no_step_to_change", {to_text(site)});
  bool same = other->axes == record->axes;
  for (std::size_t d = 0; same && d < record->axes.size(); ++d)
    same =
        is_row_axis(record->axes[d]) || record->axes[d] == Axis::key || other->shape[d] == record->shape[d];
  return same ? Status(Done{}) : Status(fail(Code::bad_shape, "error.lens.donor.sizes", {to_text(site)}));
}

Result<Tensor> Donor::taken(const Target& where) const {
  TRY_OK(check_sizes(where.site));
  if (!has(where)) return fail(Code::not_found, "error.lens.donor.row", {to_text(where)});
  return covered(where);
}

Result<NumberEdit> Donor::edit(const Cell& place, const std::string& name) const {
  TRY_OK(check_sizes(place.site));
  std::vector<AxisRange> at = place.at;
  for (const Axis axis : run_->find(place.site)->axes) {
    if (!is_row_axis(axis) && axis != Axis::key) continue;
    for (AxisRange& c : at) {
      if (!names_axis(c.axis, axis)) continue;
      const std::vector<std::int64_t>& to = partners(place.site, axis).to_b;
      const auto row = std::find(to.begin(), to.end(), c.begin);
      if (row == to.end()) return fail(Code::not_found, "error.lens.donor.row", {to_text(place)});
      c = AxisRange(c.axis, row - to.begin());
    }
  }
  NumberEdit out{target_of({place.site, at}), EditOp::set, 0.f};
  TRY_OK(check_edit(*run_, out));
  out.value = Frozen{covered(out.where), name};
  return out;
}

}  // namespace attnscope
