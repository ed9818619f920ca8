#include "app/views/residual_window.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {

MatrixWindow whole_cells(const MatrixWindow& before, MatrixWindow window, std::int64_t rows,
                         std::int64_t cols) {
  if (window.all()) return window;
  const auto axis = [](double& begin, double& end, double old_begin, double old_end, std::int64_t count) {
    const double total = static_cast<double>(count), size = end - begin, old = old_end - old_begin;
    if (std::fabs(size - std::round(size)) < 1e-6 && std::fabs(begin - std::round(begin)) < 1e-6) return;
    const double whole = size < old ? std::floor(size + 1e-6) : std::ceil(size - 1e-6);
    const double wanted = std::clamp(whole, std::min(2.0, total), total);
    begin = std::clamp(std::round(begin + (size - wanted) / 2), 0.0, total - wanted);
    end = begin + wanted;
  };
  const MatrixWindow old =
      before.all() ? MatrixWindow{0, 0, static_cast<double>(rows), static_cast<double>(cols)} : before;
  axis(window.row0, window.row1, old.row0, old.row1, rows);
  axis(window.col0, window.col1, old.col0, old.col1, cols);
  const bool everything = window.row1 - window.row0 > static_cast<double>(rows) - 0.5 &&
                          window.col1 - window.col0 > static_cast<double>(cols) - 0.5;
  return everything ? MatrixWindow{} : window;
}

MatrixWindow first_window(std::int64_t rows, std::int64_t cols, std::int64_t col, float fit_rows,
                          float fit_cols) {
  const double all_rows = static_cast<double>(rows), all_cols = static_cast<double>(cols);
  const double high = std::clamp(std::floor(static_cast<double>(fit_rows)), 1.0, all_rows);
  const double wide = std::clamp(std::floor(static_cast<double>(fit_cols)), 1.0, all_cols);
  if (high >= all_rows && wide >= all_cols) return {};
  const double first =
      std::clamp(std::floor(static_cast<double>(col) - wide / 2), 0.0, std::max(0.0, all_cols - wide));
  return {0, first, high, first + wide};
}

float more_height(const MatrixWindow& window) {
  return window.all() ? 0 : text_size(fonts().small, "0").y + scaled(10);
}

void offer_more(MatrixWindow& window, std::int64_t all_rows, std::int64_t all_cols, ImVec2 p0, ImVec2 p1) {
  if (window.all()) return;
  const double rows = static_cast<double>(all_rows), cols = static_cast<double>(all_cols);
  const double page_cols = window.col1 - window.col0, page_rows = window.row1 - window.row0;
  struct Edge {
    const char *id, *words;
    double hidden, by_row, by_col;
    float place, anchor;  // share of the band's width; pivot of the chip
  };
  const bool both = window.row0 >= 0.5 && rows - window.row1 >= 0.5;
  const Edge edges[] = {
      {"left", "residual.more.left", window.col0, 0, -page_cols, 0.f, 0.f},
      {"up", "residual.more.above", window.row0, -page_rows, 0, 0.5f, both ? 1.04f : 0.5f},
      {"down", "residual.more.below", rows - window.row1, page_rows, 0, 0.5f, both ? -0.04f : 0.5f},
      {"right", "residual.more.right", cols - window.col1, 0, page_cols, 1.f, 1.f}};
  const Canvas canvas;
  for (const Edge& edge : edges) {
    if (edge.hidden < 0.5) continue;
    const std::string& words =
        kept_tr(edge.words, {std::to_string(static_cast<int>(std::lround(edge.hidden)))});
    const ImVec2 text = text_size(fonts().small, words), size(text.x + scaled(14), text.y + scaled(6));
    const ImVec2 q0(p0.x + (p1.x - p0.x) * edge.place - size.x * edge.anchor, p1.y + scaled(4)),
        q1(q0.x + size.x, q0.y + size.y);
    ImGui::SetCursorScreenPos(q0);
    const Label id("###residual_more_", edge.id);
    const bool clicked = hit_area(id.c_str(), size);
    note_item(id);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    canvas.fill_rect(q0, q1, hovered ? theme().panel_raised : theme().panel, size.y / 2);
    canvas.rect(q0, q1, theme().accent, size.y / 2);
    draw_text(canvas, fonts().small, ImVec2(q0.x + scaled(7), q0.y + scaled(3)), theme().text, words);
    if (!clicked) continue;
    const double row = std::clamp(window.row0 + edge.by_row, 0.0, rows - page_rows);
    const double col = std::clamp(window.col0 + edge.by_col, 0.0, cols - page_cols);
    window = {row, col, row + page_rows, col + page_cols};
  }
}

void tint_cells(const MatrixLayout& layout, ImVec2 at, std::int64_t row, Range cols) {
  const MatrixWindow& seen = layout.seen;
  const double row0 = std::max(static_cast<double>(row), seen.row0),
               row1 = std::min(static_cast<double>(row + 1), seen.row1),
               col0 = std::max(static_cast<double>(cols.begin), seen.col0),
               col1 = std::min(static_cast<double>(cols.end), seen.col1);
  if (row0 >= row1 || col0 >= col1) return;
  const ImVec2 low = layout.corner(row0, col0), high = layout.corner(row1, col1),
               p0(at.x + low.x, at.y + low.y), p1(at.x + high.x, at.y + high.y);
  tint(p0, p1);
  note_item("shaded.matrix.residual_lens", {p0, p1});
}

}  // namespace attnscope
