#include "core/lens/step_means.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

// Which axis of a step counts its rows, and how it lies in memory: [outer, rows, inner].
struct StepLayout {
  std::int64_t outer = 1, rows = 1, inner = 1;
  int axis = -1;
};

Result<StepLayout> layout_of(const Record& record) {
  StepLayout out;
  for (std::size_t d = 0; d < record.axes.size(); ++d) {
    if (out.axis < 0 && is_row_axis(record.axes[d]))
      out.axis = static_cast<int>(d), out.rows = record.shape[d];
    else
      (out.axis < 0 ? out.outer : out.inner) *= record.shape[d];
    if (record.axes[d] == Axis::key)
      return fail(Code::unsupported, "error.lens.means.keys", {to_text(record.site)});
  }
  return out;
}

}  // namespace

Result<StepMeans> StepMeans::of_run(const Trace& run, const Selector& steps) const {
  StepMeans out(by_pos_);
  for (const Record* record : run.select(steps)) {
    if (!step_of(record->site.slot).editable) continue;
    TRY(const StepLayout at, layout_of(*record));
    TRY(const Tensor whole, run.tensor(record->site));
    Sums& sums = out.steps_[record->site];
    sums.shape = record->shape;
    const std::int64_t kept = by_pos_ ? at.rows : 1;
    if (at.axis >= 0) sums.shape[static_cast<std::size_t>(at.axis)] = kept;
    sums.sums.assign(static_cast<std::size_t>(at.outer * kept * at.inner), 0);
    sums.rows.assign(static_cast<std::size_t>(kept), 0);
    const std::vector<float> values = whole.values();
    for (std::int64_t row = 0; row < at.rows; ++row) {
      if (at.axis >= 0 && !run.is_real(record->site.stack, row)) continue;
      const std::int64_t into = by_pos_ ? row : 0;
      ++sums.rows[static_cast<std::size_t>(into)];
      for (std::int64_t outer = 0; outer < at.outer; ++outer)
        for (std::int64_t inner = 0; inner < at.inner; ++inner)
          sums.sums[static_cast<std::size_t>((outer * kept + into) * at.inner + inner)] +=
              static_cast<double>(
                  values[static_cast<std::size_t>((outer * at.rows + row) * at.inner + inner)]);
    }
  }
  return out;
}

Status StepMeans::add(const StepMeans& run) {
  for (const auto& [site, more] : run.steps_) {
    const auto [at, fresh] = steps_.try_emplace(site, more);
    if (fresh) continue;
    Sums& sums = at->second;
    if (sums.shape != more.shape) return fail(Code::bad_shape, "error.lens.means.sizes", {to_text(site)});
    for (std::size_t i = 0; i < sums.sums.size(); ++i) sums.sums[i] += more.sums[i];
    for (std::size_t i = 0; i < sums.rows.size(); ++i) sums.rows[i] += more.rows[i];
  }
  return Done{};
}

Result<Tensor> StepMeans::of(const Record& record) const {
  const auto found = steps_.find(record.site);
  if (found == steps_.end()) return fail(Code::not_found, "error.lens.means.none", {to_text(record.site)});
  const Sums& sums = found->second;
  TRY(const StepLayout at, layout_of(record));
  std::vector<std::int64_t> shape = record.shape;
  if (at.axis >= 0 && !by_pos_) shape[static_cast<std::size_t>(at.axis)] = 1;
  if (shape != sums.shape) return fail(Code::bad_shape, "error.lens.means.sizes", {to_text(record.site)});
  const std::int64_t kept = by_pos_ ? at.rows : 1;
  std::vector<float> values(static_cast<std::size_t>(at.outer * at.rows * at.inner));
  for (std::int64_t outer = 0; outer < at.outer; ++outer)
    for (std::int64_t row = 0; row < at.rows; ++row)
      for (std::int64_t inner = 0; inner < at.inner; ++inner) {
        const std::int64_t from = by_pos_ ? row : 0;
        const std::int64_t count = std::max<std::int64_t>(1, sums.rows[static_cast<std::size_t>(from)]);
        values[static_cast<std::size_t>((outer * at.rows + row) * at.inner + inner)] =
            static_cast<float>(sums.sums[static_cast<std::size_t>((outer * kept + from) * at.inner + inner)] /
                               static_cast<double>(count));
      }
  Shape sizes;
  for (std::size_t d = 0; d < record.shape.size(); ++d) sizes.emplace_back(record.axes[d], record.shape[d]);
  return Tensor::from(std::move(values), sizes);
}

}  // namespace attnscope
