#include "core/export/raster.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>

#include "core/export/paint.h"

namespace attnscope {
namespace {

constexpr int kMostSide = 32767;                  // of a picture of cairo's
constexpr std::int64_t kMostPngPixels = 1 << 27;  // half a gigabyte

PngPixels pixels_in(cairo_surface_t* surface, bool alpha) {
  PngPixels out{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), alpha, {}};
  out.bytes.reserve(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) *
                    (alpha ? 4 : 3));
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  for (std::ptrdiff_t row = 0; row < out.height; ++row) {
    const auto* pixels = reinterpret_cast<const std::uint32_t*>(data + row * stride);
    for (std::ptrdiff_t col = 0; col < out.width; ++col) {
      const std::uint32_t pixel = pixels[col], a = alpha ? pixel >> 24u : 255;
      for (const unsigned shift : {16u, 8u, 0u}) {
        const std::uint32_t level = pixel >> shift & 0xffu;  // cairo's are multiplied by alpha
        out.bytes.push_back(
            static_cast<std::uint8_t>(a == 0 ? 0 : std::min<std::uint32_t>(255, (level * 255 + a / 2) / a)));
      }
      if (alpha) out.bytes.push_back(static_cast<std::uint8_t>(a));
    }
  }
  return out;
}

}  // namespace

Result<PngPixels> raster(const figure::Drawing& drawing, int scale, bool transparent) {
  const auto side = [&](float units) {
    return static_cast<std::int64_t>(std::ceil(static_cast<double>(units) * scale - 1e-3));
  };
  const std::int64_t width = side(drawing.width), height = side(drawing.height);
  if (width > kMostSide || height > kMostSide || width * height > kMostPngPixels)
    return fail(Code::out_of_range, "error.export.pixels", {width, height});
  cairo_surface_t* surface =
      cairo_image_surface_create(transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                 static_cast<int>(width), static_cast<int>(height));
  cairo_t* context = cairo_create(surface);
  if (!transparent) {  // the last pixels may be part of the page only
    const figure::Rgb ground = drawing.colours().ground;
    cairo_set_source_rgb(context, (ground >> 16 & 0xff) / 255.0, (ground >> 8 & 0xff) / 255.0,
                         (ground & 0xff) / 255.0);
    cairo_paint(context);
  }
  cairo_scale(context, scale, scale);
  paint(context, drawing, false);
  cairo_surface_flush(surface);
  const cairo_status_t status = cairo_status(context);
  PngPixels pixels;
  if (status == CAIRO_STATUS_SUCCESS) pixels = pixels_in(surface, transparent);
  cairo_destroy(context);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    return fail(Code::unsupported, "error.export.drawing", {cairo_status_to_string(status)});
  return pixels;
}

}  // namespace attnscope
