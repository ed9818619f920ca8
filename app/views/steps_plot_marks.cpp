// What stands around the matrices of a step's figure: titles, signs between them, guides.
#include <algorithm>
#include <cmath>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"
#include "core/base/power_text.h"

namespace attnscope {

float FigurePlot::number_unit(std::size_t index, const Operand& operand) const {
  const float most = std::max(std::fabs(ranges_[index].lo), std::fabs(ranges_[index].hi));
  if (!operand.gradient || !(most > 0.f) || most >= 0.1f) return 1.f;
  return std::pow(10.f, std::floor(std::log10(most)));
}

// A title may reach over its neighbour's cells, up to whatever else stands at its height.
float FigurePlot::title_room(const Panel& panel) const {
  const float x = panel.position.x + panel.labels + panel.indent, y = panel.position.y;
  const float line = text_size(fonts().small, "X").y, gap = 8 * ui_scale();
  float next = FLT_MAX;
  for (const Panel& other : panels_)
    if (const float at = other.position.x + other.labels + other.indent;
        at > x && other.position.y < y + line && other.position.y + other.size.y > y)
      next = std::min(next, at - gap);
  const float own = std::max(panel.size.x - panel.labels, 64 * ui_scale());
  return next < FLT_MAX ? std::max(own, next - x) : own;
}

// A result below its factor has no header: its title is in the gap.
void FigurePlot::draw_title(const Operand& operand, const Panel& panel, float unit) const {
  std::string_view title = operand.title;
  if (unit < 1.f)
    title = kept_tr("steps.back.titled_unit",
                    {title, power_of_ten(static_cast<int>(std::lround(std::log10(unit))))});
  const FittedText shown = fitted_text(fonts().small, title, title_room(panel));
  const float above = panel.header > 0 ? 0.f : text_size(fonts().small, title).y + 4 * ui_scale();
  Canvas().text(fonts().small,
                ImVec2(panel.position.x + panel.labels + panel.indent, panel.position.y - above),
                operand.colour ? operand.colour : theme().text_dim, shown.text, shown.size);
}

void FigurePlot::draw_signs(const Figure&) const {
  const Canvas canvas;
  for (const auto& [at, sign] : signs_) {
    const ImVec2 size = text_size(fonts().title, sign);
    draw_text(canvas, fonts().title, ImVec2(at.x - size.x / 2, at.y - size.y / 2), theme().text_dim, sign);
  }
}

// Dashed lines from the highlighted factors to the cell of the result.
void FigurePlot::draw_guides(const Figure& figure, const FigureMarks& marks) const {
  const int result = figure.result();
  if (figure.layout != Figure::Layout::product || result < 0) return;
  const auto at = static_cast<std::size_t>(result);
  if (marks.size() <= at || marks[at].empty() || marks[0].empty() || marks[1].empty()) return;
  ImVec2 p0, p1;
  if (!cell_rect({result, marks[at].back().row, marks[at].back().col}, p0, p1)) return;
  const Canvas canvas;
  const float unit = ui_scale(), dash = 4 * unit;
  const ImVec2 middle((p0.x + p1.x) / 2, (p0.y + p1.y) / 2);
  const ImU32 left = figure.operands[0].colour, top = figure.operands[1].colour;
  for (float x = panels_[0].event.p1.x + 3 * unit; x < panels_[at].event.p0.x - 2 * unit; x += 2 * dash)
    canvas.line(ImVec2(x, middle.y), ImVec2(std::min(x + dash, panels_[at].event.p0.x), middle.y), left,
                1.3f * unit);
  for (float y = panels_[1].event.p1.y + 3 * unit; y < panels_[at].event.p0.y - 2 * unit; y += 2 * dash)
    canvas.line(ImVec2(middle.x, y), ImVec2(middle.x, std::min(y + dash, panels_[at].event.p0.y)), top,
                1.3f * unit);
}

}  // namespace attnscope
