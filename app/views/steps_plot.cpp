// Values, colours and panels of a figure. The layout is computed in steps_place.cpp.
#include "app/views/steps_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/look/fonts.h"
#include "app/look/key_controls.h"
#include "app/look/theme.h"
#include "app/widgets/patch_picture.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kWholeCells = std::int64_t{1} << 18;  // smaller matrices are read completely

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ (value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2))) * 0x100000001b3ull;
}
std::uint64_t mixed(std::uint64_t hash, const std::string& text) {
  return mixed(hash, std::hash<std::string>{}(text));
}

std::uint64_t operand_hash(const ViewContext& context, const Operand& operand, Range rows, Range cols,
                           bool difference) {
  std::uint64_t hash = mixed(0xcbf29ce484222325ull, context.run.version);
  hash = mixed(hash, static_cast<std::uint64_t>(context.workspace.cursor.sequence + 1));
  hash = mixed(hash, operand.weight);
  hash = mixed(hash, operand.id);
  hash = mixed(hash, static_cast<std::uint64_t>(operand.site.layer + 1) << 24 |
                         static_cast<std::uint64_t>(operand.site.stack) << 16 |
                         static_cast<std::uint64_t>(operand.site.part) << 8 |
                         static_cast<std::uint64_t>(operand.site.slot));
  hash = mixed(hash, static_cast<std::uint64_t>(operand.head + 2));
  hash = mixed(hash, operand.version);
  if (operand.part) hash = mixed(hash, static_cast<std::uint64_t>(context.workspace.cursor.head + 1));
  hash = mixed(hash, difference ? context.before->version + 1 : 0);
  for (const std::int64_t at : {rows.begin, rows.end, cols.begin, cols.end})
    hash = mixed(hash, static_cast<std::uint64_t>(at));
  for (const auto* picks : {&operand.picked_rows, &operand.picked_cols})
    for (const std::int64_t pick : *picks) hash = mixed(hash, static_cast<std::uint64_t>(pick));
  return hash;
}

ValueRange range_of(const Operand& operand, const Tensor& values, bool differs) {
  if (operand.map == Colormap::diverging || differs) return signed_range(values);
  if (operand.map == Colormap::mask) return {0, 1, 0, 1};
  const Stats s = stats(values);
  const bool share = s.max <= 1.f && operand.id != "sum";
  const bool words = !operand.is_weight() && operand.site.is(StepRole::probs);
  const float end = (share && !words) || !(s.max > 0.f) ? 1.f : std::max(s.max, 1e-6f);
  return {0, end, s.min, std::min(s.max, end)};
}

// Shifts pictures: entry 0 of the axis is entry `first` of the stack.
std::shared_ptr<const AxisPictures> shifted(std::shared_ptr<const AxisPictures> pictures,
                                            std::int64_t first) {
  if (!pictures || first == 0) return pictures;
  AxisPictures moved = *pictures;
  const auto skipped = std::min<std::int64_t>(first, static_cast<std::int64_t>(moved.patch_of.size()));
  moved.patch_of.erase(moved.patch_of.begin(), moved.patch_of.begin() + skipped);
  return std::make_shared<const AxisPictures>(std::move(moved));
}

// Which numbers an operand's cells are; empty if it is no step or weight, or has picked rows or columns.
CellsPlace steps_plot_place_of(const Trace& trace, const Operand& operand) {
  if (operand.part || !operand.picked_rows.empty() || !operand.picked_cols.empty()) return {};
  CellsPlace out{operand.site, operand.weight, source_index(trace, operand, 0, 0), -1, -1};
  const auto moved = [&](std::int64_t row, std::int64_t col) {
    const auto index = source_index(trace, operand, row, col);
    for (std::size_t axis = 0; axis < index.size() && axis < out.first.size(); ++axis)
      if (index[axis] != out.first[axis]) return static_cast<int>(axis);
    return -1;
  };
  out.row_axis = moved(1, 0);
  out.col_axis = moved(0, 1);
  return out;
}

}  // namespace

bool has_pictures(const ViewContext& context, const Operand& operand, bool rows) {
  const FigureAxis& axis = rows ? operand.row : operand.col;
  if (axis.names != FigureAxis::Names::token) return false;
  if (!(rows ? operand.picked_rows : operand.picked_cols).empty()) return false;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  return !trace.input.pixels.empty() && !patch_rows(trace, axis.stack).empty();
}

std::string axis_entry(const RunResult& run, int sequence, const Operand& operand, bool rows,
                       std::int64_t at) {
  const FigureAxis& axis = rows ? operand.row : operand.col;
  const auto& picks = rows ? operand.picked_rows : operand.picked_cols;
  if (!picks.empty())
    at = at < static_cast<std::int64_t>(picks.size()) ? picks[static_cast<std::size_t>(at)] : at;
  if (axis.names == FigureAxis::Names::vocab) return token_label(*run.document.opened, static_cast<int>(at));
  if (axis.names == FigureAxis::Names::output) return output_name(*run.document.opened, static_cast<int>(at));
  if (axis.names != FigureAxis::Names::token) return std::to_string(at);
  return row_name(run, sequence, axis.stack, axis.first + at);
}

const FigurePlot::Seen& FigurePlot::values(const ViewContext& context, const Operand& operand,
                                           bool difference) {
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const Span &row_span = span(operand.row), &col_span = span(operand.col);
  Range rows{static_cast<std::int64_t>(row_span.lo), static_cast<std::int64_t>(std::ceil(row_span.hi))};
  Range cols{static_cast<std::int64_t>(col_span.lo), static_cast<std::int64_t>(std::ceil(col_span.hi))};
  if (operand.row.size * std::max(operand.col.size, operand.reads) <= kWholeCells)
    rows = {0, operand.row.size}, cols = {0, operand.col.size};
  const bool differs = difference && operand.is_result && context.before != nullptr;
  const std::uint64_t hash = operand_hash(context, operand, rows, cols, differs);
  return seen_[operand.id].get({hash}, [&] {
    Seen out{{}, rows, cols, {}, false, false};
    if (differs) {
      const Trace& old = context.before->trace(context.workspace.cursor.sequence);
      out.values = operand_change(trace, old, operand, rows, cols, out.shifted);
      out.differs = !out.values.empty();
    }
    if (!out.differs) out.values = operand_values(trace, operand, rows, cols);
    if (!out.values.empty()) out.range = range_of(operand, out.values, out.differs);
    return out;
  });
}

ValueRange FigurePlot::range(int operand) const {
  const bool known = operand >= 0 && operand < static_cast<int>(ranges_.size());
  return known ? ranges_[static_cast<std::size_t>(operand)] : ValueRange{};
}

bool FigurePlot::cell_rect(const FigureCell& cell, ImVec2& p0, ImVec2& p1) const {
  if (!cell.valid() || cell.operand >= static_cast<int>(panels_.size())) return false;
  const Panel& panel = panels_[static_cast<std::size_t>(cell.operand)];
  const double row = static_cast<double>(cell.row) - panel.seen.row0,
               col = static_cast<double>(cell.col) - panel.seen.col0;
  p0 = ImVec2(panel.event.p0.x + static_cast<float>(col) * panel.cell.x,
              panel.event.p0.y + static_cast<float>(row) * panel.cell.y);
  p1 = ImVec2(p0.x + panel.cell.x, p0.y + panel.cell.y);
  return p1.x > panel.event.p0.x && p0.x < panel.event.p1.x && p1.y > panel.event.p0.y &&
         p0.y < panel.event.p1.y;
}

bool FigurePlot::cells_rect(int operand, std::int64_t row, std::int64_t rows, std::int64_t cols, ImVec2& p0,
                            ImVec2& p1) const {
  const Panel& panel = panels_[static_cast<std::size_t>(operand)];
  const auto at = [&](double r, double c) {
    return ImVec2(std::clamp(panel.event.p0.x + static_cast<float>(c - panel.seen.col0) * panel.cell.x,
                             panel.event.p0.x, panel.event.p1.x),
                  std::clamp(panel.event.p0.y + static_cast<float>(r - panel.seen.row0) * panel.cell.y,
                             panel.event.p0.y, panel.event.p1.y));
  };
  p0 = at(static_cast<double>(row), 0), p1 = at(static_cast<double>(rows), static_cast<double>(cols));
  return p1.x > p0.x && p1.y > p0.y;
}

ImU32 FigurePlot::cell_colour(int operand, float value) const {
  const auto at = static_cast<std::size_t>(std::max(operand, 0));
  return at < styles_.size() ? heat_colour(value, styles_[at]) : theme().accent;
}

ImU32 FigurePlot::operand_colour(int operand) const {
  const auto at = static_cast<std::size_t>(std::max(operand, 0));
  return at < colours_.size() && colours_[at] ? colours_[at] : theme().accent;
}

namespace {

// Key of a matrix's content, independent of the figure; empty for unnamed values.
std::string shown_by(const Operand& operand) {
  if (operand.part) return {};
  return operand.is_weight() ? operand.weight : to_text(operand.site) + "#" + std::to_string(operand.head);
}

// The end of a legend is the largest number of its matrix: where a lesson hides a cell of this, it may be the
// answer.
bool keeps_its_range(const Workspace& workspace, const Operand& of) {
  if (!workspace.hides || !of.is_step()) return false;
  return std::any_of(workspace.hidden.begin(), workspace.hidden.end(), [&](const Target& hidden) {
    return hidden.kind == Target::Kind::step && hidden.site == of.site;
  });
}

}  // namespace

std::vector<FigurePlot::Stood> FigurePlot::standing(const Figure& figure) const {
  std::vector<Stood> out;
  for (std::size_t i = 0; i < std::min(panels_.size(), figure.operands.size()); ++i) {
    std::string what = shown_by(figure.operands[i]);
    if (!what.empty()) out.push_back({std::move(what), panels_[i].event.p0, panels_[i].cell});
  }
  return out;
}

void FigurePlot::travel_to(const Figure& figure, float travel) {
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const std::string what = shown_by(figure.operands[i]);
    const auto stood = std::find_if(from_.begin(), from_.end(),
                                    [&](const Stood& one) { return !what.empty() && one.what == what; });
    if (stood == from_.end()) continue;
    Panel& panel = panels_[i];
    const ImVec2 cells(panel.position.x + panel.labels, panel.position.y + panel.header);
    const auto mixed = [travel](float from, float to) { return from + (to - from) * travel; };
    const ImVec2 wide(panel.size.x - panel.labels, panel.size.y - panel.header),
        cell(mixed(stood->cell.x, panel.cell.x), mixed(stood->cell.y, panel.cell.y));
    panel.position =
        ImVec2(mixed(stood->p0.x, cells.x) - panel.labels, mixed(stood->p0.y, cells.y) - panel.header);
    panel.size =
        ImVec2(panel.labels + wide.x * cell.x / panel.cell.x, panel.header + wide.y * cell.y / panel.cell.y);
    panel.cell = cell;
  }
}

/// Labels of an axis, while a matrix is drawn.
struct FigurePlot::AxisNames {
  const ViewContext& context;
  const Operand& operand;
  bool rows;
  std::string operator()(std::int64_t at) const {
    return axis_entry(context.run, context.workspace.cursor.sequence, operand, rows, at);
  }
};

void FigurePlot::fill_axis(const AxisNames& names, const Panel& panel, MatrixAxis& axis) {
  const auto& [context, operand, rows] = names;
  const int sequence = context.workspace.cursor.sequence;
  const FigureAxis& from = rows ? operand.row : operand.col;
  axis = {};
  axis.colour = from.colour;
  axis.show_labels = from.names != FigureAxis::Names::none && (rows ? panel.row_labels : panel.col_labels);
  if (axis.show_labels && has_pictures(context, operand, rows))
    axis.pictures = shifted(axis_pictures(context.painter, context.run, sequence, from.stack), from.first);
  const bool picks = rows ? !operand.picked_rows.empty() : !operand.picked_cols.empty();
  if (from.names == FigureAxis::Names::index && !picks) return;
  const bool narrow =
      !rows && panel.cell.x < 58 * ui_scale() && !context.run.trace(sequence).input.vectors.empty();
  if (narrow && from.names == FigureAxis::Names::token) return;  // the index is enough
  axis.label_of = std::cref(names);
}

void FigurePlot::write_back(const Operand& operand, const MatrixWindow& before, const MatrixWindow& after) {
  const bool same = before.row0 == after.row0 && before.row1 == after.row1 && before.col0 == after.col0 &&
                    before.col1 == after.col1;
  if (same || frozen_) return;
  if (after.all()) {
    reset_windows();
    return;
  }
  constexpr double kMostSeen = 512;
  ++spans_version_;
  const auto keep = [&](const FigureAxis& axis, double lo, double hi) {
    Span& s = span(axis);
    s = {lo, std::min(hi, lo + std::min(kMostSeen, static_cast<double>(axis.size)))};
  };
  keep(operand.row, after.row0, after.row1);
  keep(operand.col, after.col0, after.col1);
}

// Unit for gradients, which are often so small that four decimals would all be 0.

void FigurePlot::draw_operand(const ViewContext& context, const Figure& figure, std::size_t index,
                              const FigureMarks& marks, bool difference, FigureEvent& event) {
  const Operand& operand = figure.operands[index];
  Panel& panel = panels_[index];
  const Seen& kept = values(context, operand, difference);
  if (kept.values.empty()) return;
  MatrixPlot& plot = plots_[index];
  if (plot.key.empty()) {
    plot.key = "steps/" + operand.id;
    plot.double_click_resets = false;
    plot.large_numbers = true;
    plot.place = steps_plot_place_of(context.run.trace(context.workspace.cursor.sequence), operand);
  }
  plot.values = kept.values;
  plot.style.map = kept.differs ? Colormap::diverging : operand.map;
  plot.style.log_scale = context.workspace.log_scale && operand.map != Colormap::mask;
  set_range(plot.style, ranges_[index]);
  styles_[index] = plot.style;
  colours_[index] = operand.colour ? operand.colour : theme().text_dim;
  plot.number_unit = number_unit(index, operand);
  plot.masked_numbers = !operand.gradient;
  const AxisNames rows{context, operand, true}, cols{context, operand, false};
  fill_axis(rows, panel, plot.rows);
  fill_axis(cols, panel, plot.cols);
  plot.first_row = kept.rows.begin, plot.first_col = kept.cols.begin;
  plot.total_rows = operand.row.size, plot.total_cols = operand.col.size;
  plot.cell = panel.cell;
  plot.row_label_width = panel.labels;
  plot.col_label_height = panel.header;
  plot.marks.clear();
  if (index < marks.size()) plot.marks = marks[index];
  for (std::int64_t head = 0; operand.group > 1 && head * operand.group < operand.col.size; ++head) {
    const bool own = head == operand.own_group;
    plot.marks.insert(own ? plot.marks.end() : plot.marks.begin(),
                      {0, head * operand.group, own ? operand.colour : theme().text_dim, operand.row.size,
                       operand.group, own ? 2.f : 1.f});
  }
  MatrixWindow window{span(operand.row).lo, span(operand.col).lo, span(operand.row).hi, span(operand.col).hi};
  const MatrixWindow before = window;
  panel.seen = window;
  plot.window = &window;
  {
    const DrawGroupScope group = operand.is_weight() ? DrawGroupScope("matrix", operand.weight)
                                 : operand.part      ? DrawGroupScope("matrix")
                                                     : DrawGroupScope("matrix", operand.site, operand.head);
    panel.event = draw_matrix(context.painter, plot, panel.position, panel.size);
  }
  write_back(operand, before, window);
  draw_title(operand, panel, plot.number_unit);
  if (!panel.event.hovered()) return;
  event.cell = {static_cast<int>(index), panel.event.row, panel.event.col};
  event.clicked = panel.event.clicked;
  if (event.clicked) take_digits();
  event.double_clicked = panel.event.double_clicked;
}

FigureEvent FigurePlot::draw(const ViewContext& context, const Figure& figure, const FigureMarks& marks,
                             ImVec2 position, ImVec2 size, bool difference, float travel) {
  FigureEvent event;
  const std::size_t count = figure.operands.size();
  ranges_.assign(count, {});
  styles_.assign(count, {});
  colours_.assign(count, 0);
  if (figure.layout == Figure::Layout::none || count == 0) return event;
  place(context, figure, position, size, difference);
  if (travel < 1) travel_to(figure, travel);
  ValueRange shared{0, 0};
  bool differs = false;
  shifted_ = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Seen& kept = values(context, figure.operands[i], difference);
    ranges_[i] = kept.range;
    if (figure.operands[i].is_result) differs = kept.differs, shifted_ = kept.shifted;
    if (figure.operands[i].map == Colormap::diverging && !kept.differs)
      shared.hi = std::max(shared.hi, kept.range.hi);
  }
  for (std::size_t i = 0; figure.shared_range && i < count; ++i)
    if (figure.operands[i].map == Colormap::diverging && !(differs && figure.operands[i].is_result))
      ranges_[i].lo = -shared.hi, ranges_[i].hi = shared.hi;
  for (std::size_t i = 0; i < count; ++i) draw_operand(context, figure, i, marks, difference, event);
  differs_ = differs;
  draw_signs(figure);
  draw_guides(figure, marks);
  if (event.hovered()) cell_rect(event.cell, event.p0, event.p1);
  const int result = figure.result();
  if (result < 0 || legend_height_ <= 0) return event;
  const Operand& out = figure.operands[static_cast<std::size_t>(result)];
  if (keeps_its_range(context.workspace, out)) return event;
  HeatStyle style;
  style.map = differs ? Colormap::diverging : out.map;
  style.log_scale = context.workspace.log_scale;
  set_range(style, range(result));
  // Matrices may have different scales: the legend's title is the matrix it belongs to.
  const bool one_scale = figure.shared_range || count == 1;
  const std::string_view title = differs        ? std::string_view(tr("steps.legend.difference"))
                                 : out.gradient ? std::string_view(tr("steps.back.legend"))
                                 : one_scale    ? std::string_view(tr("steps.legend.value"))
                                                : std::string_view(out.title);
  const bool fits = text_size(fonts().small, title).x <= (kLegend - 24) * ui_scale();
  draw_legend(style, fits ? title : tr("steps.legend.result"), legend_,
              ImVec2(15 * ui_scale(), legend_height_));
  return event;
}

}  // namespace attnscope
