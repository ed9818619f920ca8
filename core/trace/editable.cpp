#include "core/trace/editable.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/path.h"
#include "core/trace/place_cells.h"

namespace attnscope {
Status check_runs(const Weights& weights) {
  if (!weights.all().empty()) return Done{};
  return fail(Code::unsupported, "error.trace.recording");
}

Status check_takes_rows(const Input& input) {
  if (!input.vectors.empty()) return Done{};
  return fail(Code::unsupported, "error.trace.tokens");
}

Status check_weight_name(const Weights& weights, const std::string& name) {
  if (weights.find(name)) return Done{};
  return fail(Code::not_found, "error.trace.no_weight", {in_quotes(name)});
}

Status check_target(const Trace& trace, const Target& where) {
  TRY_OK(check_runs(trace.weights()));
  if (where.kind == Target::Kind::input) return check_takes_rows(trace.input);
  if (where.kind == Target::Kind::weight) return check_weight_name(trace.weights(), where.weight);
  const std::string name = to_text(where.site);
  if (!trace.find(where.site)) return fail(Code::not_found, "error.trace.no_step_to_change", {name});
  if (step_of(where.site.slot).editable) return Done{};
  return Error{
      Code::unsupported, Text::of("error.trace.fixed_step", {name}),
      Text::of(where.site.is(StepRole::mask) ? "error.trace.switch_cells" : "error.trace.change_logits")};
}

Status check_axes(const Target& where, const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis axis : axes) names.emplace_back(axis_name(axis));
  for (const AxisRange& range : where.at) {
    const bool known =
        std::any_of(axes.begin(), axes.end(), [&](Axis axis) { return range_on(where, axis) == &range; });
    if (!known)
      return fail(Code::bad_shape, "error.trace.no_axis", {to_text(where), range.axis, join(names, ", ")});
  }
  return Done{};
}

Status check_row(const Target& where, bool has_rows, std::int64_t pos, std::int64_t begin, std::int64_t end) {
  if (!has_rows) return fail(Code::unsupported, "error.trace.no_positions", {to_text(where)});
  if (pos >= begin && pos < end) return Done{};
  return fail(Code::out_of_range, "error.trace.no_position", {to_text(where), pos, end});
}

Error no_place(const Edit& edit) { return fail(Code::out_of_range, "error.trace.no_place", {to_text(edit)}); }

Status check_edit(const Trace& trace, const NumberEdit& edit) {
  TRY_OK(check_target(trace, edit.where));
  TRY(const Extent extent, extent_of(trace, edit.where));
  TRY_OK(check_axes(edit.where, extent.axes));
  for (std::size_t d = 0; d < extent.axes.size(); ++d)
    if (const AxisRange* range = range_on(edit.where, extent.axes[d]);
        range && range->begin >= extent.shape[d])
      return no_place(*make_edit(edit));
  if (path_from(edit)) {
    const auto change = path_change(trace, std::get<WithoutPath>(edit.value), edit.where.site);
    return change ? Status(Done{}) : Status(change.error());
  }
  if (std::holds_alternative<Frozen>(edit.value) && !extent.values.empty()) {
    const Result<Applied> tried = apply(edit, extent.values);
    return tried ? Status(Done{}) : Status(tried.error());
  }
  const bool stage = edit.where.kind == Target::Kind::step && score_stage(edit.where.site.slot);
  const AttentionState* attention = stage ? trace.attention(edit.where.site) : nullptr;
  if (std::holds_alternative<Frozen>(edit.value) && attention) {
    Edits reached;
    const auto tried =
        StageEdits::make({make_edit(edit)}, edit.where.site, attention->in, attention->lse, nullptr, reached);
    return tried ? Status(Done{}) : Status(tried.error());
  }
  const auto* from = std::get_if<FromPos>(&edit.value);
  if (!from) return Done{};
  const auto rows =
      std::find_if(extent.axes.begin(), extent.axes.end(), [](Axis axis) { return is_row_axis(axis); });
  const auto count =
      rows == extent.axes.end() ? 0 : extent.shape[static_cast<std::size_t>(rows - extent.axes.begin())];
  return check_row(edit.where, rows != extent.axes.end(), from->pos, 0, count);
}

}  // namespace attnscope
