// Heatmaps and pictures as plain rectangles, coloured on the CPU: without OpenGL, or where its memory is
// full.
#include <algorithm>
#include <cmath>

#include "app/gpu/painter_entry.h"
#include "shaders/params.h"

namespace attnscope {
namespace {

constexpr int kPlainCells = 64;   // per axis
constexpr int kPlainPixels = 16;  // the same for an RGB picture

ImVec2 lerp(ImVec2 from, ImVec2 to, float x, float y) {
  return ImVec2(from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * y);
}

}  // namespace

void Painter::draw_plain_picture(ImDrawList* list, const Entry& entry, ImVec2 p0, ImVec2 p1, ImVec2 uv0,
                                 ImVec2 uv1, float alpha) {
  if (!entry.rgb) return;
  const int columns = std::min(entry.width, kPlainPixels), rows = std::min(entry.height, kPlainPixels);
  const auto at = [](float place, int count) {
    return std::clamp(static_cast<int>(place * static_cast<float>(count)), 0, count - 1);
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const float x0 = static_cast<float>(column) / static_cast<float>(columns);
      const float y0 = static_cast<float>(row) / static_cast<float>(rows);
      const float half_x = 0.5f / static_cast<float>(columns), half_y = 0.5f / static_cast<float>(rows);
      const ImVec2 uv = lerp(uv0, uv1, x0 + half_x, y0 + half_y);
      const std::uint8_t* p = entry.rgb->data() + 3 * (std::ptrdiff_t{at(uv.y, entry.height)} * entry.width +
                                                       at(uv.x, entry.width));
      const ImU32 colour = IM_COL32(p[0], p[1], p[2], 255);
      list->AddRectFilled(lerp(p0, p1, x0, y0), lerp(p0, p1, x0 + 2 * half_x, y0 + 2 * half_y),
                          with_alpha(colour, alpha));
    }
  }
}

void Painter::draw_plain(ImDrawList* list, const Entry& entry, int map, ImVec2 p0, ImVec2 p1,
                         const HeatStyle& style, ImVec2 uv0, ImVec2 uv1) {
  const int columns = std::min(entry.width, kPlainCells), rows = std::min(entry.height, kPlainCells);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const float x = (static_cast<float>(column) + 0.5f) / static_cast<float>(columns);
      const float y = (static_cast<float>(row) + 0.5f) / static_cast<float>(rows);
      const ImVec2 uv = entry.uv(map, lerp(uv0, uv1, x, y));
      const int texel_x = static_cast<int>(uv.x * static_cast<float>(entry.texture_width()));
      const int texel_y = static_cast<int>(uv.y * static_cast<float>(entry.texture_height()));
      const std::size_t at = static_cast<std::size_t>(texel_y) * entry.texture_width() + texel_x;
      float value = entry.cells[at];
      if (value > static_cast<float>(HEAT_INF_ABOVE)) {
        value = value > static_cast<float>(HEAT_NAN_ABOVE) ? NAN : INFINITY;
      }
      const float half_x = 0.5f / static_cast<float>(columns), half_y = 0.5f / static_cast<float>(rows);
      list->AddRectFilled(lerp(p0, p1, x - half_x, y - half_y), lerp(p0, p1, x + half_x, y + half_y),
                          with_alpha(heat_colour(value, style), style.alpha));
    }
  }
}

}  // namespace attnscope
