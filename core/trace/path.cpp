#include "core/trace/path.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/ops/matrices.h"
#include "core/trace/editable.h"
#include "core/trace/flow.h"

namespace attnscope {
namespace {

using PathRows = std::optional<Matrix64>;  // nothing: unchanged

// The last `count` rows that a step has so far.
Tensor path_rows_of(const Trace& trace, const Site& site, std::int64_t count) {
  const Record* record = trace.find(site);
  CHECK(record != nullptr);
  return record->rows.range(record->rows.count() - count, record->rows.count());
}

void add_path_rows(PathRows& sum, const PathRows& more) {
  if (!more) return;
  if (!sum) {
    sum = more;
    return;
  }
  for (std::size_t i = 0; i < sum->cells.size(); ++i) sum->cells[i] += more->cells[i];
}

bool path_covers(const std::vector<AxisRange>& at, std::string_view axis, std::int64_t index) {
  const AxisRange* range = range_on(at, axis);
  return !range || (index >= range->begin && index < range->end);
}

bool row_moves(const Matrix64& change, std::int64_t row) {
  const auto* const cells = change.cells.data() + row * change.cols;
  return std::any_of(cells, cells + change.cols, [](double x) { return x != 0; });
}

// A norm of one row, in double.
std::vector<double> normed_row(const NormSpec& spec, const Tensor& gain, const Tensor& offset,
                               const double* row, std::int64_t width) {
  double mean = 0, square = 0;
  for (std::int64_t i = 0; i < width; ++i) mean += row[i] / static_cast<double>(width);
  if (spec.kind != NormSpec::Kind::layer) mean = 0;
  for (std::int64_t i = 0; i < width; ++i)
    square += (row[i] - mean) * (row[i] - mean) / static_cast<double>(width);
  const double scale = std::sqrt(square + static_cast<double>(spec.eps));
  std::vector<double> out;
  for (std::int64_t i = 0; i < width; ++i) {
    const double by =
        gain.empty() ? 1.0 : static_cast<double>(gain.at(i)) + static_cast<double>(spec.weight_offset);
    out.push_back((row[i] - mean) / scale * by + (offset.empty() ? 0.0 : static_cast<double>(offset.at(i))));
  }
  return out;
}

Matrix64 heads_side_by_side(const Tensor& values) {  // [head, query, d_head] -> [query, head*d_head]
  const std::int64_t heads = values.size(0), rows = values.size(1), d = values.size(2);
  Matrix64 out{rows, heads * d, {}};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t i = 0; i < d; ++i) out.cells.push_back(static_cast<double>(values.at(head, row, i)));
  return out;
}

// From the senders along sums and norms.
class PathWalk {
 public:
  PathWalk(const Trace& trace, const std::vector<WithoutPath>& from, Range rows)
      : trace_(trace), from_(from), rows_(rows) {}

  // The step at which a sender's write stands in the stream.
  static Site written_by(const Site& from) {
    if (from.is(StepRole::head_out) || from.is(StepRole::concat)) return from.with(slot_of(StepKind::output));
    if (from.is(StepRole::neurons)) return from.with(slot_of(StepKind::mlp_down));
    return from;
  }

  // What changes at a step of the stream, or of a norm of it, beside the numbers of the run.
  PathRows change(const Site& site) {
    if (const auto known = known_.find(site); known != known_.end()) return known->second;
    PathRows out = made(site);
    known_[site] = out;
    return out;
  }

  // A norm or a sum of the stream without the senders.
  Matrix64 anew(const Site& site) {
    const std::vector<Site> inputs = flow_inputs(trace_, site);
    Matrix64 out = without(inputs.front());
    if (step_of(site.slot).rule == Rule::norm) return normed(site, out);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const Matrix64 more = without(inputs[i]);
      for (std::size_t j = 0; j < out.cells.size(); ++j) out.cells[j] += more.cells[j];
    }
    return out;
  }

  // What changes in what a step of the stream is made of: rows without any stay as they are.
  PathRows moved_into(const Site& site) {
    PathRows out;
    for (const Site& one : flow_inputs(trace_, site)) add_path_rows(out, change(one));
    return out;
  }

  // The numbers of a recorded step of the stream without the senders.
  Matrix64 without(const Site& site) {
    Matrix64 out = matrix64(path_rows_of(trace_, site, rows_.size()));
    if (const PathRows moved = change(site))
      for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] += moved->cells[i];
    return out;
  }

 private:
  PathRows made(const Site& site) {
    PathRows out;
    for (const WithoutPath& one : from_)
      if (written_by(one.from.site) == site) add_path_rows(out, write(one));
    if (out || site.is(StepRole::branch)) return out;
    const std::vector<Site> inputs = flow_inputs(trace_, site);
    if (step_of(site.slot).rule == Rule::norm) return norm(site, inputs.front());
    for (const Site& one : inputs) add_path_rows(out, change(one));
    if (out && step_of(site.slot).rule == Rule::scale)
      for (double& x : out->cells) x *= static_cast<double>(trace_.config().of(site.stack).embed_scale);
    return out;
  }

  PathRows norm(const Site& site, const Site& input) {
    const PathRows moved = change(input);
    if (!moved) return {};
    Matrix64 out = normed(site, without(input));
    const Matrix64 was = matrix64(path_rows_of(trace_, site, rows_.size()));
    for (std::int64_t row = 0; row < out.rows; ++row) {
      double* const cells = out.cells.data() + row * out.cols;
      const bool same = !row_moves(*moved, row);
      for (std::int64_t i = 0; i < out.cols; ++i) cells[i] = same ? 0.0 : cells[i] - was.at(row, i);
    }
    return out;
  }

  Matrix64 normed(const Site& site, const Matrix64& x) const {
    std::string base = to_text(site);
    base.resize(base.size() - std::string_view(".out").size());
    const NormSpec& spec = norm_spec(trace_.config(), site);
    const Tensor gain = trace_.weights().get(base + ".weight"), offset = trace_.weights().get(base + ".bias");
    Matrix64 out{x.rows, x.cols, {}};
    for (std::int64_t row = 0; row < x.rows; ++row) {
      const std::vector<double> one = normed_row(spec, gain, offset, x.cells.data() + row * x.cols, x.cols);
      out.cells.insert(out.cells.end(), one.begin(), one.end());
    }
    return out;
  }

  // What a sender writes instead, minus what it wrote.
  Matrix64 write(const WithoutPath& path) const {
    const Target& from = path.from;
    const Tensor values = path_rows_of(trace_, from.site, rows_.size());
    Matrix64 out = values.rank() == 3 ? heads_side_by_side(values) : matrix64(values);
    Matrix64 instead;
    if (path.instead) {
      const Tensor rows = path.instead->slice(values.rank() - 2, rows_.begin, rows_.end);
      instead = rows.rank() == 3 ? heads_side_by_side(rows) : matrix64(rows);
    }
    const Tensor stays = path_stays(trace_, from.site);
    for (std::int64_t row = 0; row < out.rows; ++row)
      for (std::int64_t col = 0; col < out.cols; ++col) {
        double& cell = out.cells[static_cast<std::size_t>(row * out.cols + col)];
        const double now = path.instead    ? instead.at(row, col)
                           : stays.empty() ? 0.0
                                           : static_cast<double>(stays.at(col));
        cell = asked(from.at, values, row, col) ? now - cell : 0.0;
      }
    const Site written = written_by(from.site);
    return written == from.site ? out
                                : product(out, matrix64(trace_.weights().get(to_text(written) + ".weight")));
  }

  bool asked(const std::vector<AxisRange>& at, const Tensor& values, std::int64_t row,
             std::int64_t col) const {
    if (!path_covers(at, "pos", rows_.begin + row)) return false;
    if (values.rank() == 3)
      return path_covers(at, "head", col / values.size(2)) && path_covers(at, "d_head", col % values.size(2));
    return path_covers(at, axis_name(values.axis(1)), col);
  }

  const Trace& trace_;
  const std::vector<WithoutPath>& from_;
  Range rows_;
  std::map<Site, PathRows> known_;
};

bool projects(const Site& to) {
  return to.is(StepRole::split) || to.is(StepRole::projection) || to.is(StepKind::mlp_up);
}

// The step as it was plus zeros: [rows, width], or [head, rows, d_head].
Tensor shaped(const Matrix64& change, const Site& to, std::int64_t first, std::int64_t d_head) {
  const std::int64_t rows = first + change.rows;
  if (!to.is(StepRole::split)) {
    Buffer out({{Axis::pos, rows}, {Axis::none, change.cols}});
    std::fill(out.data(), out.data() + out.count(), 0.f);
    for (std::size_t i = 0; i < change.cells.size(); ++i)
      out.data()[first * change.cols + static_cast<std::int64_t>(i)] = static_cast<float>(change.cells[i]);
    return std::move(out).freeze();
  }
  const std::int64_t heads = change.cols / d_head;
  Buffer out({{Axis::head, heads}, {Axis::pos, rows}, {Axis::d_head, d_head}});
  std::fill(out.data(), out.data() + out.count(), 0.f);
  for (std::int64_t row = 0; row < change.rows; ++row)
    for (std::int64_t col = 0; col < change.cols; ++col)
      out.data()[(col / d_head * rows + first + row) * d_head + col % d_head] =
          static_cast<float>(change.at(row, col));
  return std::move(out).freeze();
}

Site projection_of(const Site& to) {
  return to.is(StepRole::split) ? to.near(StepRole::projection, step_of(to.slot).hue) : to;
}

}  // namespace

Tensor path_stays(const Trace& trace, const Site& from) {
  return from.is(StepRole::branch) ? trace.weights().get(to_text(from) + ".bias") : Tensor();
}

Result<Target> path_step(Target where) {
  const Site& site = where.site;
  const bool norm = site.is(StepRole::norm) && step_of(site.slot).rule == Rule::norm;
  const bool read =
      site.is(StepRole::split) || site.is(StepKind::mlp_up) || site.is(StepRole::stream) || norm;
  const bool flat = site.is(StepRole::projection);
  if (where.kind != Target::Kind::step || site.part == Part::cross || (!read && !flat))
    return fail(Code::unsupported, "error.trace.path.receiver", {to_text(where)});
  if (flat) where.site = site.near(StepRole::split, step_of(site.slot).hue);
  return where;
}

Result<std::vector<Target>> path_receivers(const ModelConfig& config, Target where) {
  const Site& site = where.site;
  if (where.kind != Target::Kind::step || site.part == Part::cross)
    return fail(Code::unsupported, "error.trace.path.receiver", {to_text(where)});
  if (site.layer >= config.of(site.stack).n_layers())
    return fail(Code::out_of_range, "error.trace.place.blocks",
                {in_quotes(to_text(where)), config.of(site.stack).n_layers()});
  if (site.is(StepKind::mlp_down)) {
    if (config.block_at(site).mlp.kind != MlpSpec::Kind::gated)
      return std::vector{Target{where.kind, where.site.with(Slot::mlp_pre), {}, where.at}};
    return std::vector{Target{where.kind, where.site.with(Slot::mlp_gate), {}, where.at},
                       Target{where.kind, where.site.with(Slot::mlp_up), {}, where.at}};
  }
  if (site.is(StepRole::logits)) {
    const bool final = config.final_norm.kind != NormSpec::Kind::none;
    const BlockSpec& last = config.blocks.back();
    const StepKind end = last.order != NormOrder::post          ? StepKind::residual_post
                         : last.mlp.kind != MlpSpec::Kind::none ? StepKind::norm2
                         : last.cross                           ? StepKind::norm_cross
                                                                : StepKind::norm1;
    where.site = final ? site_of(StepKind::norm_final, -1, config.stack)
                       : site_of(end, config.n_layers() - 1, config.stack);
    return std::vector{where};
  }
  TRY(Target one, path_step(std::move(where)));
  return std::vector{std::move(one)};
}

std::string receiver_text(const Target& where) {
  Target shown = where;
  shown.site = projection_of(where.site);
  return to_text(shown);
}

Status check_sender(const Target& from) {
  const Site& site = from.site;
  const bool norm = site.is(StepRole::post_norm) && step_of(site.slot).rule == Rule::norm;
  bool writes = norm;
  for (const StepRole role : {StepRole::head_out, StepRole::concat, StepRole::neurons, StepRole::branch,
                              StepRole::embedding, StepRole::words, StepRole::position, StepRole::segment})
    writes = writes || site.is(role);
  if (from.kind == Target::Kind::step && writes) return Done{};
  return fail(Code::unsupported, "error.trace.path.sender", {to_text(from)});
}

namespace {

Site path_input(const Trace& trace, const Site& to) {
  if (!projects(to)) return to;
  const std::vector<Site> inputs = flow_inputs(trace, projection_of(to));
  return inputs.empty() ? to : inputs.front();
}

bool is_reached(const Trace& trace, const Site& written, const Site& site) {
  if (site == written) return true;
  if (site.is(StepRole::branch)) return false;
  const std::vector<Site> inputs = flow_inputs(trace, site);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Site& one) { return is_reached(trace, written, one); });
}

}  // namespace

bool has_path(const Trace& trace, const Site& from, const Site& to) {
  return from.stack == to.stack && trace.find(from) &&
         is_reached(trace, PathWalk::written_by(from), path_input(trace, to));
}

namespace {

// The step itself without what the walk's senders wrote: [rows, width].
Matrix64 read_anew(const Trace& trace, const Site& to, PathWalk& walk) {
  if (!projects(to)) return walk.anew(to);
  const std::string name = to_text(projection_of(to));
  Matrix64 out =
      product(walk.without(path_input(trace, to)), matrix64(trace.weights().get(name + ".weight")));
  const Tensor offset = trace.weights().get(name + ".bias");
  for (std::size_t i = 0; i < out.cells.size() && !offset.empty(); ++i)
    out.cells[i] += static_cast<double>(offset.at(static_cast<std::int64_t>(i) % out.cols));
  return out;
}

Status check_path(const Trace& so_far, const Target& from, const Site& to) {
  TRY_OK(check_sender(from));
  if (from.site.stack != to.stack)
    return fail(Code::unsupported, "error.trace.path.stacks", {to_text(from), to_text(to)});
  if (!has_path(so_far, from.site, to))
    return fail(Code::unsupported, "error.trace.path.none", {to_text(from), to_text(projection_of(to))});
  return check_axes(from, so_far.find(from.site)->axes);
}

}  // namespace

Result<Tensor> path_change(const Trace& so_far, const std::vector<WithoutPath>& from, const Site& to,
                           Range rows, const Tensor& value) {
  TRY_OK(check_runs(so_far.weights()));
  for (const WithoutPath& one : from) TRY_OK(check_path(so_far, one.from, to));
  const std::vector<WithoutPath> before(from.begin(), from.end() - 1), last{from.back()};
  PathWalk all(so_far, from, rows), others(so_far, before, rows), alone(so_far, last, rows);
  const Site read = path_input(so_far, to);
  Matrix64 change = read_anew(so_far, to, all);
  const Matrix64 was = !before.empty()     ? read_anew(so_far, to, others)
                       : value.rank() == 3 ? heads_side_by_side(value)
                                           : matrix64(value);
  const PathRows moved = projects(to) ? alone.change(read) : alone.moved_into(to);
  for (std::int64_t row = 0; row < change.rows; ++row)
    for (std::int64_t i = 0; i < change.cols; ++i) {
      double& cell = change.cells[static_cast<std::size_t>(row * change.cols + i)];
      cell = moved && row_moves(*moved, row) ? cell - was.at(row, i) : 0.0;
    }
  const std::int64_t d_head = to.is(StepRole::split) ? so_far.config().attention_at(to).d_head : 0;
  return shaped(change, to, rows.begin, d_head);
}

Result<Tensor> path_change(const Trace& run, const WithoutPath& from, const Site& to) {
  const Record* record = run.find(to);
  if (!record) return fail(Code::not_found, "error.trace.no_step_here", {to_text(to)});
  return path_change(run, {from}, to, {0, run.rows(to.stack)}, record->value());
}

}  // namespace attnscope
