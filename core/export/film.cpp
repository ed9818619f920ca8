#include "core/export/film.h"

#include <algorithm>
#include <optional>

#include "core/export/raster.h"

namespace attnscope {
namespace {

constexpr std::size_t kColours = 3;  // bytes a pixel

// The smallest rectangle outside of which both are equal. Nothing where they are equal.
std::optional<PngFrame> change(const PngPixels& before, const PngPixels& now) {
  const auto wide = static_cast<std::size_t>(now.width) * kColours;
  int left = now.width, right = 0, top = -1, bottom = 0;
  for (int y = 0; y < now.height; ++y) {
    const auto begin = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * wide);
    const auto end = begin + static_cast<std::ptrdiff_t>(wide);
    const auto a = before.bytes.begin() + begin, b = now.bytes.begin() + begin;
    const auto first = std::mismatch(b, now.bytes.begin() + end, a).first;
    if (first == now.bytes.begin() + end) continue;
    std::ptrdiff_t last = end - begin - 1;
    while (a[last] == b[last]) --last;
    if (top < 0) top = y;
    bottom = y + 1;
    left = std::min(left, static_cast<int>((first - b) / static_cast<std::ptrdiff_t>(kColours)));
    right = std::max(right, static_cast<int>(last / static_cast<std::ptrdiff_t>(kColours)) + 1);
  }
  if (top < 0) return std::nullopt;
  PngFrame out;
  out.x = left, out.y = top;
  out.pixels = {right - left, bottom - top, false, {}};
  for (int y = top; y < bottom; ++y) {
    const auto row = now.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * wide);
    out.pixels.bytes.insert(out.pixels.bytes.end(), row + left * static_cast<std::ptrdiff_t>(kColours),
                            row + right * static_cast<std::ptrdiff_t>(kColours));
  }
  return out;
}

}  // namespace

Status each_change(const std::vector<FilmFrame>& film, int scale,
                   const std::function<void(PngFrame&& part)>& next) {
  PngPixels before;
  PngFrame waiting;
  for (const FilmFrame& frame : film) {
    TRY(PngPixels now, raster(frame.drawing, scale));
    if (before.bytes.empty()) {
      waiting.pixels = now, waiting.hundredths = frame.hundredths;
    } else if (auto part = change(before, now)) {
      next(std::move(waiting));
      waiting = *std::move(part), waiting.hundredths = frame.hundredths;
    } else {
      waiting.hundredths += frame.hundredths;
    }
    waiting.hundredths = std::min(waiting.hundredths, kMostHundredths);
    before = std::move(now);
  }
  if (!film.empty()) next(std::move(waiting));
  return Done{};
}

Status put_film(AtomicFile& file, const std::string& bytes) {
  if (bytes.empty()) return fail(Code::io_failed, "error.export.gif");
  file.write(bytes);
  return Done{};
}

}  // namespace attnscope
