#include "app/widgets/patch_picture.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/look/theme.h"
#include "core/arch/preprocess.h"

namespace attnscope {
namespace {

constexpr float kVeil = 0.66f, kTint = 0.5f;  // maximum opacity: black at weight 0, tint at the largest
constexpr ImU32 kShine = IM_COL32(255, 166, 48, 255);

struct Grid {
  ImVec2 p0, cell;
  int cols = 1;
  ImVec2 corner(std::int64_t patch) const {
    return ImVec2(p0.x + cell.x * static_cast<float>(patch % cols),
                  p0.y + cell.y * static_cast<float>(patch / cols));
  }
  ImVec2 end(std::int64_t patch) const {
    const ImVec2 at = corner(patch);
    return ImVec2(at.x + cell.x, at.y + cell.y);
  }
};

void paint_weights(const Canvas& canvas, const Tensor& weights, const Grid& grid) {
  float most = 1e-9f;
  for (std::int64_t i = 0; i < weights.count(); ++i)
    most = std::max(most, weights.at(i / weights.size(1), i % weights.size(1)));
  for (std::int64_t i = 0; i < weights.count(); ++i) {
    const float share = std::clamp(weights.at(i / weights.size(1), i % weights.size(1)) / most, 0.f, 1.f);
    const ImVec2 p0 = grid.corner(i), p1 = grid.end(i);
    canvas.fill_rect(p0, p1, with_alpha(IM_COL32_BLACK, kVeil * (1 - share)));
    canvas.fill_rect(p0, p1, with_alpha(kShine, kTint * share));
  }
}

void patch_picture_outline(const Canvas& canvas, const Grid& grid, std::int64_t patch, ImU32 colour) {
  if (patch < 0) return;
  const float out = ui_scale();
  const ImVec2 p0 = grid.corner(patch), p1 = grid.end(patch);
  canvas.rect(ImVec2(p0.x - out, p0.y - out), ImVec2(p1.x + out, p1.y + out), colour, 2 * ui_scale(), 0,
              2.5f * ui_scale());
}

}  // namespace

std::string upload_model_picture(Painter& painter, const RunResult& run, int sequence) {
  const Tensor& pixels = run.trace(sequence).input.pixels;
  if (pixels.empty()) return {};
  std::string key = "model_picture." + std::to_string(sequence);
  if (!painter.has_picture(key, run.version)) {
    const Picture picture = picture_of(pixels, run.document.opened->preprocessing);
    if (picture.empty()) return {};
    painter.upload_picture(key, run.version, picture.rgb->data(), picture.width, picture.height);
  }
  return key;
}

std::shared_ptr<const AxisPictures> axis_pictures(Painter& painter, const RunResult& run, int sequence,
                                                  Stack stack) {
  const std::string key = upload_model_picture(painter, run, sequence);
  PatchRows patches = key.empty() ? PatchRows{} : patch_rows(run.trace(sequence), stack);
  if (patches.empty()) return nullptr;
  return std::make_shared<const AxisPictures>(
      AxisPictures{key, patches.rows, patches.cols, std::move(patches.patch_of)});
}

PatchEvent draw_patch_picture(Painter& painter, const PatchPicture& what, ImVec2 position, ImVec2 size) {
  PatchEvent event;
  if (what.rows < 1 || what.cols < 1 || what.picture.empty()) return event;
  const float side =
      std::max(1.f, std::min(size.x / static_cast<float>(what.cols), size.y / static_cast<float>(what.rows)));
  const Grid grid{position, ImVec2(side, side), what.cols};
  event.p0 = position;
  event.p1 = ImVec2(position.x + side * static_cast<float>(what.cols),
                    position.y + side * static_cast<float>(what.rows));
  ImGui::SetCursorScreenPos(event.p0);
  event.clicked = hit_area(what.id.c_str(), ImVec2(event.p1.x - event.p0.x, event.p1.y - event.p0.y));
  note_item(what.id, {event.p0, event.p1, what.rows, what.cols});
  if (ImGui::IsItemHovered() || event.clicked) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const int col = std::clamp(static_cast<int>((mouse.x - position.x) / side), 0, what.cols - 1);
    const int row = std::clamp(static_cast<int>((mouse.y - position.y) / side), 0, what.rows - 1);
    event.patch = std::int64_t{row} * what.cols + col;
  }
  const Canvas canvas;
  canvas.picture(painter, what.picture, event.p0, event.p1);
  const bool fits =
      !what.weights.empty() && what.weights.size(0) == what.rows && what.weights.size(1) == what.cols;
  if (fits) paint_weights(canvas, what.weights, grid);
  for (int line = 1; side >= 8 * ui_scale() && line < std::max(what.rows, what.cols); ++line) {
    const float at = side * static_cast<float>(line);
    const ImU32 ink = fits ? with_alpha(IM_COL32_WHITE, 0.14f) : with_alpha(IM_COL32_BLACK, 0.2f);
    if (line < what.cols)
      canvas.line(ImVec2(position.x + at, event.p0.y), ImVec2(position.x + at, event.p1.y), ink);
    if (line < what.rows)
      canvas.line(ImVec2(event.p0.x, position.y + at), ImVec2(event.p1.x, position.y + at), ink);
  }
  canvas.rect(event.p0, event.p1, theme().border);
  patch_picture_outline(canvas, grid, what.lit, theme().k);
  patch_picture_outline(canvas, grid, event.patch, with_alpha(IM_COL32_WHITE, 0.8f));
  patch_picture_outline(canvas, grid, what.chosen, theme().q);
  return event;
}

}  // namespace attnscope
