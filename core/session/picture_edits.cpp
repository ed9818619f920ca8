#include "core/session/picture_edits.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

void dab(std::vector<std::uint8_t>& rgb, const Picture& picture, int x, int y, const Stroke& stroke) {
  const int before = (stroke.brush - 1) / 2;
  for (int row = y - before; row < y - before + stroke.brush; ++row)
    for (int col = x - before; col < x - before + stroke.brush; ++col) {
      if (row < 0 || row >= picture.height || col < 0 || col >= picture.width) continue;
      std::copy(stroke.colour.begin(), stroke.colour.end(),
                rgb.begin() + (std::ptrdiff_t{row} * picture.width + col) * 3);
    }
}

}  // namespace

Picture blank_picture(int width, int height, Rgb colour) {
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

Picture painted(const Picture& picture, const Stroke& stroke) {
  auto rgb = std::make_shared<std::vector<std::uint8_t>>(*picture.rgb);
  const int across = stroke.x1 - stroke.x0, down = stroke.y1 - stroke.y0;
  const int steps = std::max(std::abs(across), std::abs(down));
  for (int step = 0; step <= steps; ++step) {
    const double share = steps > 0 ? static_cast<double>(step) / steps : 0.0;
    dab(*rgb, picture, stroke.x0 + static_cast<int>(std::lround(share * across)),
        stroke.y0 + static_cast<int>(std::lround(share * down)), stroke);
  }
  return {picture.width, picture.height, std::move(rgb), {}};
}

int grid_height(const OpenedModel& opened, int width) {
  const Preprocessing& how = opened.preprocessing;
  return std::max(1, static_cast<int>(std::lround(static_cast<double>(width) * how.height / how.width)));
}

Status paint(Document& document, std::size_t sequence, const Stroke& stroke, int width, int height) {
  if (sequence >= document.sequences.size() || width < 1 || height < 1)
    return fail(Code::out_of_range, "There is nothing to draw on.", "Choose a sequence of the batch.");
  const Picture& now = document.sequences[sequence].picture;
  const Picture base =
      now.empty() ? blank_picture(width, height, {255, 255, 255}) : on_grid(now, width, height);
  return set_picture(document, sequence, painted(base, stroke));
}

}  // namespace attnscope
