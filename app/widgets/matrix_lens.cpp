#include "app/widgets/matrix_lens.h"

#include <algorithm>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_parts.h"

namespace attnscope {
namespace {

constexpr std::int64_t kLensRows = 5, kLensCols = 7;
constexpr float kCellWide = 54, kCellTall = 26, kMatrixLensLabel = 74, kPad = 8, kAway = 18;  // units

struct LensState {
  bool on = false, shown = false;
  std::vector<HiddenCells> hidden = {};
};
LensState& state() {
  static LensState all;
  return all;
}

struct Shown {
  std::int64_t first = 0, count = 0;
};
// `most` entries around `at`, clamped to 0 .. size.
Shown around(std::int64_t at, std::int64_t size, std::int64_t most) {
  const std::int64_t count = std::min(size, most);
  return {std::clamp<std::int64_t>(at - count / 2, 0, size - count), count};
}

// Upper left corner at which the lens covers neither the mouse pointer nor leaves the screen.
ImVec2 corner_for(ImVec2 size) {
  const ImVec2 at = ImGui::GetIO().MousePos, screen = ImGui::GetIO().DisplaySize;
  const float away = kAway * ui_scale();
  const float x = at.x + away + size.x <= screen.x ? at.x + away : std::max(0.f, at.x - away - size.x);
  const float y = at.y - away - size.y >= 0 ? at.y - away - size.y
                                            : std::min(at.y + away, std::max(0.f, screen.y - size.y));
  return ImVec2(x, y);
}

}  // namespace

void set_matrix_lens(bool on) { state().on = on, state().shown = false; }
void hide_from_lens(std::vector<HiddenCells> cells) { state().hidden = std::move(cells); }
bool lens_hides(const std::string& key, std::int64_t row, std::int64_t col) {
  const auto& hidden = state().hidden;
  return std::any_of(hidden.begin(), hidden.end(), [&](const HiddenCells& cells) {
    return cells.matrix.ends_with("matrix." + key) && row >= cells.row0 && row < cells.row1 &&
           col >= cells.col0 && col < cells.col1;
  });
}
bool matrix_lens_shown() { return state().shown; }

void draw_matrix_lens(const MatrixPlot& plot, const MatrixEvent& event) {
  if (!state().on || !event.hovered() || event.numbers) return;
  state().shown = true;
  const float unit = ui_scale(), line = text_size(fonts().mono_small, "X").y;
  const Shown rows = around(event.row, matrix_rows(plot), kLensRows),
              cols = around(event.col, matrix_cols(plot), kLensCols);
  const ImVec2 cell(kCellWide * unit, kCellTall * unit);
  const ImVec2 size(kMatrixLensLabel * unit + cell.x * static_cast<float>(cols.count) + 2 * kPad * unit,
                    line + 4 * unit + cell.y * static_cast<float>(rows.count) + 2 * kPad * unit);
  const ImVec2 p0 = corner_for(size), p1(p0.x + size.x, p0.y + size.y);
  const Canvas canvas(ImGui::GetForegroundDrawList());
  canvas.fill_rect(p0, p1, theme().panel, 6 * unit);
  canvas.rect(p0, p1, theme().accent, 6 * unit, 0, 2 * unit);
  const ImVec2 cells(p0.x + (kPad + kMatrixLensLabel) * unit, p0.y + kPad * unit + line + 4 * unit);
  const auto corner = [&](std::int64_t row, std::int64_t col) {
    return ImVec2(cells.x + cell.x * static_cast<float>(col - cols.first),
                  cells.y + cell.y * static_cast<float>(row - rows.first));
  };
  for (std::int64_t col = cols.first; col < cols.first + cols.count; ++col) {
    const std::string name(
        middle_truncated(fonts().mono_small, axis_label(plot.cols, col), cell.x - 4 * unit));
    draw_text(
        canvas, fonts().mono_small,
        ImVec2(corner(0, col).x + (cell.x - text_size(fonts().mono_small, name).x) / 2, p0.y + kPad * unit),
        col == event.col ? theme().text : theme().text_dim, name);
  }
  for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
    const std::string name(
        middle_truncated(fonts().mono_small, axis_label(plot.rows, row), (kMatrixLensLabel - 8) * unit));
    const float y = corner(row, cols.first).y + (cell.y - line) / 2;
    draw_text(canvas, fonts().mono_small,
              ImVec2(cells.x - 8 * unit - text_size(fonts().mono_small, name).x, y),
              row == event.row ? theme().text : theme().text_dim, name);
    for (std::int64_t col = cols.first; col < cols.first + cols.count; ++col) {
      const std::int64_t r = row - plot.first_row, c = col - plot.first_col;
      if (r < 0 || c < 0 || r >= plot.values.size(0) || c >= plot.values.size(1)) continue;
      const float value = plot.values.at(r, c);
      const ImVec2 at = corner(row, col), end(at.x + cell.x - unit, at.y + cell.y - unit);
      const bool hidden = lens_hides(plot.key, row, col);
      const ImU32 colour = hidden             ? theme().panel_raised
                           : is_masked(value) ? theme().masked
                                              : heat_colour(value, plot.style);
      canvas.fill_rect(at, end, colour, 2 * unit);
      const std::string text = hidden ? "?" : number_text(value / plot.number_unit, plot.digits);
      const ImVec2 wide = text_size(fonts().mono_small, text);
      draw_text(canvas, fonts().mono_small,
                ImVec2(at.x + (cell.x - wide.x) / 2, at.y + (cell.y - wide.y) / 2),
                is_masked(value) ? theme().text_dim : ink_on(colour), text);
    }
  }
  const ImVec2 here = corner(event.row, event.col);
  canvas.rect(here, ImVec2(here.x + cell.x, here.y + cell.y), theme().accent, 2 * unit, 0, 2 * unit);
}

}  // namespace attnscope
