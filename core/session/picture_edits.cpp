#include "core/session/picture_edits.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// Pixels [begin, end) of `size` that `count` cells of a grid of `cells` cover from cell `first` on.
Range pixels_of(int first, int count, int cells, int size) {
  const auto pixel = [&](int cell) { return std::int64_t{std::clamp(cell, 0, cells)} * size / cells; };
  return {pixel(first), pixel(first + count)};
}

void dab(std::vector<std::uint8_t>& rgb, const Picture& picture, const PictureGrid& grid, int x, int y,
         const Stroke& stroke) {
  const int before = (stroke.brush - 1) / 2;
  const Range rows = pixels_of(y - before, stroke.brush, grid.height, picture.height);
  const Range cols = pixels_of(x - before, stroke.brush, grid.width, picture.width);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    for (std::int64_t col = cols.begin; col < cols.end; ++col)
      std::copy(stroke.colour.begin(), stroke.colour.end(), rgb.begin() + (row * picture.width + col) * 3);
}

}  // namespace

Picture blank_picture(int width, int height, PixelColour colour) {
  auto rgb = std::make_shared<std::vector<std::uint8_t>>();
  for (int i = 0; i < width * height; ++i) rgb->insert(rgb->end(), colour.begin(), colour.end());
  return {width, height, std::move(rgb), {}};
}

Picture on_grid(const Picture& picture, int width, int height) {
  if (picture.empty() || (picture.width == width && picture.height == height)) return picture;
  Preprocessing how;
  how.width = width;
  how.height = height;
  const bool grows = width > picture.width || height > picture.height;
  how.filter = grows ? Preprocessing::Filter::nearest : Preprocessing::Filter::bilinear;
  Picture out = picture_of(preprocess(picture, how), how);
  out.name = picture.name;
  return out;
}

Picture painted(const Picture& picture, const Stroke& stroke, PictureGrid grid) {
  if (grid.width < 1 || grid.height < 1) grid = {picture.width, picture.height};
  auto rgb = std::make_shared<std::vector<std::uint8_t>>(*picture.rgb);
  const int across = stroke.x1 - stroke.x0, down = stroke.y1 - stroke.y0;
  const int steps = std::max(std::abs(across), std::abs(down));
  for (int step = 0; step <= steps; ++step) {
    const double share = steps > 0 ? static_cast<double>(step) / steps : 0.0;
    dab(*rgb, picture, grid, stroke.x0 + static_cast<int>(std::lround(share * across)),
        stroke.y0 + static_cast<int>(std::lround(share * down)), stroke);
  }
  return {picture.width, picture.height, std::move(rgb), {}};
}

int grid_height(const OpenedModel& opened, int width) {
  const Preprocessing& how = opened.preprocessing;
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(width) * how.height / how.width)));
}

Picture canvas_of(const Document& document, std::size_t sequence, PictureGrid grid) {
  const Sequence& from = document.sequences[sequence];
  Picture now = from.picture;
  if (now.empty() && !from.input.pixels.empty())
    now = picture_of(from.input.pixels, document.opened->preprocessing);
  if (now.empty()) return blank_picture(grid.width, grid.height, {255, 255, 255});
  return on_grid(now, std::max(grid.width, now.width), std::max(grid.height, now.height));
}

Status paint(Document& document, std::size_t sequence, const Stroke& stroke, PictureGrid grid) {
  if (sequence >= document.sequences.size() || grid.width < 1 || grid.height < 1)
    return fail(Code::out_of_range, "error.session.no_canvas");
  return set_picture(document, sequence, painted(canvas_of(document, sequence, grid), stroke, grid));
}

}  // namespace attnscope
