// Drawing and mouse input: the heatmap by the Painter, numbers over it, outlines over those; then zoom by
// wheel and pan by drag.
#include "app/widgets/matrix_plot.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/look/fonts.h"
#include "app/look/item_map.h"
#include "app/look/label.h"
#include "app/look/pointed.h"
#include "app/look/shade.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_lens.h"
#include "app/widgets/matrix_parts.h"
#include "app/widgets/pieces.h"

namespace attnscope {
namespace {

constexpr float kGapFrom = 10.f,
                kRoundFrom = 22.f;  // units: gaps and round corners from these cell sizes on
constexpr double kZoomPerNotch = 1.25;

ImVec2 operator+(ImVec2 a, ImVec2 b) { return ImVec2(a.x + b.x, a.y + b.y); }

HeatStyle spaced(HeatStyle style, ImVec2 cell) {
  const float side = std::min(cell.x, cell.y), unit = ui_scale();
  style.gap = side >= kRoundFrom * unit ? metric::kCellGap * unit : side >= kGapFrom * unit ? 1.f : 0.f;
  style.rounding = side >= kRoundFrom * unit ? 2.f * unit : 0.f;
  return style;
}

void draw_cells(Painter& painter, const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
                ImVec2 position) {
  const auto rows = plot.values.size(0), cols = plot.values.size(1);
  painter.upload(plot.key, plot.values);
  // The visible part of `values`: a part of a larger matrix may end before the window does.
  const MatrixWindow part{std::max(layout.seen.row0, static_cast<double>(plot.first_row)),
                          std::max(layout.seen.col0, static_cast<double>(plot.first_col)),
                          std::min(layout.seen.row1, static_cast<double>(plot.first_row + rows)),
                          std::min(layout.seen.col1, static_cast<double>(plot.first_col + cols))};
  if (part.all()) return;
  const auto uv = [&](double row, double col) {
    return ImVec2(
        static_cast<float>((col - static_cast<double>(plot.first_col)) / static_cast<double>(cols)),
        static_cast<float>((row - static_cast<double>(plot.first_row)) / static_cast<double>(rows)));
  };
  canvas.cells(painter, plot.key, position + layout.corner(part.row0, part.col0),
               position + layout.corner(part.row1, part.col1), spaced(plot.style, layout.cell),
               uv(part.row0, part.col0), uv(part.row1, part.col1));
}

void draw_numbers(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 position,
                  const NumberFormat& how) {
  const std::int64_t row_end =
      std::min(static_cast<std::int64_t>(std::ceil(layout.seen.row1)), plot.first_row + plot.values.size(0));
  const std::int64_t col_end =
      std::min(static_cast<std::int64_t>(std::ceil(layout.seen.col1)), plot.first_col + plot.values.size(1));
  for (auto row = std::max(static_cast<std::int64_t>(layout.seen.row0), plot.first_row); row < row_end;
       ++row) {
    for (auto col = std::max(static_cast<std::int64_t>(layout.seen.col0), plot.first_col); col < col_end;
         ++col) {
      const float value = plot.values.at(row - plot.first_row, col - plot.first_col);
      if (!plot.masked_numbers && is_masked(value)) continue;
      std::string text = how.each ? compact_number(value / plot.number_unit)
                                  : number_text(value / plot.number_unit, how.digits);
      if (const std::size_t zero = how.bare ? text.find("0.") : std::string::npos; zero != std::string::npos)
        text.erase(zero, 1);
      ImVec2 size = text_size(how.font, text);
      if (how.bare && size.x > layout.cell.x)  // "1.00" beside ".99"
        text = compact_number(value / plot.number_unit), size = text_size(how.font, text);
      if (size.x > layout.cell.x) continue;
      const ImVec2 corner = position + layout.corner(static_cast<double>(row), static_cast<double>(col));
      const ImU32 ink = is_masked(value) ? theme().text_dim : ink_on(heat_colour(value, plot.style));
      draw_text(canvas, how.font,
                ImVec2(corner.x + (layout.cell.x - size.x) / 2, corner.y + (layout.cell.y - size.y) / 2),
                plot.style.alpha < 1 ? with_alpha(ink, plot.style.alpha) : ink, text);
    }
  }
}

// Rectangle of a mark, clipped to the visible cells; false when nothing of it is visible.
bool mark_rect(const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 position, const MatrixMark& mark,
               ImVec2& p0, ImVec2& p1) {
  const double row0 = mark.row < 0 ? 0 : static_cast<double>(mark.row),
               col0 = mark.col < 0 ? 0 : static_cast<double>(mark.col);
  const double row1 =
      mark.row < 0 ? static_cast<double>(matrix_rows(plot)) : row0 + static_cast<double>(mark.rows);
  const double col1 =
      mark.col < 0 ? static_cast<double>(matrix_cols(plot)) : col0 + static_cast<double>(mark.cols);
  if (row1 <= layout.seen.row0 || row0 >= layout.seen.row1 || col1 <= layout.seen.col0 ||
      col0 >= layout.seen.col1)
    return false;
  p0 = position + layout.corner(std::max(row0, layout.seen.row0), std::max(col0, layout.seen.col0));
  p1 = position + layout.corner(std::min(row1, layout.seen.row1), std::min(col1, layout.seen.col1));
  return true;
}

void matrix_plot_outline(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout,
                         ImVec2 position, const MatrixMark& mark) {
  ImVec2 p0, p1;
  if (!mark_rect(plot, layout, position, mark, p0, p1)) return;
  if (p1.x - p0.x < 4) p0.x -= 2, p1.x += 2;
  if (p1.y - p0.y < 4) p0.y -= 2, p1.y += 2;
  const float thickness = mark.thickness * ui_scale();
  canvas.rect(p0, p1, mark.colour ? mark.colour : theme().accent, 3 * ui_scale(), 0, thickness);
}

// The cells that a previewed change would affect (app/look/shade.h).
std::vector<MatrixMark> shaded_cells(const CellsPlace& place) {
  if (!place.weight.empty() || place.first.empty()) return {};
  std::int64_t head = -1;
  int rows = -1;
  for (int axis = 0; axis < static_cast<int>(place.first.size()); ++axis) {
    const std::string_view name = axis_of(place.site, axis);
    if (name == "pos" || name == "query") rows = axis;
    if (name == "head" && axis != place.row_axis && axis != place.col_axis)
      head = place.first[static_cast<std::size_t>(axis)];
  }
  const Range reached = shaded_rows(place.site, head);
  if (rows < 0 || reached.size() <= 0) return {};
  const std::int64_t first = place.first[static_cast<std::size_t>(rows)],
                     begin = std::max<std::int64_t>(0, reached.begin - first), end = reached.end - first;
  if (begin >= end) return {};
  if (rows == place.row_axis) return {{begin, -1, 0, end - begin, 1}};
  if (rows == place.col_axis) return {{-1, begin, 0, 1, end - begin}};
  return begin == 0 ? std::vector<MatrixMark>{{}} : std::vector<MatrixMark>();
}

void draw_shades(const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 position) {
  for (const MatrixMark& mark : shaded_cells(plot.place))
    if (ImVec2 p0, p1; mark_rect(plot, layout, position, mark, p0, p1)) {
      tint(p0, p1);
      note_item("shaded.matrix." + plot.key, {p0, p1});
    }
}

void draw_marks(const Canvas& canvas, const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 position,
                const MatrixEvent& event) {
  for (const MatrixMark& mark : plot.lent_marks) matrix_plot_outline(canvas, plot, layout, position, mark);
  for (const MatrixMark& mark : plot.marks) matrix_plot_outline(canvas, plot, layout, position, mark);
  const ImU32 frame = plot.frame_colour ? plot.frame_colour : theme().accent;
  if (plot.lit_row >= 0) matrix_plot_outline(canvas, plot, layout, position, {plot.lit_row, -1, frame});
  if (plot.lit_col >= 0) matrix_plot_outline(canvas, plot, layout, position, {-1, plot.lit_col, frame});
  if (event.hovered())
    matrix_plot_outline(canvas, plot, layout, position,
                        {event.row, event.col, with_alpha(theme().text, 0.75f), 1, 1, 1.5f});
  if (plot.selected_row >= 0 && plot.selected_col >= 0)
    matrix_plot_outline(
        canvas, plot, layout, position,
        {plot.selected_row, plot.selected_col, theme().accent, 1, 1, metric::kOutline + 0.5f});
}

void pan(MatrixWindow& window, const MatrixLayout& layout, ImVec2 pixels, std::int64_t rows,
         std::int64_t cols) {
  if (window.all()) return;
  const auto shift = [](double& begin, double& end, double by, double size) {
    const double span = end - begin;
    begin = std::clamp(begin + by, 0.0, std::max(0.0, size - span));
    end = begin + span;
  };
  shift(window.row0, window.row1, static_cast<double>(-pixels.y / layout.cell.y), static_cast<double>(rows));
  shift(window.col0, window.col1, static_cast<double>(-pixels.x / layout.cell.x), static_cast<double>(cols));
}

// Wheel and drag change the window; a press that moved is not a click.
void handle_pointer(const MatrixPlot& plot, const MatrixLayout& layout, ImVec2 position, MatrixEvent& event) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 local(io.MousePos.x - position.x, io.MousePos.y - position.y);
  if (hovered && !layout.hit(local, event.row, event.col)) event.row = event.col = -1;
  const float far = io.MouseDragThreshold * io.MouseDragThreshold;
  const bool moved = io.MouseDragMaxDistanceSqr[0] > far;
  event.clicked = event.hovered() && ImGui::IsItemDeactivated() && !moved;
  event.double_clicked = event.hovered() && ImGui::IsMouseDoubleClicked(0);
  if (!plot.window) return;
  const std::int64_t rows = matrix_rows(plot), cols = matrix_cols(plot);
  if (event.hovered() && io.MouseWheel != 0 && !io.KeyCtrl) {
    const double row = layout.seen.row0 + static_cast<double>((local.y - layout.cells0.y) / layout.cell.y);
    const double col = layout.seen.col0 + static_cast<double>((local.x - layout.cells0.x) / layout.cell.x);
    *plot.window = zoomed(*plot.window, row, col, std::pow(kZoomPerNotch, static_cast<double>(io.MouseWheel)),
                          rows, cols);
  }
  if (ImGui::IsItemActive() && moved) pan(*plot.window, layout, io.MouseDelta, rows, cols);
  if (event.double_clicked && plot.double_click_resets) *plot.window = {};
}

}  // namespace

namespace {

// Records the cells as one item under the plot's key; `item` is static to reuse its memory.
void note_cells(const MatrixPlot& plot, const MatrixLayout& layout, const MatrixEvent& event) {
  static ItemRect item;
  item.p0 = event.p0, item.p1 = event.p1;
  item.rows = matrix_rows(plot), item.cols = matrix_cols(plot);
  item.row0 = layout.seen.row0, item.col0 = layout.seen.col0;
  item.row1 = layout.seen.row1, item.col1 = layout.seen.col1;
  item.place = plot.place;
  note_item(Label("matrix.", plot.key), item);
}

// Marks the token, head or neuron of the cell as pointed at, for linked highlighting (look/pointed.h).
void point_at_cell(const MatrixPlot& plot, const MatrixEvent& event) {
  const CellsPlace& place = plot.place;
  if (!event.hovered() || !place.weight.empty() || place.first.empty()) return;
  std::vector<std::int64_t> index = place.first;
  const auto move = [&](int axis, std::int64_t by) {
    if (axis >= 0 && axis < static_cast<int>(index.size())) index[static_cast<std::size_t>(axis)] += by;
  };
  move(place.row_axis, event.row);
  move(place.col_axis, event.col);
  point_cell(place.site, index);
}

}  // namespace

MatrixEvent draw_matrix(Painter& painter, const MatrixPlot& plot, ImVec2 position, ImVec2 size) {
  MatrixEvent event;
  if (plot.values.rank() == 1) {
    MatrixPlot row = plot;
    row.values = plot.values.split(0, Axis::none, 1, plot.values.axis(0));
    return draw_matrix(painter, row, position, size);
  }
  if (plot.values.rank() != 2 || plot.values.count() == 0) return event;
  const Canvas canvas;
  const MatrixLayout layout = matrix_layout(plot, size);
  event.p0 = position + layout.cells0;
  event.p1 = position + layout.cells1;
  const NumberFormat numbers = fitting_numbers(plot, layout);
  event.numbers = numbers.digits >= 0;
  ImGui::SetCursorScreenPos(event.p0);
  hit_area(plot.key.c_str(),
           ImVec2(std::max(event.p1.x - event.p0.x, 1.f), std::max(event.p1.y - event.p0.y, 1.f)));
  note_cells(plot, layout, event);
  handle_pointer(plot, layout, position, event);
  point_at_cell(plot, event);
  canvas.push_clip(ImVec2(event.p0.x - 3, event.p0.y - 3), ImVec2(event.p1.x + 3, event.p1.y + 3));
  draw_cells(painter, canvas, plot, layout, position);
  draw_shades(plot, layout, position);
  if (event.numbers) draw_numbers(canvas, plot, layout, position, numbers);
  draw_marks(canvas, plot, layout, position, event);
  canvas.pop_clip();
  draw_axes(painter, canvas, plot, layout, position, event.row, event.col);
  draw_matrix_lens(plot, event);
  return event;
}

namespace {

constexpr std::size_t kFewValues = 12, kSampled = std::size_t{1} << 16;
constexpr float kFarLarger = 4.f;     // times the magnitude of all but a few values
constexpr float kShareOfFew = 0.01f;  // share of all values

/// Statistics of the finite values that are not masked.
struct Known {
  float least = 0, most = 0;
  std::vector<float>& sizes;  ///< magnitudes; every k-th of a large tensor
};
Known known(const Tensor& values) {
  thread_local std::vector<float> sizes;  // reused between calls
  sizes.clear();
  Known out{0, 0, sizes};
  const Tensor packed = values.packed();
  const auto count = static_cast<std::size_t>(packed.count());
  const float* all = count > 0 ? packed.data() : nullptr;
  const std::size_t stride = 1 + count / kSampled;
  bool first = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(all[i]) || is_masked(all[i])) continue;
    out.least = first ? all[i] : std::min(out.least, all[i]);
    out.most = first ? all[i] : std::max(out.most, all[i]);
    first = false;
    if (i % stride == 0) out.sizes.push_back(std::fabs(all[i]));
  }
  return out;
}

// End of the colour range: `largest`, or the magnitude that all but a few outliers stay below.
float colour_end(const Known& values, float largest, float share) {
  if (!(largest > 0)) return 1.f;
  std::vector<float>& sizes = values.sizes;
  if (sizes.size() < kFewValues) return largest;
  const auto few = static_cast<std::ptrdiff_t>(std::max(1.f, static_cast<float>(sizes.size()) * share));
  std::nth_element(sizes.begin(), sizes.begin() + few, sizes.end(), std::greater<>());
  const float usual = sizes[static_cast<std::size_t>(few)];
  return usual > 0 && largest > kFarLarger * usual ? usual : largest;
}

}  // namespace

ValueRange signed_range(const Tensor& values) {
  const Known found = known(values);
  const float least = found.least, most = found.most;
  const float end = colour_end(found, std::max(std::fabs(least), std::fabs(most)), kShareOfFew);
  return {-end, end, least, most};
}

ValueRange upward_range(const Tensor& values, float share) {
  const Known found = known(values);
  return {0, colour_end(found, found.most, share), found.least, found.most};
}

void set_range(HeatStyle& style, const ValueRange& range, bool whole) {
  const float most = std::max(std::fabs(range.least), std::fabs(range.most));
  const bool clips = range.clipped() && !whole && !style.log_scale;
  style.hi = range.clipped() && !clips ? most : range.hi;
  style.lo = range.lo < 0 ? -style.hi : range.lo;
  style.clipped = clips;
  style.least = range.least, style.most = range.most;
}

MatrixPlot bare_plot(std::string key, const Tensor& values, const ValueRange& range, ImVec2 cell) {
  MatrixPlot plot;
  plot.key = std::move(key);
  plot.values = values;
  plot.style.map = Colormap::diverging;
  set_range(plot.style, range);
  plot.digits = 2;
  plot.cell = cell;
  plot.max_cell = 1000;
  plot.rows.show_labels = plot.cols.show_labels = false;
  plot.row_label_width = 0, plot.col_label_height = 0;
  return plot;
}

}  // namespace attnscope
