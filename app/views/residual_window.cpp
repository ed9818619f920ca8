#include "app/views/residual_window.h"

#include <algorithm>
#include <cmath>
#include <string>

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

void offer_more(MatrixWindow& window, std::int64_t all_rows, std::int64_t all_cols, ImVec2 p0, ImVec2 p1,
                bool buttons) {
  if (window.all()) return;
  const double rows = static_cast<double>(all_rows), cols = static_cast<double>(all_cols);
  struct Edge {
    const char *id, *sign;
    double hidden, by_row, by_col;
    ImVec2 at;
  };
  const ImVec2 middle((p0.x + p1.x) / 2, (p0.y + p1.y) / 2);
  const double page_cols = window.col1 - window.col0, page_rows = window.row1 - window.row0;
  const Edge edges[] = {{"left", "‹", window.col0, 0, -page_cols, ImVec2(p0.x, middle.y)},
                        {"right", "›", cols - window.col1, 0, page_cols, ImVec2(p1.x, middle.y)},
                        {"up", "", window.row0, -page_rows, 0, ImVec2(middle.x, p0.y)},
                        {"down", "", rows - window.row1, page_rows, 0, ImVec2(middle.x, p1.y)}};
  const Canvas canvas;
  for (const Edge& edge : edges) {
    if (edge.hidden < 0.5) continue;
    const std::string count = std::to_string(static_cast<int>(std::lround(edge.hidden)));
    const bool sideways = edge.by_col != 0;
    const std::string words =
        sideways ? edge.by_col < 0 ? edge.sign + (" " + count) : count + " " + edge.sign
                 : tr(edge.by_row < 0 ? "residual.more.above" : "residual.more.below", {count});
    const ImVec2 size = text_size(fonts().small, words), half(size.x / 2 + scaled(7), size.y / 2 + scaled(3));
    ImVec2 centre = edge.at;
    if (sideways) centre.x += edge.by_col < 0 ? half.x + scaled(2) : -half.x - scaled(2);
    if (!sideways) centre.y += edge.by_row < 0 ? half.y + scaled(2) : -half.y - scaled(2);
    const ImVec2 q0(centre.x - half.x, centre.y - half.y), q1(centre.x + half.x, centre.y + half.y);
    if (!buttons) {
      canvas.fill_rect(q0, q1, theme().panel, half.y);
      canvas.rect(q0, q1, theme().accent, half.y);
      draw_text(canvas, fonts().small, ImVec2(q0.x + scaled(7), q0.y + scaled(3)), theme().text, words);
      continue;
    }
    ImGui::SetCursorScreenPos(q0);
    const std::string id = std::string("residual_more_") + edge.id;
    const bool clicked = ImGui::InvisibleButton(("###" + id).c_str(), ImVec2(2 * half.x, 2 * half.y));
    note_item(id);
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!clicked) continue;
    const double row = std::clamp(window.row0 + edge.by_row, 0.0, rows - page_rows);
    const double col = std::clamp(window.col0 + edge.by_col, 0.0, cols - page_cols);
    window = {row, col, row + page_rows, col + page_cols};
  }
}

}  // namespace attnscope
