// SVG 1.1: texts as text, groups by the site they show, the session in <metadata>.
#include "core/base/markup.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/carried.h"
#include "core/export/export.h"
#include "core/io/png_file.h"

namespace attnscope {
namespace {

std::string picture_link(const figure::DrawnShape& shape) {
  PngPixels pixels;
  pixels.width = static_cast<int>(shape.columns);
  pixels.height = static_cast<int>(std::ssize(shape.pixels) / shape.columns);
  for (const figure::Rgb colour : shape.pixels)
    for (const unsigned shift : {16u, 8u, 0u})
      pixels.bytes.push_back(static_cast<std::uint8_t>(colour >> shift & 0xffu));
  const std::string png = png_of(pixels);
  return "data:image/png;base64," + base64({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
}

std::string in_cm(float points) { return format("%.4gcm", static_cast<double>(points) * 2.54 / 72); }

Status write_figure_svg(const FigureToExport& what, AtomicFile& file, const std::string&) {
  const figure::Drawing& drawing = what.page->drawing;
  figure::SvgPage page{what.title, what.caption, language(), {}, {}, {}};
  if (!what.session.empty()) page.metadata = carried_in_svg(what.session);
  if (what.page->printed) page.width = in_cm(drawing.width), page.height = in_cm(drawing.height);
  page.ground = !what.transparent;
  page.picture = picture_link;
  file.write(to_svg(drawing, page));
  return Done{};
}

}  // namespace

Exporter export_svg() { return {"svg", true, write_figure_svg}; }

}  // namespace attnscope
