// What Painter keeps under one key: for its own files alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "app/gpu/cells.h"
#include "app/gpu/painter.h"

namespace attnscope {

struct Painter::Entry {
  std::vector<Tensor> shown;  // the tensors in the texture
  std::uint64_t version = 0;  // of an RGB picture
  std::uint64_t last_used = 0;
  int width = 0, height = 0, count = 1;  // cells of one map, maps
  CellLayout layout;
  unsigned texture = 0;
  std::vector<float> cells;                              // null mode only: contents of the texture
  std::shared_ptr<const std::vector<std::uint8_t>> rgb;  // of an RGB picture

  int texture_width() const { return layout.texels_x * layout.columns; }
  int texture_height() const { return layout.texels_y * layout.rows; }
  /// Texels per unit of the screen when `part` (0..1 per axis) of a map is drawn into a rectangle.
  ImVec2 density(ImVec2 p0, ImVec2 p1, ImVec2 part) const {
    const auto share = [](float texels, float units) { return texels / std::max(std::fabs(units), 1.0f); };
    return ImVec2(share(static_cast<float>(layout.texels_x) * std::fabs(part.x), p1.x - p0.x),
                  share(static_cast<float>(layout.texels_y) * std::fabs(part.y), p1.y - p0.y));
  }
  /// Texture coordinates of a place (0..1 per axis) in one map.
  ImVec2 uv(int map, ImVec2 place) const {
    const float x = static_cast<float>(map % layout.columns * layout.texels_x);
    const float y = static_cast<float>(map / layout.columns * layout.texels_y);
    const float cells_x = static_cast<float>(width) / static_cast<float>(layout.block);
    const float cells_y = static_cast<float>(height) / static_cast<float>(layout.block);
    return ImVec2((x + place.x * cells_x) / static_cast<float>(texture_width()),
                  (y + place.y * cells_y) / static_cast<float>(texture_height()));
  }
};

}  // namespace attnscope
