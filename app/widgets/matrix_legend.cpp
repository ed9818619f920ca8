// The legend of a matrix: its bands of colour, ticks beside or below them.
#include <algorithm>
#include <initializer_list>

#include "app/look/fonts.h"
#include "app/look/theme.h"
#include "app/widgets/matrix_parts.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// Tick label; "≥ 2.1" at an end that is clipped.
std::string tick_text(const HeatStyle& style, int tick, int last, bool room = true) {
  const double value =
      static_cast<double>(heat_value(static_cast<float>(tick) / static_cast<float>(last), style));
  const bool below = style.clipped && tick == 0 && style.least < style.lo,
             above = style.clipped && tick == last && style.most > style.hi;
  return (below ? "≤" : above ? "≥" : "") + tick_number(value, room);
}

// The largest value beyond a clipped end, as text.
std::string beyond_text(const HeatStyle& style, bool top) {
  if (!style.clipped || (top ? style.most <= style.hi : style.least >= style.lo)) return {};
  return (top ? "▲" : "▼") + short_number(static_cast<double>(top ? style.most : style.least));
}

void draw_bands(const Canvas& canvas, Colormap map, ImVec2 p0, ImVec2 p1, bool vertical) {
  constexpr int kBands = 48;
  for (int band = 0; band < kBands; ++band) {
    const float from = static_cast<float>(band) / kBands, to = static_cast<float>(band + 1) / kBands;
    const ImU32 low = colormap_at(map, vertical ? 1 - from : from),
                high = colormap_at(map, vertical ? 1 - to : to);
    if (vertical)
      canvas.gradient(ImVec2(p0.x, p0.y + (p1.y - p0.y) * from), ImVec2(p1.x, p0.y + (p1.y - p0.y) * to), low,
                      high, true);
    else
      canvas.gradient(ImVec2(p0.x + (p1.x - p0.x) * from, p0.y), ImVec2(p0.x + (p1.x - p0.x) * to, p1.y), low,
                      high, false);
  }
  canvas.rect(p0, p1, theme().border);
}

void draw_ticks_beside(const Canvas& canvas, const HeatStyle& style, ImVec2 p0, ImVec2 p1, int last) {
  const float line = text_size(fonts().small, "X").y, x = p1.x + 6 * ui_scale();
  const float top = p0.y - line * 0.2f, bottom = std::max(top, p1.y - line * 0.8f);
  const std::string above = beyond_text(style, true), below = beyond_text(style, false);
  for (int tick = 0; tick <= last; ++tick) {
    const float at = static_cast<float>(tick) / static_cast<float>(last);
    const float y = std::clamp(p1.y - (p1.y - p0.y) * at - line / 2, top, bottom);
    draw_text(canvas, fonts().mono_small, ImVec2(x, y), theme().text_dim, tick_text(style, tick, last));
  }
  draw_text(canvas, fonts().mono_small, ImVec2(x, top + line), theme().warning, above);
  draw_text(canvas, fonts().mono_small, ImVec2(x, bottom - line), theme().warning, below);
}

void draw_ticks_below(const Canvas& canvas, const HeatStyle& style, ImVec2 p0, ImVec2 p1, int last) {
  const float y = p1.y + 3 * ui_scale(), gap = 5 * ui_scale();
  std::string below = beyond_text(style, false), above = beyond_text(style, true);
  const auto wide = [&](std::string_view text) { return text_size(fonts().mono_small, text).x; };
  const float both =
      wide(tick_text(style, 0, last)) + wide(below) + wide(tick_text(style, last, last)) + wide(above);
  if (both + 4 * gap > p1.x - p0.x) {  // too narrow: arrows only, the tooltip has the numbers
    if (!below.empty()) below = "▼";
    if (!above.empty()) above = "▲";
  }
  const auto left = [&](int tick, float width) {
    const float at = p0.x + (p1.x - p0.x) * static_cast<float>(tick) / static_cast<float>(last) - width / 2;
    return std::clamp(at, p0.x, std::max(p0.x, p1.x - width));
  };
  bool room = true;
  const auto fits = [&](int every) {
    float end = p0.x;
    for (int tick = 0; tick <= last; tick += every) {
      const float width = wide(tick_text(style, tick, last, room)), x = left(tick, width);
      if (x < end) return false;
      end = x + width + gap;
    }
    return true;
  };
  int every = style.clipped ? last : 1;  // end ticks only: the values beyond need the room
  room = fits(every);
  while (every < last && !fits(every)) every *= 2;
  for (int tick = 0; tick <= last; tick += every) {
    const std::string text = tick_text(style, tick, last, room);
    const std::string more = tick == 0 ? below : tick == last ? above : std::string();
    const float own = wide(text), x = left(tick, own + (more.empty() ? 0.f : gap + wide(more)));
    draw_text(canvas, fonts().mono_small, ImVec2(x, y), theme().text_dim, text);
    draw_text(canvas, fonts().mono_small, ImVec2(x + own + gap, y), theme().warning, more);
  }
}

}  // namespace

void draw_legend(const HeatStyle& style, std::string_view title, ImVec2 position, ImVec2 size,
                 bool vertical) {
  const Canvas canvas;
  const float unit = ui_scale();
  ImVec2 p0 = position;
  if (!title.empty()) {
    draw_text(canvas, fonts().small, position, theme().text_dim, title);
    p0.y += text_size(fonts().small, "X").y + 6 * unit;
  }
  const ImVec2 p1(position.x + size.x, position.y + size.y);
  draw_bands(canvas, style.map, p0, p1, vertical);
  const bool five = style.log_scale && (vertical ? p1.y - p0.y : p1.x - p0.x) > 140 * unit;
  if (vertical)
    draw_ticks_beside(canvas, style, p0, p1, five ? 4 : 2);
  else
    draw_ticks_below(canvas, style, p0, p1, five ? 4 : 2);
  if (!style.clipped || !ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(p0, p1)) return;
  ImGui::SetTooltip("%s", tr("legend.clipped", {short_number(static_cast<double>(style.least)),
                                                short_number(static_cast<double>(style.most)),
                                                short_number(static_cast<double>(style.hi))})
                              .c_str());
}

}  // namespace attnscope
