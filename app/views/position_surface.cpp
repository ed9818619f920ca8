#include "app/views/position_surface.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostCells =
    40;                         // number of cells per side: two surfaces stay within 16-bit vertex indices
constexpr float kTall = 0.24f;  // height of the largest value, relative to a side
constexpr float kLeastPitch = 0.15f, kMostPitch = 1.45f, kTurnPerPixel = 0.008f;

// Projection from the unit square and a height to the screen.
struct Camera {
  ImVec2 centre;
  float side = 1, cos_yaw = 1, sin_yaw = 0, cos_pitch = 1, sin_pitch = 0;
  ImVec2 place(float u, float v, float height) const {
    const float x = (u - 0.5f) * cos_yaw - (v - 0.5f) * sin_yaw;
    const float depth = (u - 0.5f) * sin_yaw + (v - 0.5f) * cos_yaw;
    return ImVec2(centre.x + x * side, centre.y + (depth * sin_pitch - height * cos_pitch) * side);
  }
  float depth(float u, float v) const { return (u - 0.5f) * sin_yaw + (v - 0.5f) * cos_yaw; }
};

struct SurfacePatch {
  float depth;
  int row, col;
};

// Indices 0 .. count-1, at most kMostCells + 1 of them, both ends included.
std::vector<std::int64_t> sampled(std::int64_t count) {
  const std::int64_t picked = std::min(count, kMostCells + 1);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < picked; ++i) out.push_back(picked > 1 ? i * (count - 1) / (picked - 1) : 0);
  return out;
}

float share(std::size_t i, std::size_t count) {
  return count > 1 ? static_cast<float>(i) / static_cast<float>(count - 1) : 0.5f;
}

void turn(SurfaceView& view) {
  if (ImGui::IsItemActive() && !ImGui::IsItemActivated()) {
    view.yaw += ImGui::GetIO().MouseDelta.x * kTurnPerPixel;
    view.pitch =
        std::clamp(view.pitch + ImGui::GetIO().MouseDelta.y * kTurnPerPixel, kLeastPitch, kMostPitch);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) view = {};
}

void draw_ground(const Canvas& canvas, const Camera& camera, const Tensor& table) {
  const Theme& t = theme();
  const ImVec2 corners[] = {camera.place(0, 0, -kTall), camera.place(1, 0, -kTall),
                            camera.place(1, 1, -kTall), camera.place(0, 1, -kTall)};
  canvas.polyline(corners, t.border, true, scaled(1));
  const auto name = [&](float u, float v, const std::string& text) {
    const ImVec2 at = camera.place(u, v, -kTall - 0.05f), size = text_size(fonts().small, text);
    draw_text(canvas, fonts().small, ImVec2(at.x - size.x / 2, at.y - size.y / 2), t.text_dim, text);
  };
  // Axis titles are at the edges closest to the camera.
  const float u_edge = camera.depth(0.5f, 1) > camera.depth(0.5f, 0) ? 1.08f : -0.08f;
  const float v_edge = camera.depth(1, 0.5f) > camera.depth(0, 0.5f) ? 1.08f : -0.08f;
  name(0.5f, u_edge, tr("position.axis.position_range", {std::to_string(table.size(0) - 1)}));
  name(v_edge, 0.5f, tr("position.axis.dimension_range", {std::to_string(table.size(1) - 1)}));
}

}  // namespace

void draw_surface(const char* id, const Tensor& table, const HeatStyle& style, SurfaceView& view, ImVec2 at,
                  ImVec2 size) {
  if (table.rank() != 2 || table.count() == 0 || size.x < 40 || size.y < 40) return;
  ImGui::SetCursorScreenPos(at);
  hit_area(id, size);
  turn(view);
  const auto rows = sampled(table.size(0)), cols = sampled(table.size(1));
  Camera camera;
  camera.centre = ImVec2(at.x + size.x / 2, at.y + size.y / 2);
  camera.cos_yaw = std::cos(view.yaw), camera.sin_yaw = std::sin(view.yaw);
  camera.cos_pitch = std::cos(view.pitch), camera.sin_pitch = std::sin(view.pitch);
  const float tall = 1.42f * camera.sin_pitch + 2 * kTall * camera.cos_pitch + 0.2f;
  camera.side = std::min(size.x / 1.6f, size.y / tall);
  const auto height = [&](std::size_t row, std::size_t col) {
    const float value = table.at(rows[row], cols[col]);
    return std::isfinite(value) ? std::clamp(value / style.hi, -1.f, 1.f) * kTall : 0.f;
  };
  std::vector<SurfacePatch> patches;
  for (std::size_t row = 0; row + 1 < rows.size(); ++row)
    for (std::size_t col = 0; col + 1 < cols.size(); ++col)
      patches.push_back({camera.depth(share(row, rows.size()), share(col, cols.size())),
                         static_cast<int>(row), static_cast<int>(col)});
  std::sort(patches.begin(), patches.end(),
            [](const SurfacePatch& a, const SurfacePatch& b) { return a.depth < b.depth; });
  const Canvas canvas;
  canvas.push_clip(at, ImVec2(at.x + size.x, at.y + size.y));
  draw_ground(canvas, camera, table);
  const ImU32 line = with_alpha(theme().ground, 0.55f);
  ImDrawListFlags& flags = ImGui::GetWindowDrawList()->Flags;
  const ImDrawListFlags usual = flags;
  flags &= ~ImDrawListFlags_AntiAliasedFill;  // patches meet without seams, with a third of the vertices
  for (const SurfacePatch& patch : patches) {
    const auto row = static_cast<std::size_t>(patch.row), col = static_cast<std::size_t>(patch.col);
    const auto corner = [&](std::size_t r, std::size_t c) {
      return camera.place(share(r, rows.size()), share(c, cols.size()), height(r, c));
    };
    const ImVec2 a = corner(row, col), b = corner(row + 1, col), c = corner(row + 1, col + 1),
                 d = corner(row, col + 1);
    const ImU32 colour = heat_colour(table.at(rows[row], cols[col]), style);
    canvas.fill_quad(a, b, c, d, colour);
    canvas.line(a, b, line, 1.f);
    canvas.line(a, d, line, 1.f);
  }
  flags = usual;
  canvas.pop_clip();
}

}  // namespace attnscope
