#include "app/widgets/line_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/look/colour.h"
#include "app/look/fonts.h"
#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_plot.h"
#include "core/base/text.h"

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
  float up(float y) const {
    if (plot.log_y) return std::log(std::max(y, plot.y0) / plot.y0) / std::log(plot.y1 / plot.y0);
    return plot.y1 != plot.y0 ? (y - plot.y0) / (plot.y1 - plot.y0) : 0;
  }
  bool shown(float y) const { return std::isfinite(y) && (!plot.log_y || y > 0); }
  ImVec2 place(ImVec2 point) const {
    const float up = this->up(point.y);
    return ImVec2(p0.x + (p1.x - p0.x) * share(point.x), p1.y - (p1.y - p0.y) * up);
  }
};

// Round tick step (1, 2 or 5 times a power of ten) that gives about `wanted` ticks.
float round_step(float range, int wanted) {
  const float raw = std::max(range, 1e-12f) / static_cast<float>(wanted);
  const float power = std::pow(10.f, std::floor(std::log10(raw)));
  for (const float factor : {1.f, 2.f, 5.f})
    if (power * factor >= raw) return power * factor;
  return power * 10;
}

/// Tick positions of an axis, at most a hundred.
class Ticks {
 public:
  bool full() const { return count_ == places_.size(); }
  void add(float place) {
    if (!full()) places_[count_++] = place;
  }
  const float* begin() const { return places_.data(); }
  const float* end() const { return places_.data() + count_; }

 private:
  std::array<float, 100> places_{};
  std::size_t count_ = 0;
};

// At least two ticks where a round step allows it: one tick does not define a scale.
Ticks ticks_of(float lo, float hi, int wanted) {
  float step = round_step(hi - lo, wanted);
  for (int more = wanted + 1; std::floor(hi / step) <= std::ceil(lo / step) && more <= wanted + 3; ++more)
    step = round_step(hi - lo, more);
  Ticks ticks;
  for (float at = std::ceil(lo / step) * step; at <= hi + step * 1e-3f && !ticks.full(); at += step)
    ticks.add(std::fabs(at) < step * 1e-3f ? 0.f : at);
  return ticks;
}

// Powers of ten, with 2x and 5x of them when few; for a range within a decade, linear round steps.
Ticks log_ticks(float lo, float hi, int wanted) {
  const float decades = std::log10(hi / lo);
  if (decades < 0.7f) return ticks_of(lo, hi, wanted);
  Ticks ticks;
  const int every = std::max(1, static_cast<int>(decades / static_cast<float>(std::max(1, wanted))));
  const int first = static_cast<int>(std::floor(std::log10(lo)));
  for (int power = first; !ticks.full(); power += every) {
    const float ten = std::pow(10.f, static_cast<float>(power));
    if (ten > hi * 1.001f) break;
    for (const float factor : {1.f, 2.f, 5.f})
      if ((factor == 1.f || decades < 1.6f) && ten * factor >= lo * 0.999f && ten * factor <= hi * 1.001f)
        ticks.add(ten * factor);
  }
  return ticks;
}

Ticks y_ticks(const LinePlot& plot, int wanted) {
  return plot.log_y ? log_ticks(plot.y0, plot.y1, wanted) : ticks_of(plot.y0, plot.y1, wanted);
}

Ticks x_ticks(const LinePlot& plot, float width) {
  int wanted = std::max(2, static_cast<int>(width / (64 * ui_scale())));
  if (plot.counts_x) wanted = std::clamp(static_cast<int>(plot.x1 - plot.x0), 1, wanted);
  return plot.log_x ? log_ticks(plot.x0, plot.x1, wanted) : ticks_of(plot.x0, plot.x1, wanted);
}

// Whole numbers from 1000 on are written in full: steps and counts.
std::string x_text(const LinePlot& plot, float tick) {
  const bool whole =
      !plot.log_x && std::fabs(tick) >= 1000 && std::fabs(tick) < 1e7f && std::round(tick) == tick;
  return whole ? format_count(static_cast<std::int64_t>(tick)) : short_number(static_cast<double>(tick));
}

ImFont* tick_font(const LinePlot& plot) { return plot.large ? fonts().mono : fonts().mono_small; }
ImFont* legend_font(const LinePlot& plot) { return plot.large ? fonts().reading : fonts().small; }
ImFont* plot_title_font(const LinePlot& plot) {
  return plot.large ? fonts().reading_bold : fonts().body_bold;
}

// Number of tick labels that fit into the height of the plot.
int label_rows(const LinePlot& plot, float height) {
  const float line = text_size(tick_font(plot), "0").y;
  return std::max(height > 3 * line ? 3 : 1, static_cast<int>(height / (22 * ui_scale())));
}

void draw_grid(const Canvas& canvas, const Area& area) {
  const Theme& t = theme();
  ImFont* font = tick_font(area.plot);
  const float line = text_size(font, "0").y, unit = ui_scale();
  const int rows = label_rows(area.plot, area.p1.y - area.p0.y);
  for (const float tick : y_ticks(area.plot, rows)) {
    const float y = area.place({area.plot.x0, tick}).y;
    canvas.line(ImVec2(area.p0.x, y), ImVec2(area.p1.x, y),
                tick == 0 ? mix(t.border, t.text_dim, 0.5f) : t.border);
    const std::string text = short_number(static_cast<double>(tick));
    draw_text(canvas, font, ImVec2(area.p0.x - text_size(font, text).x - 6 * unit, y - line / 2), t.text_dim,
              text);
  }
  float free_from = -1e9f;
  for (const float tick : x_ticks(area.plot, area.p1.x - area.p0.x)) {
    const float x = area.place({tick, area.plot.y0}).x;
    canvas.line(ImVec2(x, area.p1.y), ImVec2(x, area.p1.y + 3 * unit), t.border);
    const std::string text = x_text(area.plot, tick);
    const float width = text_size(font, text).x;
    if (x - width / 2 < free_from || x + width / 2 > area.p1.x + 12 * unit) continue;
    draw_text(canvas, font, ImVec2(x - width / 2, area.p1.y + 4 * unit), t.text_dim, text);
    free_from = x + width / 2 + 6 * unit;
  }
}

void draw_dashes(const Canvas& canvas, std::span<const ImVec2> at, ImU32 colour, float thickness) {
  float along = 0;
  constexpr float kDashShare = 0.55f;  // of a period; the rest is the gap
  const float period = 8 * ui_scale();
  for (std::size_t i = 1; i < at.size(); ++i) {
    const float length = std::hypot(at[i].x - at[i - 1].x, at[i].y - at[i - 1].y);
    const auto between = [&](float from) {
      const float share = length > 0 ? from / length : 0;
      return ImVec2(at[i - 1].x + (at[i].x - at[i - 1].x) * share,
                    at[i - 1].y + (at[i].y - at[i - 1].y) * share);
    };
    const auto first = static_cast<int>(along / period), last = static_cast<int>((along + length) / period);
    for (int dash = first; dash <= last; ++dash) {
      const float begin = static_cast<float>(dash) * period - along;
      const float from = std::max(begin, 0.f), to = std::min(begin + period * kDashShare, length);
      if (to > from) canvas.line(between(from), between(to), colour, thickness);
    }
    along += length;
  }
}

void draw_series(const Canvas& canvas, const Area& area, const LineSeries& series) {
  static std::vector<ImVec2> at;  // reused between calls
  at.clear();
  for (const ImVec2 point : series.points)
    if (area.shown(point.y)) at.push_back(area.place(point));
  if (series.pixel > 0) {
    const float half = (area.place({series.pixel, 0}).x - area.place({0, 0}).x) / 2;
    for (const ImVec2 p : at)
      canvas.fill_rect(ImVec2(p.x - half, p.y - half), ImVec2(p.x + half, p.y + half), series.colour);
    return;
  }
  const float thickness = 1.8f * ui_scale();
  if (series.dashed)
    draw_dashes(canvas, at, series.colour, thickness);
  else if (series.line)
    canvas.polyline(at, series.colour, false, thickness);
  const float room = at.size() > 1 ? (at.back().x - at.front().x) / static_cast<float>(at.size() - 1) : 100.f;
  if (!series.line || (series.dots && room > 5 * ui_scale()))
    for (const ImVec2 p : at) canvas.fill_circle(p, 2.6f * ui_scale(), series.colour);
}

// Pixels that the labels of all series take in letters of `font`, with their signs and gaps.
float legend_width(const LinePlot& plot, ImFont* font) {
  float out = 0;
  for (const LineSeries& series : plot.series)
    if (!series.label.empty()) out += text_size(font, series.label).x + 37 * ui_scale();
  return out;
}

// Legend labels in one row over the plot, beside its title, which has smaller letters where they need the
// room; draws nothing when no series has a label.
void draw_line_legend(const Canvas& canvas, const LinePlot& plot, ImVec2 at, float right) {
  const float unit = ui_scale(), line = text_size(legend_font(plot), "X").y;
  if (!plot.title.empty()) {
    const float left = right - at.x - legend_width(plot, legend_font(plot)), gap = 16 * unit;
    FittedText title = fitted_text(plot_title_font(plot), plot.title, std::max(left - gap, 0.f));
    if (title.text != plot.title) title = fitted_text(plot_title_font(plot), plot.title, right - at.x);
    const float drop = (text_size(plot_title_font(plot), "X").y - line) / 2;
    canvas.text(plot_title_font(plot), ImVec2(at.x, at.y - drop), theme().text, title.text, title.size);
    at.x += title.width + gap;
  }
  for (const LineSeries& series : plot.series) {
    if (series.label.empty()) continue;
    const float room = right - at.x - 22 * unit;
    if (room < 24 * unit) return;
    const FittedText text = fitted_text(legend_font(plot), series.label, room);
    const ImVec2 a(at.x, at.y + line / 2), b(at.x + 16 * unit, at.y + line / 2);
    if (series.dashed)
      draw_dashes(canvas, std::array{a, b}, series.colour, 2 * unit);
    else if (!series.line)
      canvas.fill_circle(ImVec2((a.x + b.x) / 2, a.y), 3 * unit, series.colour);
    else
      canvas.line(a, b, series.colour, 2 * unit);
    canvas.text(legend_font(plot), ImVec2(at.x + 21 * unit, at.y), theme().text_dim, text.text, text.size);
    at.x += 21 * unit + text.width + 16 * unit;
  }
}

// The point of a series that is nearest in x; null for an empty series.
const ImVec2* line_plot_nearest(const LineSeries& series, float x) {
  const auto after = std::lower_bound(series.points.begin(), series.points.end(), x,
                                      [](const ImVec2& point, float at) { return point.x < at; });
  if (series.points.empty()) return nullptr;
  if (after == series.points.end()) return &series.points.back();
  if (after == series.points.begin()) return &*after;
  const auto before = std::prev(after);
  return x - before->x < after->x - x ? &*before : &*after;
}

void draw_readout(const Canvas& canvas, const Area& area, float x) {
  const std::string text = readout_text(area.plot, x);
  if (text.empty()) return;
  const ImVec2* anchor = nullptr;
  for (const LineSeries& series : area.plot.series) {
    const ImVec2* point = series.level ? nullptr : line_plot_nearest(series, x);
    if (!point) continue;
    if (!anchor) anchor = point;
    if (area.shown(point->y)) canvas.fill_circle(area.place(*point), 3 * ui_scale(), series.colour);
  }
  const float at = area.place({anchor->x, area.plot.y0}).x;
  canvas.line(ImVec2(at, area.p0.y), ImVec2(at, area.p1.y), with_alpha(theme().text_dim, 0.6f));
  ImGui::SetTooltip("%s", text.c_str());
}

float label_width(const LinePlot& plot, float height) {
  if (plot.left >= 0) return plot.left;
  float widest = 0;
  for (const float tick : y_ticks(plot, label_rows(plot, height)))
    widest = std::max(widest, text_size(tick_font(plot), short_number(static_cast<double>(tick))).x);
  return widest + 10 * ui_scale();
}

}  // namespace

std::string readout_text(const LinePlot& plot, float x) {
  std::string out;
  for (const LineSeries& series : plot.series) {
    const ImVec2* point = series.level ? nullptr : line_plot_nearest(series, x);
    if (!point) continue;
    if (out.empty()) out = plot.x_name + " " + x_text(plot, std::round(point->x));
    if (!series.label.empty())
      out += "\n" + series.label + "  " + short_number(static_cast<double>(point->y));
  }
  return out;
}

void fit_y(LinePlot& plot) {
  float lo = INFINITY, hi = -INFINITY;
  for (const LineSeries& series : plot.series)
    for (const ImVec2 point : series.points)
      if (std::isfinite(point.y) && (!plot.log_y || point.y > 0))
        lo = std::min(lo, point.y), hi = std::max(hi, point.y);
  if (plot.log_y) {
    if (lo > hi) lo = 0.1f, hi = 1;
    plot.y0 = lo / 1.12f;
    plot.y1 = hi * 1.12f;
    return;
  }
  if (lo > hi) lo = 0, hi = 1;
  const float air = std::max((hi - lo) * 0.06f, std::max(std::fabs(hi), 1e-6f) * 1e-3f);
  plot.y0 = lo - air;
  plot.y1 = hi + air;
}

LinePlot dotted_plot(const char* key, const std::vector<ImVec2>& points, ImU32 colour) {
  LineSeries series;
  series.points = points, series.colour = colour, series.dots = true;
  LinePlot plot;
  plot.key = key;
  plot.series.push_back(std::move(series));
  plot.x0 = points.front().x, plot.x1 = std::max(points.back().x, plot.x0 + 1);
  fit_y(plot);
  return plot;
}

LineEvent draw_line_plot(const LinePlot& plot, ImVec2 at, ImVec2 size) {
  const float unit = ui_scale(), line = text_size(tick_font(plot), "0").y;
  const bool legend = !plot.title.empty() || std::any_of(plot.series.begin(), plot.series.end(),
                                                         [](const auto& s) { return !s.label.empty(); });
  const float top = legend ? text_size(legend_font(plot), "X").y + 6 * unit : 5 * unit;
  const float below =
      line + 6 * unit + (plot.x_title.empty() ? 0 : text_size(legend_font(plot), "X").y + 1 * unit);
  const float bottom = std::max(size.y - below, top + 10);
  const Area area{ImVec2(at.x + label_width(plot, bottom - top), at.y + top),
                  ImVec2(at.x + size.x - 8 * unit, at.y + bottom), plot};
  const ImU32 mark = plot.mark_colour ? plot.mark_colour : theme().warning;
  LineEvent event;
  if (area.p1.x - area.p0.x < 10 * unit || area.p1.y - area.p0.y < 10 * unit) return event;
  const Canvas canvas;
  ImGui::SetCursorScreenPos(area.p0);
  event.clicked = hit_area(plot.key.c_str(), ImVec2(area.p1.x - area.p0.x, area.p1.y - area.p0.y));
  note_item(plot.key);
  event.hovered = ImGui::IsItemHovered();
  event.x = area.value((ImGui::GetIO().MousePos.x - area.p0.x) / (area.p1.x - area.p0.x));
  draw_grid(canvas, area);
  canvas.push_clip(ImVec2(area.p0.x - 3, area.p0.y - 3), ImVec2(area.p1.x + 3, area.p1.y + 3));
  for (const float y : plot.y_marks)
    canvas.line(ImVec2(area.p0.x, area.place({area.plot.x0, y}).y),
                ImVec2(area.p1.x, area.place({area.plot.x0, y}).y), mark, 1.5f * unit);
  for (const float x : plot.x_marks)
    canvas.line(ImVec2(area.place({x, area.plot.y0}).x, area.p0.y),
                ImVec2(area.place({x, area.plot.y0}).x, area.p1.y), mark, 1.5f * unit);
  for (const LineSeries& series : plot.series) draw_series(canvas, area, series);
  if (plot.readout && event.hovered) draw_readout(canvas, area, event.x);
  canvas.pop_clip();
  const float legend_x = plot.title.empty() ? area.p0.x : at.x;
  if (legend) draw_line_legend(canvas, plot, ImVec2(legend_x, at.y), area.p1.x - plot.legend_inset);
  if (!plot.x_title.empty()) {
    const FittedText title = fitted_text(legend_font(plot), plot.x_title, area.p1.x - at.x);
    const float x =
        std::max(at.x, std::min((area.p0.x + area.p1.x - title.width) / 2, area.p1.x - title.width));
    canvas.text(legend_font(plot), ImVec2(x, area.p1.y + line + 5 * unit), theme().text_dim, title.text,
                title.size);
  }
  return event;
}

}  // namespace attnscope
