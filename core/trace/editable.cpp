#include "core/trace/editable.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/trace.h"

namespace attnscope {
namespace {

struct Extent {
  std::vector<Axis> axes;
  std::vector<std::int64_t> shape;
  Tensor values;  // empty for steps that are derived on demand
};

// Of a place that check_target() let pass.
Extent extent_of(const Trace& trace, const Target& where) {
  if (where.kind == Target::Kind::step) {
    const Record& record = *trace.find(where.site);
    return {record.axes, record.shape, record.value()};
  }
  const Tensor& values =
      where.kind == Target::Kind::input ? trace.input.vectors : *trace.weights().find(where.weight);
  Extent out{{}, {}, values};
  for (int d = 0; d < values.rank(); ++d) {
    out.axes.push_back(values.axis(d));
    out.shape.push_back(values.size(d));
  }
  return out;
}

}  // namespace

Status check_runs(const Weights& weights) {
  if (!weights.all().empty()) return Done{};
  return fail_words(Code::unsupported, "This is a recording of a run: it has no weights to run anew.",
                    "Look at what it holds, or open the model itself.");
}

Status check_takes_rows(const Input& input) {
  if (!input.vectors.empty()) return Done{};
  return fail_words(Code::unsupported,
                    "The input is tokens, not rows of numbers: it cannot be edited number by number.",
                    "Edit embed, or type another text.");
}

Status check_weight_name(const Weights& weights, const std::string& name) {
  if (weights.find(name)) return Done{};
  return fail_words(Code::not_found, format("This model has no weight called %s.", name.c_str()),
                    "attnscope-cli info MODEL --json lists the weights.");
}

Status check_target(const Trace& trace, const Target& where) {
  TRY_OK(check_runs(trace.weights()));
  if (where.kind == Target::Kind::input) return check_takes_rows(trace.input);
  if (where.kind == Target::Kind::weight) return check_weight_name(trace.weights(), where.weight);
  const std::string name = to_text(where.site);
  if (!trace.find(where.site))
    return fail_words(Code::not_found, format("This model has no step %s to change.", name.c_str()),
                      "Choose a step of the timeline.");
  if (step_of(where.site.slot).editable) return Done{};
  return fail_words(
      Code::unsupported, format("%s cannot be changed itself.", name.c_str()),
      where.site.slot == Slot::mask ? "Switch cells of the mask instead." : "Change the logits instead.");
}

Status check_axes(const Target& where, const std::vector<Axis>& axes) {
  std::vector<std::string> names;
  for (const Axis axis : axes) names.emplace_back(axis_name(axis));
  for (const AxisRange& range : where.at) {
    const bool known =
        std::any_of(axes.begin(), axes.end(), [&](Axis axis) { return range_on(where, axis) == &range; });
    if (!known)
      return fail_words(Code::bad_shape,
                        format("%s has no axis called %s: its axes are [%s].", to_text(where).c_str(),
                               range.axis.c_str(), join(names, ", ").c_str()),
                        "Name axes of the step, as attnscope-cli steps lists them.");
  }
  return Done{};
}

Status check_row(const Target& where, bool has_rows, std::int64_t pos, std::int64_t begin, std::int64_t end) {
  if (!has_rows)
    return fail_words(Code::unsupported, format("%s has no positions to copy from.", to_text(where).c_str()),
                      "Set a number, or name a step that has positions.");
  if (pos >= begin && pos < end) return Done{};
  return fail_words(Code::out_of_range,
                    format("%s cannot be copied from position %lld: the run has %lld.",
                           to_text(where).c_str(), static_cast<long long>(pos), static_cast<long long>(end)),
                    "Positions count from 0.");
}

Error no_place(const Edit& edit) {
  return fail_words(Code::out_of_range,
                    format("The run has no place for the edit %s.", to_text(edit).c_str()),
                    "Indices count from 0; attnscope-cli trace MODEL --summary lists the shapes.");
}

Status check_edit(const Trace& trace, const NumberEdit& edit) {
  TRY_OK(check_target(trace, edit.where));
  const Extent extent = extent_of(trace, edit.where);
  TRY_OK(check_axes(edit.where, extent.axes));
  for (std::size_t d = 0; d < extent.axes.size(); ++d)
    if (const AxisRange* range = range_on(edit.where, extent.axes[d]);
        range && range->begin >= extent.shape[d])
      return no_place(*make_edit(edit));
  if (std::holds_alternative<Frozen>(edit.value) && !extent.values.empty()) {
    const Result<Applied> tried = apply(edit, extent.values);
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
