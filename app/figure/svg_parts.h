// Shared by the files of the SVG writer only: numbers, colours, cells, pictures. Others use svg.h.
#pragma once

#include <string>
#include <vector>

#include "app/figure/svg.h"
#include "app/gpu/image_file.h"
#include "core/figure/svg_parts.h"

namespace attnscope::svg {

/// ` fill="#rrggbb"`, with an opacity attribute when alpha is below 1; "none" for alpha 0.
std::string paint(const char* name, ImU32 colour);

/// The visible cells of a matrix, [row0, row1) x [col0, col1), and their position.
struct CellGrid {
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  ImVec2 origin, cell;  ///< position of cell (0, 0); size of a cell; pixels
  float x(std::int64_t col) const { return origin.x + static_cast<float>(col) * cell.x; }
  float y(std::int64_t row) const { return origin.y + static_cast<float>(row) * cell.y; }
  std::int64_t count() const { return (row1 - row0) * (col1 - col0); }
};
CellGrid grid_of(const DrawItem& item, const DrawCells& cells);
/// SVG elements of a matrix; sets `masked` when the hatching pattern is needed.
Result<std::string> cells_text(const DrawItem& item, const DrawCells& cells, bool& masked);
/// SVG element of a picture.
Result<std::string> picture_text(const DrawItem& item, const DrawPicture& picture);

}  // namespace attnscope::svg
