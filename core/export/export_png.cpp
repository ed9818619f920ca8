// PNG, one to eight pixels per unit, with its density, its caption and its session as texts.
#include <cmath>

#include "core/export/carried.h"
#include "core/export/export.h"
#include "core/export/raster.h"

namespace attnscope {
namespace {

constexpr double kPointsPerMetre = 72 / 0.0254;

Status write_figure_png(const FigureToExport& what, AtomicFile& file, const std::string&) {
  TRY(const PngPixels pixels, raster(what.page->drawing, what.scale, what.transparent));
  std::vector<PngText> texts = png_texts(what);
  if (!what.session.empty()) texts.push_back({std::string(kCarriedName), what.session});
  const double density = kPointsPerMetre / what.page->points() * what.scale;
  file.write(png_of(pixels, texts, static_cast<std::uint32_t>(std::lround(density))));
  return Done{};
}

}  // namespace

Exporter export_png() { return {"png", true, write_figure_png}; }

}  // namespace attnscope
