// What the files of the SVG writer share: numbers, colours, cells, pictures. Not for others: they use svg.h.
#pragma once

#include <string>
#include <vector>

#include "app/figure/svg.h"
#include "app/gpu/image_file.h"

namespace attnscope::svg {

/// "12.5": two digits at most, no zeros at the end.
std::string number(float value);
/// ` name="12.5"`
std::string attribute(const char* name, float value);
/// ` fill="#rrggbb"`, with the opacity where it is not whole; "none" for no colour.
std::string paint(const char* name, ImU32 colour);

/// The part of a matrix that is seen: cells [row0, row1) x [col0, col1), and where they lie.
struct CellGrid {
  std::int64_t row0 = 0, row1 = 0, col0 = 0, col1 = 0;
  ImVec2 origin, cell;  ///< of cell 0, 0; size of one
  float x(std::int64_t col) const { return origin.x + static_cast<float>(col) * cell.x; }
  float y(std::int64_t row) const { return origin.y + static_cast<float>(row) * cell.y; }
  std::int64_t count() const { return (row1 - row0) * (col1 - col0); }
};
CellGrid grid_of(const DrawItem& item, const DrawCells& cells);
/// The elements of a matrix; `masked` is set where its hatching is needed.
Result<std::string> cells_text(const DrawItem& item, const DrawCells& cells, bool& masked);
/// The element of a picture.
Result<std::string> picture_text(const DrawItem& item, const DrawPicture& picture);

}  // namespace attnscope::svg
