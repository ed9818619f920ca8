#include "core/lens/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/thread_pool.h"
#include "core/model/gradients.h"
#include "core/trace/place_cells.h"

namespace attnscope {
namespace {

constexpr double kSweepUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostCells = 1 << 20;

// An axis that is gone over: so many indices at once.
struct Stride {
  std::string axis;
  std::int64_t size = 1;
  bool where_there = false;  // "head?": steps without the axis are taken whole
};

Result<std::vector<Stride>> strides_of(const std::vector<std::string>& over) {
  std::vector<Stride> out;
  for (const std::string& word : over) {
    const std::size_t colon = word.find(':');
    Stride one{word.substr(0, colon), 1};
    if (colon != std::string::npos) {
      const auto size = parse_whole(word.substr(colon + 1), 1, 1u << 30);
      if (!size) return fail(Code::bad_format, "error.lens.sweep.group", {in_quotes(word)});
      one.size = static_cast<std::int64_t>(*size);
    }
    one.where_there = one.axis.ends_with('?');
    if (one.where_there) one.axis.pop_back();
    out.push_back(std::move(one));
  }
  return out;
}

std::string axes_in_words(const Record& record) {
  std::vector<std::string> known;
  for (const Axis axis : record.axes) known.emplace_back(axis_name(axis));
  return join(known, ", ");
}

// The axis of a step that has that name.
Result<std::size_t> axis_of(const Record& record, const std::string& word) {
  for (std::size_t d = 0; d < record.axes.size(); ++d)
    if (names_axis(word, record.axes[d])) return d;
  return fail(Code::bad_shape, "error.lens.sweep.axis", {to_text(record.site), word, axes_in_words(record)});
}

using Places = std::vector<std::vector<AxisRange>>;

// The places of one step: the part of it that was named, over the axes that were.
Result<Places> places_of(const Record& record, const std::vector<AxisRange>& part,
                         const std::vector<Stride>& over) {
  std::map<std::size_t, AxisRange> named;  // by axis
  for (const AxisRange& at : part) {
    TRY(const std::size_t axis, axis_of(record, at.axis));
    if (at.begin < 0 || at.end > record.shape[axis])
      return fail(Code::out_of_range, "error.lens.sweep.index",
                  {to_text(record.site), at.axis, at.end - 1, record.shape[axis] - 1});
    named[axis] = at;
  }
  Places out{{}};
  for (const Stride& stride : over) {
    if (stride.where_there && std::none_of(record.axes.begin(), record.axes.end(),
                                           [&](Axis axis) { return names_axis(stride.axis, axis); }))
      continue;
    TRY(const std::size_t axis, axis_of(record, stride.axis));
    Range reach{0, record.shape[axis]};
    if (const auto fixed = named.find(axis); fixed != named.end()) {
      reach = {fixed->second.begin, fixed->second.end};
      named.erase(fixed);
    }
    std::vector<AxisRange> ranges;
    for (std::int64_t at = reach.begin; at < reach.end; at += stride.size)
      ranges.push_back({stride.axis, at, std::min(reach.end, at + stride.size)});
    if (std::ssize(out) * std::ssize(ranges) > kMostCells)
      return fail(Code::no_memory, "error.lens.sweep.large", {kMostCells});
    Places longer;
    for (const auto& place : out)
      for (const AxisRange& range : ranges) longer.emplace_back(place).push_back(range);
    out = std::move(longer);
  }
  for (auto& place : out)
    for (const auto& [axis, range] : named) place.insert(place.begin(), range);
  return out;
}

}  // namespace

Sweep::Sweep(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run, LogitMeasure measure)
    : model_(std::move(model)), run_(std::move(run)), measures_{{std::move(measure)}, {}} {}

Result<Sweep> Sweep::ablation(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> run,
                              LogitMeasure measure, const Selector& steps,
                              const std::vector<std::string>& over, const Knockout& how) {
  Sweep out(std::move(model), std::move(run), std::move(measure));
  out.how_ = how;
  TRY_OK(out.add_cells(steps, over));
  return out;
}

Result<Sweep> Sweep::patching(std::shared_ptr<const Model> model, std::shared_ptr<const Trace> into,
                              std::shared_ptr<const Trace> donor, LogitMeasure measure, const Selector& steps,
                              const std::vector<std::string>& over) {
  Sweep out(std::move(model), std::move(into), std::move(measure));
  out.donor_ = std::make_shared<const Donor>(out.run_, std::move(donor));
  if (out.donor_->matched() == 0) return fail(Code::out_of_range, "error.lens.sweep.unaligned");
  TRY_OK(out.add_cells(steps, over));
  return out;
}

Status Sweep::add_cells(const Selector& steps, const std::vector<std::string>& over) {
  TRY(measures_.bases.emplace_back(), measured(measure(), *run_));
  TRY(const std::vector<Stride> strides, strides_of(over));
  bool any = false;
  for (const Record* record : run_->select(steps)) {
    if (!step_of(record->site.slot).editable) continue;
    if (donor_ && !donor_->has(record->site)) continue;
    any = true;
    if (how_.means) {
      TRY(means_[record->site], how_.means->of(*record));
    }
    TRY(const auto parts, parts_of_step(*run_, steps, record->site));
    for (const std::vector<AxisRange>& part : parts) {
      TRY(const auto places, places_of(*record, part, strides));
      if (std::ssize(places) + std::ssize(cells_) > kMostCells)
        return fail(Code::no_memory, "error.lens.sweep.large", {kMostCells});
      for (const std::vector<AxisRange>& at : places) {
        SweepCell cell{record->site, at, kSweepUnknown, kSweepUnknown};
        if (!donor_ || donor_->has(cell.place())) cells_.push_back(std::move(cell));
      }
    }
  }
  if (any) return Done{};
  return fail(Code::not_found, "error.lens.sweep.no_step",
              {steps.text(), join(run_->nearest_steps(steps), ", ")});
}

std::shared_ptr<const Edit> Sweep::edit(std::size_t cell) const {
  const Target where = cells_[cell].place();
  if (how_.means) return make_edit(NumberEdit{where, EditOp::set, Frozen{means_.at(where.site), ""}});
  if (!donor_) return make_edit(NumberEdit{where, how_.op, how_.value});
  return make_edit(NumberEdit{where, EditOp::set, Frozen{donor_->numbers(where), ""}});
}

void Sweep::keep(const std::vector<std::int64_t>& cells) {
  if (paths_) {
    PathGrid grid = *paths_;
    grid.keep(cells);
    paths_ = std::make_shared<const PathGrid>(std::move(grid));
  }
  std::vector<SweepCell> kept;
  for (const std::int64_t cell : cells) kept.push_back(std::move(cells_[static_cast<std::size_t>(cell)]));
  cells_ = std::move(kept);
}

void Sweep::take_values(const std::vector<double>& values) {
  for (std::size_t i = 0; i < std::min(values.size(), cells_.size()); ++i) cells_[i].value = values[i];
}

void Sweep::take_estimates() {
  for (SweepCell& cell : cells_) {
    cell.value = cell.estimate;
    for (auto& [value, estimate] : cell.also) value = estimate;
  }
}

Status Sweep::add_measure(const LogitMeasure& measure) {
  CHECK(!paths_);
  TRY_OK(measures_.add(measure, *run_));
  for (SweepCell& cell : cells_) cell.also.emplace_back(kSweepUnknown, kSweepUnknown);
  return Done{};
}

Status Sweep::estimate() {
  if (paths_) return estimate_paths();
  for (std::size_t measure = 0; measure < measures_.all.size(); ++measure) TRY_OK(estimate(measure));
  return Done{};
}

Status Sweep::estimate(std::size_t measure) {
  TRY(const auto gradients, backward(run_, {{}, 0, 0, measures_.all[measure]}));
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    SweepCell& cell = cells_[i];
    const Record& record = *run_->find(cell.site);
    const auto change = edit(i);
    double sum = 0;
    if (!gradients->find(cell.site)) continue;
    Status status = Done{};
    for_each_plane(record, cell.place(), [&](std::int64_t head, Range row, Range col) {
      const Tensor whole =
          run_->slice(cell.site, head, {0, record.shape[record.shape.size() - 2]}, {0, record.shape.back()});
      NumberEdit plane = *change->number();
      std::erase_if(plane.where.at,
                    [](const AxisRange& range) { return range.axis == axis_name(Axis::head); });
      auto* frozen = std::get_if<Frozen>(&plane.value);
      if (frozen && frozen->values.rank() == 3) {
        const int axis = std::max(0, frozen->values.find(Axis::head));
        const AxisRange* heads = range_on(change->number()->where, Axis::head);
        const bool whole_step = !heads || frozen->values.size(axis) != heads->end - heads->begin;
        frozen->values = frozen->values.select(axis, whole_step ? head : head - heads->begin);
      }
      const auto now = apply(plane, whole, {0, &run_->input.attention_mask});
      if (!now) {
        status = now.error();
        return;
      }
      const Tensor gradient = gradients->slice(cell.site, head, row, col);
      for (std::int64_t r = row.begin; r < row.end; ++r)
        for (std::int64_t c = col.begin; c < col.end; ++c) {
          const double moved = static_cast<double>(now->value.at(r, c)) - static_cast<double>(whole.at(r, c));
          const auto g = static_cast<double>(gradient.at(r - row.begin, c - col.begin));
          if (moved != 0 && std::isfinite(moved)) sum += g * moved;
        }
    });
    TRY_OK(status);
    (measure == 0 ? cell.estimate : cell.also[measure - 1].second) = base(measure) + sum;
  }
  return Done{};
}

Result<double> Sweep::value(std::size_t cell, const std::atomic<bool>* cancel) const {
  TRY(const std::vector<double> all, values(cell, cancel));
  return all.front();
}

Result<std::vector<double>> Sweep::values(std::size_t cell, const std::atomic<bool>* cancel) const {
  TRY(const Edits own, edits(cell));
  return measures_.under(own, *model_, run_, cancel);
}

Status Sweep::fill(const std::function<bool(std::size_t)>& done, const std::atomic<bool>* cancel) {
  if (paths_) return fill_paths(done, cancel);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (std::isnan(cells_[i].value)) order.push_back(i);
  const auto effect = [&](std::size_t cell) {
    const double estimate = cells_[cell].estimate;
    return std::isnan(estimate) ? -1.0 : std::fabs(estimate - base());
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return effect(a) > effect(b); });
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  Status status = Done{};
  parallel_for(std::min<std::int64_t>(thread_count(), std::ssize(order)), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      if (cancel && *cancel) return;
      const auto found = values(order[i], cancel);
      const std::lock_guard lock(mutex);
      if (!found) {
        if (found.error().code() != Code::cancelled) status = found.error();
        next = order.size();
        return;
      }
      SweepCell& cell = cells_[order[i]];
      cell.value = found->front();
      for (std::size_t more = 0; more < cell.also.size(); ++more) cell.also[more].first = (*found)[more + 1];
      if (done && !done(order[i])) next = order.size();
    }
  });
  return status;
}

}  // namespace attnscope
