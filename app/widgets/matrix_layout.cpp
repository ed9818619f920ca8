// Layout of a matrix plot, without drawing: rectangles of cells and labels, hit test, zoom and pan of the
// visible window.
#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_parts.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMeasuredLabels = 64;  // labels measured to find the widest
constexpr float kLetters = 0.76f;             // height of letters as a share of the line

// Widest visible label in pixels; entries that are shown as a picture instead have no label.
float widest_label(const MatrixAxis& axis, double begin, double end, bool pictures_instead = false) {
  ImFont* font = pictures_instead && axis.pictures ? fonts().mono_small : label_font(axis);
  const auto first = static_cast<std::int64_t>(begin), last = static_cast<std::int64_t>(std::ceil(end));
  const std::int64_t step = std::max<std::int64_t>(1, (last - first) / kMeasuredLabels);
  float widest = 0;
  for (std::int64_t at = first; at < last; at += step)
    if (!pictures_instead || !axis.pictures || axis.pictures->patch(at) < 0)
      widest = std::max(widest, text_size(font, axis_label(axis, at)).x);
  return widest;
}

float row_labels_width(const MatrixPlot& plot, const MatrixWindow& seen) {
  if (plot.row_label_width >= 0) return plot.row_label_width;
  if (!plot.rows.show_labels) return 0;
  const float unit = ui_scale();
  return std::min(widest_label(plot.rows, seen.row0, seen.row1), 110 * unit) + 8 * unit +
         picture_room(plot.rows);
}

// Length of the slanted label of the last visible column; 0 where a patch picture replaces it.
float last_label_width(const MatrixPlot& plot, const MatrixWindow& seen) {
  const double end = std::ceil(seen.col1);
  return std::min(widest_label(plot.cols, end - 1, end, true), kLongestSlanted * ui_scale());
}

float title_height(const MatrixPlot& plot) {
  const bool any = !plot.rows.title.empty() || !plot.cols.title.empty();
  return any ? text_size(fonts().small, "X").y + 4 * ui_scale() : 0;
}

float column_labels_height(const MatrixPlot& plot, bool slanted, float widest) {
  if (!plot.cols.show_labels) return 0;
  const float line = text_size(label_font(plot.cols), "X").y, unit = ui_scale();
  const float words =
      slanted ? std::min(widest, kLongestSlanted * unit) * kSlantSine + line : line + 4 * unit;
  return std::max(words, picture_room(plot.cols));
}

std::int64_t stride_for(float needed, float cell) {
  if (cell >= needed) return 1;
  const auto least = static_cast<std::int64_t>(std::ceil(needed / std::max(cell, 1e-3f)));
  std::int64_t power = 1;
  while (power * 10 < least) power *= 10;
  for (const std::int64_t factor : {1, 2, 5, 10})
    if (power * factor >= least) return power * factor;
  return least;
}

ImVec2 fitted_cell(const MatrixPlot& plot, ImVec2 room, double columns, double rows) {
  if (plot.cell.x > 0 && plot.cell.y > 0) return plot.cell;
  const float unit = ui_scale();
  const float width = std::min(room.x / static_cast<float>(columns), plot.max_cell * unit);
  const float height = std::min(room.y / static_cast<float>(rows), plot.max_cell * plot.aspect * unit);
  // Large cells keep their aspect; small ones are as square as the available size allows.
  const float tall = std::min(height, std::max(width * plot.aspect, std::min(width, 24 * unit)));
  const float wide = std::min(width, std::max(tall / plot.aspect, 1e-3f) * (height < 12 * unit ? 4.f : 2.4f));
  return ImVec2(std::max(wide, 1e-3f), std::max(tall, 1e-3f));
}

}  // namespace

float picture_room(const MatrixAxis& axis) {
  return axis.pictures ? (kPictureSide + kPictureGap) * ui_scale() : 0;
}

ImFont* label_font(const MatrixAxis& axis) {
  const bool words = axis.label_of || !axis.labels.empty();
  return words ? fonts().mono_small : fonts().small;
}

std::string axis_label(const MatrixAxis& axis, std::int64_t at) {
  if (axis.label_of) return axis.label_of(at);
  if (axis.labels.empty()) return std::to_string(at);
  return at >= 0 && at < static_cast<std::int64_t>(axis.labels.size())
             ? axis.labels[static_cast<std::size_t>(at)]
             : std::string();
}

std::int64_t matrix_rows(const MatrixPlot& plot) {
  if (plot.total_rows > 0) return plot.total_rows;
  return plot.values.rank() >= 2 ? plot.values.size(0) : plot.values.rank();  // a vector is shown as one row
}
std::int64_t matrix_cols(const MatrixPlot& plot) {
  if (plot.total_cols > 0) return plot.total_cols;
  return plot.values.rank() >= 1 ? plot.values.size(plot.values.rank() - 1) : 0;
}

MatrixWindow inside(MatrixWindow window, std::int64_t rows, std::int64_t cols) {
  const auto axis = [](double& begin, double& end, double size) {
    if (begin >= 0 && end <= size && end - begin >= 1) return;
    const double span = std::clamp(end - begin, std::min(1.0, size), size);
    begin = std::clamp(begin, 0.0, size - span);
    end = begin + span;
  };
  if (window.all()) return {0, 0, static_cast<double>(rows), static_cast<double>(cols)};
  axis(window.row0, window.row1, static_cast<double>(rows));
  axis(window.col0, window.col1, static_cast<double>(cols));
  return window;
}

MatrixLayout matrix_layout(const MatrixPlot& plot, ImVec2 size) {
  MatrixLayout out;
  out.seen = inside(plot.window ? *plot.window : MatrixWindow{}, std::max<std::int64_t>(matrix_rows(plot), 1),
                    std::max<std::int64_t>(matrix_cols(plot), 1));
  const double seen_rows = out.seen.row1 - out.seen.row0, seen_cols = out.seen.col1 - out.seen.col0;
  const float left = row_labels_width(plot, out.seen), title = title_height(plot);
  const float widest =
      plot.cols.show_labels ? widest_label(plot.cols, out.seen.col0, out.seen.col1, true) : 0;
  const float line = text_size(label_font(plot.cols), "X").y;
  const auto top_for = [&](bool slanted) {
    return plot.col_label_height >= 0 ? plot.col_label_height
                                      : title + column_labels_height(plot, slanted, widest);
  };
  const auto cell_for = [&](float top) {
    return fitted_cell(plot, ImVec2(std::max(size.x - left - out.beyond, 1.f), std::max(size.y - top, 1.f)),
                       seen_cols, seen_rows);
  };
  float top = top_for(false);
  out.cell = cell_for(top);
  const bool words = plot.cols.label_of || !plot.cols.labels.empty();
  if (words && widest + 4 * ui_scale() > out.cell.x && out.cell.x < 58 * ui_scale()) {
    out.slanted = true;
    out.beyond = std::max(0.f, last_label_width(plot, out.seen) * kSlantCosine + line / 2 - out.cell.x / 2);
    top = top_for(true);
    out.cell = cell_for(top);
  }
  const float needed = out.slanted ? line : words ? std::min(widest, out.cell.x) : widest + 8 * ui_scale();
  out.col_stride = stride_for(needed, out.cell.x);
  out.row_stride = stride_for(line * kLetters, out.cell.y);
  out.cells0 = ImVec2(left, top);
  out.cells1 = ImVec2(left + out.cell.x * static_cast<float>(seen_cols),
                      top + out.cell.y * static_cast<float>(seen_rows));
  return out;
}

ImVec2 matrix_size(const MatrixPlot& plot, ImVec2 available) { return matrix_layout(plot, available).cells1; }

void fill_room(MatrixPlot& plot, ImVec2 room, ImVec2 most) {
  const float edge = 4 * ui_scale();
  const auto per = [](float length, double count) { return length / static_cast<float>(count); };
  const MatrixLayout first = matrix_layout(plot, room);
  plot.cell = ImVec2(
      std::min(per(room.x - first.cells0.x - first.beyond - edge, first.seen.col1 - first.seen.col0), most.x),
      1.f);
  const MatrixLayout fitted = matrix_layout(plot, room);  // the new cell size may slant other labels
  plot.cell.x = std::min(
      plot.cell.x, per(room.x - fitted.cells0.x - fitted.beyond - edge, fitted.seen.col1 - fitted.seen.col0));
  plot.cell.y =
      std::clamp(per(room.y - fitted.cells0.y - edge, fitted.seen.row1 - fitted.seen.row0), 1e-3f, most.y);
}

ImVec2 MatrixLayout::corner(double row, double col) const {
  return ImVec2(cells0.x + static_cast<float>(col - seen.col0) * cell.x,
                cells0.y + static_cast<float>(row - seen.row0) * cell.y);
}

bool MatrixLayout::hit(ImVec2 point, std::int64_t& row, std::int64_t& col) const {
  if (point.x < cells0.x || point.y < cells0.y || point.x >= cells1.x || point.y >= cells1.y) return false;
  row = static_cast<std::int64_t>(std::floor(seen.row0 + static_cast<double>((point.y - cells0.y) / cell.y)));
  col = static_cast<std::int64_t>(std::floor(seen.col0 + static_cast<double>((point.x - cells0.x) / cell.x)));
  return true;
}

MatrixWindow zoomed(MatrixWindow window, double row, double col, double factor, std::int64_t rows,
                    std::int64_t cols) {
  window = inside(window, rows, cols);
  const auto axis = [&](double& begin, double& end, double centre, double size) {
    const double span = std::clamp((end - begin) / factor, std::min(2.0, size), size);
    const double share = end > begin ? (centre - begin) / (end - begin) : 0.5;
    begin = std::clamp(centre - share * span, 0.0, size - span);
    end = begin + span;
  };
  axis(window.row0, window.row1, row, static_cast<double>(rows));
  axis(window.col0, window.col1, col, static_cast<double>(cols));
  const bool whole = window.row1 - window.row0 >= static_cast<double>(rows) - 1e-9 &&
                     window.col1 - window.col0 >= static_cast<double>(cols) - 1e-9;
  return whole ? MatrixWindow{} : window;
}

}  // namespace attnscope
