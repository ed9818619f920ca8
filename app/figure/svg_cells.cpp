// Matrices and pictures of an SVG file.
#include <algorithm>
#include <cmath>

#include "app/figure/svg_parts.h"
#include "app/gpu/cells.h"
#include "core/base/markup.h"
#include "shaders/params.h"

namespace attnscope::svg {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 22;  // of one matrix; above it, cells share pixels
// The CSS property, and before it that of SVG 1.1 for viewers without CSS.
constexpr const char* kSquarePixels =
    " image-rendering=\"optimizeSpeed\" style=\"image-rendering: pixelated\"";
constexpr const char* kMaskedFill = " fill=\"url(#masked)\"";

// One row as rectangles; neighbours of one colour are merged.
std::string row_text(const DrawItem& item, const DrawCells& cells, const CellGrid& grid, std::int64_t row,
                     bool spaced, bool& masked) {
  const float inset = spaced ? cells.style.gap / 2 : 0;
  const auto fill_of = [&](std::int64_t col) {
    const float value = cells.values.at(row, col);
    if (!is_masked(value))
      return paint("fill", with_alpha(heat_colour(value, cells.style), cells.style.alpha));
    masked = true;
    return std::string(kMaskedFill);
  };
  std::string out;
  for (std::int64_t col = grid.col0; col < grid.col1;) {
    const std::string fill = fill_of(col);
    std::int64_t end = col + 1;
    while (!spaced && end < grid.col1 && fill_of(end) == fill) ++end;
    const float x0 = std::max(grid.x(col) + inset, item.p0.x), x1 = std::min(grid.x(end) - inset, item.p1.x);
    const float y0 = std::max(grid.y(row) + inset, item.p0.y),
                y1 = std::min(grid.y(row + 1) - inset, item.p1.y);
    if (x1 > x0 && y1 > y0) {
      out += "<rect" + attribute("x", x0) + attribute("y", y0) + attribute("width", x1 - x0) +
             attribute("height", y1 - y0);
      if (spaced && cells.style.rounding > 0) out += attribute("rx", cells.style.rounding);
      out += fill + "/>\n";
    }
    col = end;
  }
  return out;
}

void put(Image& image, int x, int y, ImU32 colour) {
  std::uint8_t* p = &image.rgba[4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                     static_cast<std::size_t>(x))];
  for (int channel = 0; channel < 4; ++channel)
    p[channel] = static_cast<std::uint8_t>((colour >> (8 * channel)) & 255u);
}

Result<std::string> png_link(const Image& image) {
  TRY(const std::string png, encode_png(image));
  return " href=\"data:image/png;base64," +
         base64({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()}) + "\"";
}

// <image> element that fills x, y, width, height; `link`: its href attribute with a data URI.
std::string image_text(ImVec2 p0, ImVec2 p1, const std::string& link) {
  return "<image" + attribute("x", p0.x) + attribute("y", p0.y) + attribute("width", p1.x - p0.x) +
         attribute("height", p1.y - p0.y) + " preserveAspectRatio=\"none\"" + link;
}

bool svg_cells_inside(ImVec2 p0, ImVec2 p1, const DrawItem& item) {
  constexpr float kSlack = 0.05f;
  return p0.x >= item.p0.x - kSlack && p0.y >= item.p0.y - kSlack && p1.x <= item.p1.x + kSlack &&
         p1.y <= item.p1.y + kSlack;
}

// A nested <svg> of the item's size, which clips what reaches beyond it.
std::string through_window(const DrawItem& item, const std::string& elements) {
  const float width = item.p1.x - item.p0.x, height = item.p1.y - item.p0.y;
  return "<svg" + attribute("x", item.p0.x) + attribute("y", item.p0.y) + attribute("width", width) +
         attribute("height", height) + " viewBox=\"" + number(item.p0.x) + " " + number(item.p0.y) + " " +
         number(width) + " " + number(height) + "\">" + elements + "</svg>\n";
}

// One pixel per cell, or per block of cells (largest magnitude, as on screen). Masked cells are transparent,
// so that the hatching below is visible.
Result<std::string> picture_of_cells(const DrawItem& item, const DrawCells& cells, const CellGrid& grid,
                                     bool& masked) {
  std::int64_t block = 1;
  while (((grid.row1 - grid.row0) / block + 1) * ((grid.col1 - grid.col0) / block + 1) > kMostPixels) ++block;
  const auto pixels = [&](std::int64_t count) { return static_cast<int>((count + block - 1) / block); };
  Image image{pixels(grid.col1 - grid.col0), pixels(grid.row1 - grid.row0), {}};
  image.rgba.assign(4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), 0);
  bool holes = false;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::int64_t row = grid.row0 + y * block, col = grid.col0 + x * block;
      float value = cells.values.at(row, col);
      for (std::int64_t r = row; block > 1 && r < std::min(row + block, grid.row1); ++r)
        for (std::int64_t c = col; c < std::min(col + block, grid.col1); ++c)
          value = stronger(value, cells.values.at(r, c));
      holes = holes || is_masked(value);
      if (!is_masked(value)) put(image, x, y, heat_colour(value, cells.style));
    }
  }
  const ImVec2 p0(grid.x(grid.col0), grid.y(grid.row0));
  const ImVec2 p1(p0.x + grid.cell.x * static_cast<float>(image.width * block),
                  p0.y + grid.cell.y * static_cast<float>(image.height * block));
  std::string out;
  if (holes) {
    masked = true;
    out += "<rect" + attribute("x", item.p0.x) + attribute("y", item.p0.y) +
           attribute("width", item.p1.x - item.p0.x) + attribute("height", item.p1.y - item.p0.y) +
           kMaskedFill + "/>\n";
  }
  TRY(const std::string link, png_link(image));
  std::string element = image_text(p0, p1, link) + kSquarePixels;
  if (cells.style.alpha < 1) element += attribute("opacity", cells.style.alpha);
  element += "/>\n";
  return out + (svg_cells_inside(p0, p1, item) ? element : through_window(item, element));
}

}  // namespace

CellGrid grid_of(const DrawItem& item, const DrawCells& cells) {
  const auto rows = static_cast<float>(cells.rows()), cols = static_cast<float>(cells.cols());
  const ImVec2 seen((cells.uv1.x - cells.uv0.x) * cols, (cells.uv1.y - cells.uv0.y) * rows);
  CellGrid out;
  out.cell = ImVec2((item.p1.x - item.p0.x) / seen.x, (item.p1.y - item.p0.y) / seen.y);
  out.origin =
      ImVec2(item.p0.x - cells.uv0.x * cols * out.cell.x, item.p0.y - cells.uv0.y * rows * out.cell.y);
  const auto first = [](float uv, float count) { return static_cast<std::int64_t>(uv * count + 1e-3f); };
  const auto last = [](float uv, float count) {
    return static_cast<std::int64_t>(std::ceil(std::min(uv * count, count) - 1e-3f));
  };
  out.row0 = first(cells.uv0.y, rows), out.row1 = last(cells.uv1.y, rows);
  out.col0 = first(cells.uv0.x, cols), out.col1 = last(cells.uv1.x, cols);
  return out;
}

Result<std::string> cells_text(const DrawItem& item, const DrawCells& cells, bool& masked) {
  const CellGrid grid = grid_of(item, cells);
  if (grid.count() <= 0) return std::string();
  const bool part = grid.count() < cells.values.count();
  const std::int64_t together = part ? grid.count() : std::max(grid.count(), cells.together);
  if (together > kMostSvgCells) return picture_of_cells(item, cells, grid, masked);
  const bool spaced = cells.style.gap + cells.style.rounding > 0 &&
                      std::min(grid.cell.x, grid.cell.y) >= static_cast<float>(HEAT_SMALLEST_SPACED_CELL);
  std::string out = spaced ? "<g>\n" : "<g shape-rendering=\"crispEdges\">\n";
  for (std::int64_t row = grid.row0; row < grid.row1; ++row)
    out += row_text(item, cells, grid, row, spaced, masked);
  return out + "</g>\n";
}

Result<std::string> picture_text(const DrawItem& item, const DrawPicture& picture) {
  const ImVec2 share(picture.uv1.x - picture.uv0.x, picture.uv1.y - picture.uv0.y);
  if (share.x <= 0 || share.y <= 0) return std::string();
  const auto first = [](float uv, int count) {
    return std::clamp(static_cast<int>(uv * static_cast<float>(count) + 1e-3f), 0, count);
  };
  const auto last = [](float uv, int count) {
    return std::clamp(static_cast<int>(std::ceil(uv * static_cast<float>(count) - 1e-3f)), 0, count);
  };
  const int x0 = first(picture.uv0.x, picture.width), x1 = last(picture.uv1.x, picture.width);
  const int y0 = first(picture.uv0.y, picture.height), y1 = last(picture.uv1.y, picture.height);
  if (x1 <= x0 || y1 <= y0) return std::string();
  Image image{x1 - x0, y1 - y0,
              std::vector<std::uint8_t>(static_cast<std::size_t>(4) * (x1 - x0) * (y1 - y0))};
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const std::uint8_t* p = picture.rgb->data() + 3 * (std::ptrdiff_t{y} * picture.width + x);
      put(image, x - x0, y - y0, IM_COL32(p[0], p[1], p[2], 255));
    }
  }
  // Screen pixels per pixel of the picture.
  const ImVec2 pixel((item.p1.x - item.p0.x) / (share.x * static_cast<float>(picture.width)),
                     (item.p1.y - item.p0.y) / (share.y * static_cast<float>(picture.height)));
  const auto place = [&](int x, int y) {
    return ImVec2(
        item.p0.x + (static_cast<float>(x) - picture.uv0.x * static_cast<float>(picture.width)) * pixel.x,
        item.p0.y + (static_cast<float>(y) - picture.uv0.y * static_cast<float>(picture.height)) * pixel.y);
  };
  const ImVec2 p0 = place(x0, y0), p1 = place(x1, y1);
  TRY(const std::string link, png_link(image));
  std::string element = image_text(p0, p1, link);
  if (pixel.x > 1) element += kSquarePixels;
  if (picture.alpha < 1) element += attribute("opacity", picture.alpha);
  element += "/>\n";
  return svg_cells_inside(p0, p1, item) ? element : through_window(item, element);
}

}  // namespace attnscope::svg
