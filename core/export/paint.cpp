#include "core/export/paint.h"

#include <cairo-ft.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "core/base/text.h"
#include "core/figure/drawing.h"

namespace attnscope {
namespace {

using figure::DrawnShape;
using figure::Rgb;

constexpr double kHatchAlpha = 0.35, kLineWidth = 2;

// Faces live as long as the program: cairo keeps what it made of them.
struct CairoFaces {
  std::mutex one_thread;
  figure::Glyphs letters;
  std::map<FT_FaceRec_*, cairo_font_face_t*> faces;

  cairo_font_face_t* face(FT_FaceRec_* of) {
    cairo_font_face_t*& out = faces[of];
    if (!out) out = cairo_ft_font_face_create_for_ft_face(of, FT_LOAD_NO_HINTING);
    return out;
  }
};
CairoFaces& cairo_faces() {
  static auto* faces = new CairoFaces;
  return *faces;
}

double channel_of(Rgb colour, unsigned shift) { return static_cast<double>(colour >> shift & 0xffu) / 255; }
void use_colour(cairo_t* to, Rgb colour, double alpha) {
  cairo_set_source_rgba(to, channel_of(colour, 16), channel_of(colour, 8), channel_of(colour, 0), alpha);
}
double alpha_of(const DrawnShape& shape) { return static_cast<double>(shape.alpha); }
void use_dashes(cairo_t* to, double on, double off, bool dashed) {
  const double lengths[] = {on, off};
  cairo_set_dash(to, lengths, dashed ? 2 : 0, 0);
}

void outline(cairo_t* to, const DrawnShape& shape) {
  const double x = shape.rect.x, y = shape.rect.y, w = shape.rect.w, h = shape.rect.h;
  const double round = std::min({static_cast<double>(shape.round), w / 2, h / 2});
  if (round <= 0) return cairo_rectangle(to, x, y, w, h);
  constexpr double kQuarter = std::numbers::pi / 2;
  cairo_new_sub_path(to);
  cairo_arc(to, x + w - round, y + round, round, -kQuarter, 0);
  cairo_arc(to, x + w - round, y + h - round, round, 0, kQuarter);
  cairo_arc(to, x + round, y + h - round, round, kQuarter, 2 * kQuarter);
  cairo_arc(to, x + round, y + round, round, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(to);
}

void paint_line(cairo_t* to, const DrawnShape& shape, double pen) {
  use_colour(to, shape.colour, alpha_of(shape));
  cairo_set_line_width(to, kLineWidth * pen);
  use_dashes(to, 6 * pen, 4 * pen, shape.dashed);
  for (const auto& [x, y] : shape.points) cairo_line_to(to, x, y);
  cairo_stroke(to);
}

void paint_picture(cairo_t* to, const DrawnShape& shape) {
  const auto columns = static_cast<int>(shape.columns);
  if (columns <= 0 || shape.pixels.empty()) return;
  const int rows = static_cast<int>(std::ssize(shape.pixels)) / columns;
  cairo_surface_t* cells = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
  if (cairo_surface_status(cells) == CAIRO_STATUS_SUCCESS) {
    cairo_surface_flush(cells);
    unsigned char* data = cairo_image_surface_get_data(cells);
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(cells);
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      std::copy_n(shape.pixels.begin() + row * columns, columns, reinterpret_cast<Rgb*>(data + row * stride));
    cairo_surface_mark_dirty(cells);
    cairo_save(to);
    cairo_translate(to, shape.rect.x, shape.rect.y);
    cairo_scale(to, shape.rect.w / static_cast<double>(columns), shape.rect.h / static_cast<double>(rows));
    cairo_set_source_surface(to, cells, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(to), CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(cairo_get_source(to), CAIRO_EXTEND_PAD);
    cairo_rectangle(to, 0, 0, columns, rows);
    cairo_fill(to);
    cairo_restore(to);
  }
  cairo_surface_destroy(cells);
}

// Letters of one typeface that stand in a row.
struct Run {
  FT_FaceRec_* face = nullptr;
  std::string text;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
};
void show(cairo_t* to, const Run& run, double em) {
  if (!run.face || run.glyphs.empty()) return;
  cairo_set_font_face(to, cairo_faces().face(run.face));
  cairo_set_font_size(to, em);
  cairo_show_text_glyphs(to, run.text.c_str(), static_cast<int>(run.text.size()), run.glyphs.data(),
                         static_cast<int>(run.glyphs.size()), run.clusters.data(),
                         static_cast<int>(run.clusters.size()), {});
}
void paint_text(cairo_t* to, const DrawnShape& shape) {
  use_colour(to, shape.colour, alpha_of(shape));
  cairo_save(to);
  cairo_translate(to, shape.x, shape.y);
  if (shape.turned != 0) cairo_rotate(to, static_cast<double>(shape.turned) * std::numbers::pi / 180);
  Run run;
  double x = 0;
  for (std::size_t at = 0; at < shape.text.size();) {
    const std::size_t begin = at;
    const char32_t letter = next_code_point(shape.text, at);
    const figure::Glyph glyph = cairo_faces().letters.glyph(shape.face, letter);
    if (glyph.face != run.face) show(to, std::exchange(run, Run{glyph.face, {}, {}, {}}), shape.em);
    run.glyphs.push_back({glyph.index, x, 0});
    const std::size_t before = run.text.size();
    run.text += valid_utf8(std::string_view(shape.text).substr(begin, at - begin));
    run.clusters.push_back({static_cast<int>(run.text.size() - before), 1});
    x += static_cast<double>(glyph.advance) * static_cast<double>(shape.em);
  }
  show(to, run, shape.em);
  cairo_restore(to);
}

void paint_shape(cairo_t* to, const DrawnShape& shape, double pen) {
  switch (shape.kind) {
    case DrawnShape::Kind::rect:
      use_colour(to, shape.colour, alpha_of(shape));
      outline(to, shape);
      return cairo_fill(to);
    case DrawnShape::Kind::frame:
      use_colour(to, shape.colour, alpha_of(shape));
      cairo_set_line_width(to, pen);
      use_dashes(to, 3 * pen, 2 * pen, shape.dashed);
      outline(to, shape);
      return cairo_stroke(to);
    case DrawnShape::Kind::hatch:
      use_colour(to, shape.colour, kHatchAlpha * alpha_of(shape));
      cairo_set_line_width(to, pen);
      use_dashes(to, 0, 0, false);
      cairo_move_to(to, shape.rect.x, shape.rect.bottom());
      cairo_line_to(to, shape.rect.right(), shape.rect.y);
      return cairo_stroke(to);
    case DrawnShape::Kind::line: return paint_line(to, shape, pen);
    case DrawnShape::Kind::text: return paint_text(to, shape);
    case DrawnShape::Kind::picture: return paint_picture(to, shape);
  }
}

}  // namespace

void paint(cairo_t* context, const figure::Drawing& drawing, bool ground) {
  const std::scoped_lock lock(cairo_faces().one_thread);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options);
  cairo_font_options_destroy(options);
  for (std::size_t at = ground ? 0 : 1; at < drawing.shapes.size(); ++at)  // 0: the ground
    paint_shape(context, drawing.shapes[at], static_cast<double>(drawing.pen));
}

}  // namespace attnscope
