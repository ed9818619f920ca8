#include "core/trace/path_walk.h"

#include <algorithm>
#include <cmath>

#include "core/trace/flow.h"
#include "core/trace/path.h"
#include "core/trace/step_edits.h"

namespace attnscope {
namespace {

void add_path_rows(RowsOfPath& sum, const RowsOfPath& more) {
  if (!more) return;
  if (!sum) {
    sum = more;
    return;
  }
  for (std::size_t i = 0; i < sum->cells.size(); ++i) sum->cells[i] += more->cells[i];
}

// What a norm subtracts from a row, and what it divides by, in double.
struct Moments {
  double mean = 0, scale = 1;
};
Moments moments(const NormSpec& spec, const double* row, std::int64_t width) {
  Moments out;
  double square = 0;
  for (std::int64_t i = 0; i < width; ++i) out.mean += row[i] / static_cast<double>(width);
  if (spec.kind != NormSpec::Kind::layer) out.mean = 0;
  for (std::int64_t i = 0; i < width; ++i)
    square += (row[i] - out.mean) * (row[i] - out.mean) / static_cast<double>(width);
  out.scale = std::sqrt(square + static_cast<double>(spec.eps));
  return out;
}

}  // namespace

bool path_covers(const std::vector<AxisRange>& at, std::string_view axis, std::int64_t index) {
  const AxisRange* range = range_on(at, axis);
  return !range || (index >= range->begin && index < range->end);
}

bool path_covers_column(const std::vector<AxisRange>& at, const Tensor& values, std::int64_t col) {
  if (values.rank() != 3) return path_covers(at, axis_name(values.axis(1)), col);
  return path_covers(at, "head", col / values.size(2)) && path_covers(at, "d_head", col % values.size(2));
}

bool row_moves(const Matrix64& change, std::int64_t row) {
  const auto* const cells = change.cells.data() + row * change.cols;
  return std::any_of(cells, cells + change.cols, [](double x) { return x != 0; });
}

void add_offsets(Matrix64& x, const Tensor& offsets) {
  for (std::size_t i = 0; i < x.cells.size() && !offsets.empty(); ++i)
    x.cells[i] += static_cast<double>(offsets.at(static_cast<std::int64_t>(i) % x.cols));
}

Site PathWalk::written_by(const Site& from) {
  if (from.is(StepRole::head_out) || from.is(StepRole::concat)) return from.with(slot_of(StepKind::output));
  if (from.is(StepRole::neurons)) return from.with(slot_of(StepKind::mlp_down));
  return from;
}

RowsOfPath PathWalk::change(const Site& site) {
  if (const auto known = known_.find(site); known != known_.end()) return known->second;
  RowsOfPath out = made(site);
  known_[site] = out;
  return out;
}

Matrix64 PathWalk::anew(const Site& site) {
  if (site.is(StepRole::branch)) return projection(site);
  const std::vector<Site> inputs = flow_inputs(trace_, site);
  if (inputs.empty()) return without(site);
  Matrix64 out = without(inputs.front());
  if (step_of(site.slot).rule == Rule::norm) return normed(site, out);
  if (step_of(site.slot).rule == Rule::scale) scale(site, out);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Matrix64 more = without(inputs[i]);
    for (std::size_t j = 0; j < out.cells.size(); ++j) out.cells[j] += more.cells[j];
  }
  return out;
}

RowsOfPath PathWalk::moved_into(const Site& site) {
  RowsOfPath out;
  for (const Site& one : flow_inputs(trace_, site)) add_path_rows(out, change(one));
  return out;
}

Matrix64 PathWalk::without(const Site& site) {
  Matrix64 out = matrix64(last_rows(trace_, site, rows_.size()));
  if (const RowsOfPath moved = change(site))
    for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] += moved->cells[i];
  return out;
}

RowsOfPath PathWalk::made(const Site& site) {
  RowsOfPath out = site.is(StepRole::branch) ? projected(site) : carried(site);
  if (out) through_edits(site, *out);
  for (const WithoutPath& one : from_)
    if (one.from.site == site) replace(one, out);
  return out;
}

// From the steps before a norm or a sum of the stream.
RowsOfPath PathWalk::carried(const Site& site) {
  RowsOfPath out;
  const std::vector<Site> inputs = flow_inputs(trace_, site);
  if (step_of(site.slot).rule == Rule::norm) return norm(site, inputs.front());
  for (const Site& one : inputs) add_path_rows(out, change(one));
  if (out && step_of(site.slot).rule == Rule::scale) scale(site, *out);
  return out;
}

// From the heads or neurons that a projection writes into the stream.
RowsOfPath PathWalk::projected(const Site& site) const {
  RowsOfPath out;
  for (const WithoutPath& one : from_)
    if (one.from.site.is(StepRole::head_out) && written_by(one.from.site) == site) replace(one, out);
  const Site concat = site.near(StepRole::concat);
  if (out && site.is(StepKind::output)) through_edits(concat, *out);
  for (const WithoutPath& one : from_)
    if (!one.from.site.is(StepRole::head_out) && one.from.site != site && written_by(one.from.site) == site)
      replace(one, out);
  if (!out) return out;
  return product(*out, matrix64(trace_.weights().get(to_text(site) + ".weight")));
}

// What changes before the edits of a step as what changes behind them.
void PathWalk::through_edits(const Site& site, Matrix64& moved) const {
  const StepEdits edits(trace_, site, rows_);
  if (!edits.any()) return;
  static const std::vector<WithoutPath> kNobody;
  PathWalk nobody(trace_, kNobody, rows_);
  edits.carry(site.is(StepRole::concat)
                  ? side_by_side(last_rows(trace_, site.near(StepRole::head_out), rows_.size()))
                  : nobody.anew(site),
              moved);
}

// attn.out or mlp.out of what is written as it is in the run.
Matrix64 PathWalk::projection(const Site& site) const {
  const Site heads = site.near(StepRole::concat);
  const Site from = !site.is(StepKind::output) ? site.near(StepRole::neurons)
                    : trace_.find(heads)       ? heads
                                               : site.near(StepRole::head_out);
  Matrix64 out = product(side_by_side(last_rows(trace_, from, rows_.size())),
                         matrix64(trace_.weights().get(to_text(site) + ".weight")));
  add_offsets(out, path_stays(trace_, site));
  return out;
}

void PathWalk::scale(const Site& site, Matrix64& x) const {
  for (double& cell : x.cells) cell *= static_cast<double>(trace_.config().of(site.stack).embed_scale);
}

RowsOfPath PathWalk::norm(const Site& site, const Site& input) {
  const RowsOfPath moved = change(input);
  if (!moved) return {};
  Matrix64 out = normed(site, without(input));
  const Tensor rows = last_rows(trace_, input, rows_.size());
  const Matrix64 was = StepEdits(trace_, site, rows_).any() ? normed(site, matrix64(rows))
                                                            : matrix64(last_rows(trace_, site, rows_.size()));
  for (std::int64_t row = 0; row < out.rows; ++row) {
    double* const cells = out.cells.data() + row * out.cols;
    const bool same = !row_moves(*moved, row);
    for (std::int64_t i = 0; i < out.cols; ++i) cells[i] = same ? 0.0 : cells[i] - was.at(row, i);
  }
  return out;
}

Matrix64 PathWalk::normed(const Site& site, Matrix64 x) const {
  std::string base = to_text(site);
  base.resize(base.size() - std::string_view(".out").size());
  const NormSpec& spec = norm_spec(trace_.config(), site);
  const Tensor gain = trace_.weights().get(base + ".weight"), offset = trace_.weights().get(base + ".bias");
  std::vector<double> means;
  Matrix64 scales{x.rows, 1, {}};
  for (std::int64_t row = 0; row < x.rows; ++row) {
    const Moments of_row = moments(spec, x.cells.data() + row * x.cols, x.cols);
    means.push_back(of_row.mean), scales.cells.push_back(of_row.scale);
  }
  if (const auto scale = parse_site(base + ".scale")) StepEdits(trace_, *scale, rows_).apply(scales);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t i = 0; i < x.cols; ++i) {
      double& cell = x.cells[static_cast<std::size_t>(row * x.cols + i)];
      const double by =
          gain.empty() ? 1.0 : static_cast<double>(gain.at(i)) + static_cast<double>(spec.weight_offset);
      cell = (cell - means[static_cast<std::size_t>(row)]) / scales.at(row, 0) * by +
             (offset.empty() ? 0.0 : static_cast<double>(offset.at(i)));
    }
  return x;
}

// What a sender writes instead, minus what it wrote, in the place of what changed there before.
void PathWalk::replace(const WithoutPath& path, RowsOfPath& out) const {
  const Tensor values = last_rows(trace_, path.from.site, rows_.size());
  const Matrix64 now = side_by_side(values);
  Matrix64 instead;
  if (path.instead) instead = side_by_side(path.instead->slice(values.rank() - 2, rows_.begin, rows_.end));
  const Tensor stays = path_stays(trace_, path.from.site);
  if (!out) out = Matrix64{now.rows, now.cols, std::vector<double>(now.cells.size(), 0.0)};
  for (std::int64_t row = 0; row < now.rows; ++row) {
    if (!path_covers(path.from.at, "pos", rows_.begin + row)) continue;
    for (std::int64_t col = 0; col < now.cols; ++col) {
      if (!path_covers_column(path.from.at, values, col)) continue;
      const double then = path.instead    ? instead.at(row, col)
                          : stays.empty() ? 0.0
                                          : static_cast<double>(stays.at(col));
      out->cells[static_cast<std::size_t>(row * now.cols + col)] = then - now.at(row, col);
    }
  }
}

}  // namespace attnscope
