// Pictures as a person draws them: on a small grid of pixels, stroke by stroke. Each edit makes a new
// picture, because pictures are shared. Refuses grids without pixels and strokes outside of them (the part
// inside is drawn).
#pragma once

#include <array>

#include "core/session/document.h"

namespace attnscope {

using Rgb = std::array<std::uint8_t, 3>;

struct Stroke {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< from pixel to pixel of the grid
  int brush = 1;                       ///< side of the square that is drawn, pixels
  Rgb colour{0, 0, 0};
};

/// One colour everywhere.
Picture blank_picture(int width, int height, Rgb colour);
/// The picture on another grid: averaged where it has fewer pixels, repeated where it has more.
Picture on_grid(const Picture& picture, int width, int height);
/// The picture with a line drawn on it.
Picture painted(const Picture& picture, const Stroke& stroke);
/// Height of a grid that has the proportions of what the model looks at, at least 1.
int grid_height(const OpenedModel& opened, int width);
/// Draws on the sequence's picture, brought to a grid of `width` x `height` first. Errors: as of set_picture.
Status paint(Document& document, std::size_t sequence, const Stroke& stroke, int width, int height);

}  // namespace attnscope
