// Names of the rows and columns of a figure's matrices: how wide they are. A layout asks for the same widths
// at every cell size that it tries.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostMeasured = 64;  // names of an axis

}  // namespace

// Begins a layout: widths stay known while figure, run, windows, fonts and scale do.
void FigurePlot::measure_names(const ViewContext& context, const Figure& figure) {
  static std::uint64_t unnamed = 0;  // a figure without an id is measured anew
  const std::uint64_t id = figure.id > 0 ? figure.id : --unnamed;
  widths_ = &names_.get({id, context.run.version, spans_version_,
                         static_cast<std::uint64_t>(context.workspace.cursor.sequence + 1),
                         std::bit_cast<std::uint32_t>(ui_scale())},
                        [] { return std::map<std::string, float>(); });
}

// Widest of every `step`-th name of the range, pixels.
float FigurePlot::names_width(const ViewContext& context, const Operand& operand, bool rows, Range at,
                              std::int64_t step) {
  const auto [known, fresh] = widths_->emplace((rows ? "rows " : "cols ") + operand.id, 0.f);
  if (!fresh) return known->second;
  for (std::int64_t entry = at.begin; entry < at.end; entry += step) {
    const std::string text = axis_entry(context.run, context.workspace.cursor.sequence, operand, rows, entry);
    known->second = std::max(known->second, text_size(fonts().mono_small, text).x);
  }
  return known->second;
}

float FigurePlot::label_width(const ViewContext& context, const Operand& operand) {
  if (operand.row.names == FigureAxis::Names::none) return 0;
  const Span& s = span(operand.row);
  const auto first = static_cast<std::int64_t>(s.lo), last = static_cast<std::int64_t>(std::ceil(s.hi));
  const std::int64_t step = std::max<std::int64_t>(1, (last - first) / kMostMeasured);
  const float widest = names_width(context, operand, true, {first, last}, step);
  const float pictures = has_pictures(context, operand, true) ? kStepsPicture * ui_scale() : 0;
  return std::min(widest, 104 * ui_scale()) + 12 * ui_scale() + pictures;
}

// Height of the column labels for columns of this width, pixels.
float FigurePlot::column_labels(const ViewContext& context, const Operand& operand, float cell) {
  const float line = text_size(fonts().mono_small, "X").y, unit = ui_scale();
  if (operand.col.names == FigureAxis::Names::none) return 0;
  if (operand.col.names == FigureAxis::Names::index && operand.picked_cols.empty()) return line + 4 * unit;
  const bool numbers = operand.col.names == FigureAxis::Names::token && cell < 58 * unit;
  if (numbers && !context.run.trace(context.workspace.cursor.sequence).input.vectors.empty())
    return line + 4 * unit;
  const Span& s = span(operand.col);
  if (has_pictures(context, operand, false)) return std::max(line, kStepsPicture * unit) + 4 * unit;
  const auto first = static_cast<std::int64_t>(s.lo), last = static_cast<std::int64_t>(std::ceil(s.hi));
  const float widest =
      names_width(context, operand, false, {first, std::min(last, first + kMostMeasured)}, 1);
  if (widest + 4 * unit <= cell || cell >= 58 * unit) return line + 4 * unit;
  return std::min(widest, kLongestSlanted * unit) * kSlantSine + line;
}

float FigurePlot::last_label_overhang(const ViewContext& context, const Operand& operand, float cell) {
  const auto last = static_cast<std::int64_t>(std::ceil(span(operand.col).hi)) - 1;
  const std::string text = axis_entry(context.run, context.workspace.cursor.sequence, operand, false, last);
  const float line = text_size(fonts().mono_small, "X").y;
  const float length = std::min(text_size(fonts().mono_small, text).x, kLongestSlanted * ui_scale());
  return std::max(0.f, length * kSlantCosine + (line - cell) / 2);
}

}  // namespace attnscope
