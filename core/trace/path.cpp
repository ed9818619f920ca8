#include "core/trace/path.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/trace/editable.h"
#include "core/trace/flow.h"
#include "core/trace/path_walk.h"
#include "core/trace/step_edits.h"

namespace attnscope {
namespace {

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
  add_offsets(out, trace.weights().get(name + ".bias"));
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
  const CutGroups by_row = cut_groups(was.rows, cuts.size(), [&](std::size_t cut, std::int64_t row) {
    return path_covers(cuts[cut]->where.at, "pos", rows.begin + row);
  });
  const CutGroups by_column = cut_groups(was.cols, cuts.size(), [&](std::size_t cut, std::int64_t col) {
    return path_covers_column(cuts[cut]->where.at, value, col);
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
