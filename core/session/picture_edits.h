// Drawing on pictures: on a grid, stroke by stroke, over the picture of a sequence. A picture finer than
// the grid keeps its pixels where nothing was drawn. Each edit makes a new picture, because
// pictures are shared. Errors: grids without cells; strokes are clipped to the grid.
#pragma once

#include <array>

#include "core/session/document.h"

namespace attnscope {

using PixelColour = std::array<std::uint8_t, 3>;

/// Cells that are drawn as one.
struct PictureGrid {
  int width = 0, height = 0;
};
struct Stroke {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< from cell to cell of the grid
  int brush = 1;                       ///< side of the square that is drawn, cells
  PixelColour colour{0, 0, 0};
};

/// One colour everywhere.
Picture blank_picture(int width, int height, PixelColour colour);
/// The picture on another grid: averaged where it has fewer pixels, repeated where it has more.
Picture on_grid(const Picture& picture, int width, int height);
/// The picture with a line drawn on it, on a grid of its own pixels where none is given.
Picture painted(const Picture& picture, const Stroke& stroke, PictureGrid grid = {});
/// Height of a grid with the aspect ratio of the model's input, at least 1.
int grid_height(const OpenedModel& opened, int width);
/// The canvas: the picture of the sequence, or its pixels as one, at least as fine as the
/// grid; white where there is neither.
Picture canvas_of(const Document& document, std::size_t sequence, PictureGrid grid);
/// Draws on the sequence's canvas. Errors: as of set_picture.
Status paint(Document& document, std::size_t sequence, const Stroke& stroke, PictureGrid grid);

}  // namespace attnscope
