#include "app/widgets/line_plot.h"

#include <algorithm>
#include <cmath>

#include "app/look/colour.h"
#include "app/look/fonts.h"
#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"

namespace attnscope {
namespace {

struct Area {
  ImVec2 p0, p1;
  const LinePlot& plot;

  float share(float x) const {
    const float width = plot.x1 - plot.x0;
    if (plot.log_x) return std::log(std::max(x, plot.x0) / plot.x0) / std::log(plot.x1 / plot.x0);
    return width != 0 ? (x - plot.x0) / width : 0;
  }
  float value(float part) const {
    return plot.log_x ? plot.x0 * std::pow(plot.x1 / plot.x0, part) : plot.x0 + (plot.x1 - plot.x0) * part;
  }
  ImVec2 place(ImVec2 point) const {
    const float height = plot.y1 - plot.y0;
    const float up = height != 0 ? (point.y - plot.y0) / height : 0;
    return ImVec2(p0.x + (p1.x - p0.x) * share(point.x), p1.y - (p1.y - p0.y) * up);
  }
};

// Round steps (1, 2, 5 times a power of ten) that give about `wanted` of them.
float round_step(float range, int wanted) {
  const float raw = std::max(range, 1e-12f) / static_cast<float>(wanted);
  const float power = std::pow(10.f, std::floor(std::log10(raw)));
  for (const float factor : {1.f, 2.f, 5.f})
    if (power * factor >= raw) return power * factor;
  return power * 10;
}

std::vector<float> ticks_of(float lo, float hi, int wanted) {
  const float step = round_step(hi - lo, wanted);
  std::vector<float> ticks;
  for (float at = std::ceil(lo / step) * step; at <= hi + step * 1e-3f && ticks.size() < 100; at += step)
    ticks.push_back(std::fabs(at) < step * 1e-3f ? 0.f : at);
  return ticks;
}

std::vector<float> x_ticks(const LinePlot& plot, float width) {
  if (!plot.log_x)
    return ticks_of(plot.x0, plot.x1, std::max(2, static_cast<int>(width / (64 * ui_scale()))));
  std::vector<float> ticks;
  for (float at = plot.x0; at <= plot.x1 * 1.001f; at *= 10) ticks.push_back(at);
  return ticks;
}

void draw_grid(ImDrawList* list, const Area& area) {
  const Theme& t = theme();
  ImFont* font = fonts().mono_small;
  const float line = text_size(font, "0").y, unit = ui_scale();
  const int rows = std::max(area.p1.y - area.p0.y > 3 * line ? 3 : 1,
                            static_cast<int>((area.p1.y - area.p0.y) / (22 * unit)));
  for (const float tick : ticks_of(area.plot.y0, area.plot.y1, rows)) {
    const float y = area.place({area.plot.x0, tick}).y;
    list->AddLine(ImVec2(area.p0.x, y), ImVec2(area.p1.x, y),
                  tick == 0 ? mix(t.border, t.text_dim, 0.5f) : t.border);
    const std::string text = short_number(static_cast<double>(tick));
    draw_text(list, font, ImVec2(area.p0.x - text_size(font, text).x - 6 * unit, y - line / 2), t.text_dim,
              text);
  }
  float free_from = -1e9f;
  for (const float tick : x_ticks(area.plot, area.p1.x - area.p0.x)) {
    const float x = area.place({tick, 0}).x;
    list->AddLine(ImVec2(x, area.p1.y), ImVec2(x, area.p1.y + 3 * unit), t.border);
    const std::string text = short_number(static_cast<double>(tick));
    const float width = text_size(font, text).x;
    if (x - width / 2 < free_from || x + width / 2 > area.p1.x + 12 * unit) continue;
    draw_text(list, font, ImVec2(x - width / 2, area.p1.y + 4 * unit), t.text_dim, text);
    free_from = x + width / 2 + 6 * unit;
  }
}

void draw_dashes(ImDrawList* list, const std::vector<ImVec2>& at, ImU32 colour, float thickness) {
  float along = 0;
  const float period = 8 * ui_scale();
  for (std::size_t i = 1; i < at.size(); ++i) {
    const float length = std::hypot(at[i].x - at[i - 1].x, at[i].y - at[i - 1].y);
    const int pieces = std::max(1, static_cast<int>(length / (period / 4)));
    for (int piece = 0; piece < pieces; ++piece) {
      const float a = static_cast<float>(piece) / static_cast<float>(pieces);
      const float b = static_cast<float>(piece + 1) / static_cast<float>(pieces);
      const auto between = [&](float s) {
        return ImVec2(at[i - 1].x + (at[i].x - at[i - 1].x) * s, at[i - 1].y + (at[i].y - at[i - 1].y) * s);
      };
      if (std::fmod(along + length * a, period) < period * 0.55f)
        list->AddLine(between(a), between(b), colour, thickness);
    }
    along += length;
  }
}

void draw_series(ImDrawList* list, const Area& area, const LineSeries& series) {
  std::vector<ImVec2> at;
  for (const ImVec2 point : series.points)
    if (std::isfinite(point.y)) at.push_back(area.place(point));
  const float thickness = 1.8f * ui_scale();
  if (series.dashed)
    draw_dashes(list, at, series.colour, thickness);
  else
    list->AddPolyline(at.data(), static_cast<int>(at.size()), series.colour, 0, thickness);
  const float room = at.size() > 1 ? (at.back().x - at.front().x) / static_cast<float>(at.size() - 1) : 100.f;
  if (series.dots && room > 5 * ui_scale())
    for (const ImVec2 p : at) list->AddCircleFilled(p, 2.6f * ui_scale(), series.colour);
}

// Labels in one row over the plot; returns nothing where no series has one.
void draw_line_legend(ImDrawList* list, const LinePlot& plot, ImVec2 at, float right) {
  const float unit = ui_scale(), line = text_size(fonts().small, "X").y;
  for (const LineSeries& series : plot.series) {
    if (series.label.empty()) continue;
    const float room = right - at.x - 22 * unit;
    if (room < 24 * unit) return;
    const std::string text = middle_truncated(fonts().small, series.label, room);
    const ImVec2 a(at.x, at.y + line / 2), b(at.x + 16 * unit, at.y + line / 2);
    if (series.dashed)
      draw_dashes(list, {a, b}, series.colour, 2 * unit);
    else
      list->AddLine(a, b, series.colour, 2 * unit);
    draw_text(list, fonts().small, ImVec2(at.x + 21 * unit, at.y), theme().text_dim, text);
    at.x += 21 * unit + text_size(fonts().small, text).x + 16 * unit;
  }
}

float label_width(const LinePlot& plot) {
  if (plot.left >= 0) return plot.left;
  float widest = 0;
  for (const float tick : ticks_of(plot.y0, plot.y1, 4))
    widest = std::max(widest, text_size(fonts().mono_small, short_number(static_cast<double>(tick))).x);
  return widest + 10 * ui_scale();
}

}  // namespace

void fit_y(LinePlot& plot) {
  float lo = INFINITY, hi = -INFINITY;
  for (const LineSeries& series : plot.series)
    for (const ImVec2 point : series.points)
      if (std::isfinite(point.y)) lo = std::min(lo, point.y), hi = std::max(hi, point.y);
  if (lo > hi) lo = 0, hi = 1;
  const float air = std::max((hi - lo) * 0.06f, std::max(std::fabs(hi), 1e-6f) * 1e-3f);
  plot.y0 = lo - air;
  plot.y1 = hi + air;
}

LineEvent draw_line_plot(const LinePlot& plot, ImVec2 at, ImVec2 size) {
  const float unit = ui_scale(), line = text_size(fonts().mono_small, "0").y;
  const bool legend =
      std::any_of(plot.series.begin(), plot.series.end(), [](const auto& s) { return !s.label.empty(); });
  const float top = legend ? text_size(fonts().small, "X").y + 6 * unit : 5 * unit;
  const float below =
      line + 6 * unit + (plot.x_title.empty() ? 0 : text_size(fonts().small, "X").y + 1 * unit);
  const Area area{ImVec2(at.x + label_width(plot), at.y + top),
                  ImVec2(at.x + size.x - 8 * unit, at.y + std::max(size.y - below, top + 10)), plot};
  LineEvent event;
  if (area.p1.x - area.p0.x < 10 * unit || area.p1.y - area.p0.y < 10 * unit) return event;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(area.p0);
  event.clicked =
      ImGui::InvisibleButton(plot.key.c_str(), ImVec2(area.p1.x - area.p0.x, area.p1.y - area.p0.y));
  note_item(plot.key);
  event.hovered = ImGui::IsItemHovered();
  event.x = area.value((ImGui::GetIO().MousePos.x - area.p0.x) / (area.p1.x - area.p0.x));
  draw_grid(list, area);
  list->PushClipRect(ImVec2(area.p0.x - 3, area.p0.y - 3), ImVec2(area.p1.x + 3, area.p1.y + 3), true);
  for (const float y : plot.y_marks)
    list->AddLine(ImVec2(area.p0.x, area.place({0, y}).y), ImVec2(area.p1.x, area.place({0, y}).y),
                  theme().warning, 1.5f * unit);
  for (const float x : plot.x_marks)
    list->AddLine(ImVec2(area.place({x, 0}).x, area.p0.y), ImVec2(area.place({x, 0}).x, area.p1.y),
                  theme().warning, 1.5f * unit);
  for (const LineSeries& series : plot.series) draw_series(list, area, series);
  list->PopClipRect();
  if (legend) draw_line_legend(list, plot, ImVec2(area.p0.x, at.y), area.p1.x);
  if (!plot.x_title.empty()) {
    const float width = text_size(fonts().small, plot.x_title).x;
    draw_text(list, fonts().small, ImVec2((area.p0.x + area.p1.x - width) / 2, area.p1.y + line + 5 * unit),
              theme().text_dim, plot.x_title);
  }
  return event;
}

}  // namespace attnscope
