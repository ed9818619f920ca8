#include "core/trace/path.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/ops/matrices.h"
#include "core/trace/editable.h"
#include "core/trace/flow.h"
#include "core/trace/step_edits.h"

namespace attnscope {
namespace {

using RowsOfPath = std::optional<Matrix64>;  // nothing: unchanged

void add_path_rows(RowsOfPath& sum, const RowsOfPath& more) {
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
  RowsOfPath change(const Site& site) {
    if (const auto known = known_.find(site); known != known_.end()) return known->second;
    RowsOfPath out = made(site);
    known_[site] = out;
    return out;
  }

  // A norm or a sum of the stream without the senders, before edits of its own.
  Matrix64 anew(const Site& site) {
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

  // What changes in what a step of the stream is made of: rows without any stay as they are.
  RowsOfPath moved_into(const Site& site) {
    RowsOfPath out;
    for (const Site& one : flow_inputs(trace_, site)) add_path_rows(out, change(one));
    return out;
  }

  // The numbers of a recorded step of the stream without the senders.
  Matrix64 without(const Site& site) {
    Matrix64 out = matrix64(last_rows(trace_, site, rows_.size()));
    if (const RowsOfPath moved = change(site))
      for (std::size_t i = 0; i < out.cells.size(); ++i) out.cells[i] += moved->cells[i];
    return out;
  }

 private:
  RowsOfPath made(const Site& site) {
    RowsOfPath out = site.is(StepRole::branch) ? projected(site) : carried(site);
    if (out) through_edits(site, *out);
    for (const WithoutPath& one : from_)
      if (one.from.site == site) replace(one, out);
    return out;
  }

  // From the steps before a norm or a sum of the stream.
  RowsOfPath carried(const Site& site) {
    RowsOfPath out;
    const std::vector<Site> inputs = flow_inputs(trace_, site);
    if (step_of(site.slot).rule == Rule::norm) return norm(site, inputs.front());
    for (const Site& one : inputs) add_path_rows(out, change(one));
    if (out && step_of(site.slot).rule == Rule::scale) scale(site, *out);
    return out;
  }

  // From the heads or neurons that a projection writes into the stream.
  RowsOfPath projected(const Site& site) const {
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
  void through_edits(const Site& site, Matrix64& moved) const {
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
  Matrix64 projection(const Site& site) const {
    const Site heads = site.near(StepRole::concat);
    const Site from = !site.is(StepKind::output) ? site.near(StepRole::neurons)
                      : trace_.find(heads)       ? heads
                                                 : site.near(StepRole::head_out);
    Matrix64 out = product(side_by_side(last_rows(trace_, from, rows_.size())),
                           matrix64(trace_.weights().get(to_text(site) + ".weight")));
    const Tensor bias = path_stays(trace_, site);
    for (std::size_t i = 0; i < out.cells.size() && !bias.empty(); ++i)
      out.cells[i] += static_cast<double>(bias.at(static_cast<std::int64_t>(i) % out.cols));
    return out;
  }

  void scale(const Site& site, Matrix64& x) const {
    for (double& cell : x.cells) cell *= static_cast<double>(trace_.config().of(site.stack).embed_scale);
  }

  RowsOfPath norm(const Site& site, const Site& input) {
    const RowsOfPath moved = change(input);
    if (!moved) return {};
    Matrix64 out = normed(site, without(input));
    const Tensor rows = last_rows(trace_, input, rows_.size());
    const Matrix64 was = StepEdits(trace_, site, rows_).any()
                             ? normed(site, matrix64(rows))
                             : matrix64(last_rows(trace_, site, rows_.size()));
    for (std::int64_t row = 0; row < out.rows; ++row) {
      double* const cells = out.cells.data() + row * out.cols;
      const bool same = !row_moves(*moved, row);
      for (std::int64_t i = 0; i < out.cols; ++i) cells[i] = same ? 0.0 : cells[i] - was.at(row, i);
    }
    return out;
  }

  Matrix64 normed(const Site& site, Matrix64 x) const {
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
  void replace(const WithoutPath& path, RowsOfPath& out) const {
    const Tensor values = last_rows(trace_, path.from.site, rows_.size());
    const Matrix64 now = side_by_side(values);
    Matrix64 instead;
    if (path.instead) instead = side_by_side(path.instead->slice(values.rank() - 2, rows_.begin, rows_.end));
    const Tensor stays = path_stays(trace_, path.from.site);
    if (!out) out = Matrix64{now.rows, now.cols, std::vector<double>(now.cells.size(), 0.0)};
    for (std::int64_t row = 0; row < now.rows; ++row)
      for (std::int64_t col = 0; col < now.cols; ++col) {
        if (!asked(path.from.at, values, row, col)) continue;
        const double then = path.instead    ? instead.at(row, col)
                            : stays.empty() ? 0.0
                                            : static_cast<double>(stays.at(col));
        out->cells[static_cast<std::size_t>(row * now.cols + col)] = then - now.at(row, col);
      }
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
  std::map<Site, RowsOfPath> known_;
};

// Keys and values of cross-attention are read off the encoder's rows, its queries off the stream.
bool reads_encoder(const Site& site) {
  return site.part == Part::cross && step_of(site.slot).hue != Hue::query;
}

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
  if (where.kind != Target::Kind::step || reads_encoder(site) || (!read && !flat))
    return fail(Code::unsupported, "error.trace.path.receiver", {to_text(where)});
  if (flat) where.site = site.near(StepRole::split, step_of(site.slot).hue);
  return where;
}

Result<std::vector<Target>> path_receivers(const ModelConfig& config, Target where) {
  const Site& site = where.site;
  if (where.kind != Target::Kind::step || reads_encoder(site))
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

// The step itself without what the walk's senders wrote, before edits of its own: [rows, width].
Matrix64 read_anew(const Trace& trace, const Site& to, Range rows, PathWalk& walk) {
  if (!projects(to)) return walk.anew(to);
  const Site first = projection_of(to);
  const std::string name = to_text(first);
  Matrix64 out =
      product(walk.without(path_input(trace, to)), matrix64(trace.weights().get(name + ".weight")));
  const Tensor offset = trace.weights().get(name + ".bias");
  for (std::size_t i = 0; i < out.cells.size() && !offset.empty(); ++i)
    out.cells[i] += static_cast<double>(offset.at(static_cast<std::int64_t>(i) % out.cols));
  if (first == to) return out;
  StepEdits(trace, first, rows).apply(out);
  StepEdits(trace, first.near(StepRole::view, step_of(first.slot).hue), rows).apply(out);
  return out;
}

// What changes in a step, before edits of its own, without what these wrote; rows without a change are zero.
// `was` is the step as it is.
Matrix64 change_of(const Trace& so_far, const std::vector<WithoutPath>& from, const Site& to, Range rows,
                   const Matrix64& was) {
  PathWalk walk(so_far, from, rows);
  Matrix64 change = read_anew(so_far, to, rows, walk);
  const RowsOfPath moved = projects(to) ? walk.change(path_input(so_far, to)) : walk.moved_into(to);
  for (std::int64_t row = 0; row < change.rows; ++row)
    for (std::int64_t i = 0; i < change.cols; ++i) {
      double& cell = change.cells[static_cast<std::size_t>(row * change.cols + i)];
      cell = moved && row_moves(*moved, row) ? cell - was.at(row, i) : 0.0;
    }
  return change;
}

Status check_path(const Trace& so_far, const Target& from, const Site& to) {
  TRY_OK(check_sender(from));
  if (from.site.stack != to.stack)
    return fail(Code::unsupported, "error.trace.path.stacks", {to_text(from), to_text(to)});
  if (!has_path(so_far, from.site, to))
    return fail(Code::unsupported, "error.trace.path.none", {to_text(from), to_text(projection_of(to))});
  return check_axes(from, so_far.find(from.site)->axes);
}

// For each index of an axis which of the cuts reach it; the indices that the same ones reach together.
using CutGroups = std::map<std::vector<std::size_t>, std::vector<std::int64_t>>;

template <class Reaches>
CutGroups cut_groups(std::int64_t count, std::size_t cuts, Reaches reaches) {
  CutGroups out;
  for (std::int64_t index = 0; index < count; ++index) {
    std::vector<std::size_t> of;
    for (std::size_t cut = 0; cut < cuts; ++cut)
      if (reaches(cut, index)) of.push_back(cut);
    out[std::move(of)].push_back(index);
  }
  return out;
}

std::int64_t head_width(const Trace& trace, const Site& to) {
  return to.is(StepRole::split) ? trace.config().attention_at(to).d_head : 0;
}

}  // namespace

Result<Tensor> path_change(const Trace& so_far, const std::vector<const NumberEdit*>& cuts, Range rows,
                           const Tensor& value) {
  const Site& to = cuts.front()->where.site;
  TRY_OK(check_runs(so_far.weights()));
  for (const NumberEdit* cut : cuts) TRY_OK(check_path(so_far, *path_from(*cut), to));
  const Matrix64 was = side_by_side(value);
  const auto column = [&](const std::vector<AxisRange>& at, std::int64_t col) {
    if (value.rank() != 3) return path_covers(at, axis_name(value.axis(1)), col);
    return path_covers(at, "head", col / value.size(2)) && path_covers(at, "d_head", col % value.size(2));
  };
  const CutGroups by_row = cut_groups(was.rows, cuts.size(), [&](std::size_t cut, std::int64_t row) {
    return path_covers(cuts[cut]->where.at, "pos", rows.begin + row);
  });
  const CutGroups by_column = cut_groups(was.cols, cuts.size(), [&](std::size_t cut, std::int64_t col) {
    return column(cuts[cut]->where.at, col);
  });
  Matrix64 out{was.rows, was.cols, std::vector<double>(was.cells.size(), 0.0)};
  std::map<std::vector<std::size_t>, Matrix64> changes;  // by the cuts that belong together
  for (const auto& [of_row, at_rows] : by_row)
    for (const auto& [of_column, at_columns] : by_column) {
      std::vector<std::size_t> both;
      std::set_intersection(of_row.begin(), of_row.end(), of_column.begin(), of_column.end(),
                            std::back_inserter(both));
      if (both.empty()) continue;
      auto made = changes.find(both);
      if (made == changes.end()) {
        std::vector<WithoutPath> from;
        for (const std::size_t cut : both) from.push_back(std::get<WithoutPath>(cuts[cut]->value));
        made = changes.emplace(both, change_of(so_far, from, to, rows, was)).first;
      }
      for (const std::int64_t row : at_rows)
        for (const std::int64_t col : at_columns)
          out.cells[static_cast<std::size_t>(row * out.cols + col)] = made->second.at(row, col);
    }
  return shaped(out, to, rows.begin, head_width(so_far, to));
}

Result<Tensor> path_change(const Trace& run, const WithoutPath& from, const Site& to) {
  const Record* record = run.find(to);
  if (!record) return fail(Code::not_found, "error.trace.no_step_here", {to_text(to)});
  TRY_OK(check_runs(run.weights()));
  TRY_OK(check_path(run, from.from, to));
  const Range rows{0, run.rows(to.stack)};
  const StepEdits edits(run, to, rows);
  Matrix64 was = side_by_side(record->value());
  if (edits.any()) {
    const std::vector<WithoutPath> nobody;
    PathWalk walk(run, nobody, rows);
    was = read_anew(run, to, rows, walk);
  }
  Matrix64 change = change_of(run, {from}, to, rows, was);
  if (edits.any()) edits.carry(std::move(was), change);
  return shaped(change, to, 0, head_width(run, to));
}

}  // namespace attnscope
