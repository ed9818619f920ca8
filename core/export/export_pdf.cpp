// PDF by cairo: fonts embedded, texts selectable, a page as large as the figure, the session as an embedded
// file. No date is written, so that the same figure gives the same file.
#include <cairo-pdf.h>
#include <cairo.h>

#include "core/export/carried.h"
#include "core/export/export.h"
#include "core/export/paint.h"

namespace attnscope {
namespace {

cairo_status_t append_bytes(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

Status write_figure_pdf(const FigureToExport& what, AtomicFile& file, const std::string&) {
  const figure::Drawing& drawing = what.page->drawing;
  const double points = what.page->points();
  std::string pdf;
  cairo_surface_t* surface =
      cairo_pdf_surface_create_for_stream(append_bytes, &pdf, static_cast<double>(drawing.width) * points,
                                          static_cast<double>(drawing.height) * points);
  // 1.4: a plain cross-reference table, behind which the session is appended.
  cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, what.title.c_str());
  if (!what.caption.empty())
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, what.caption.c_str());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, exported_by().c_str());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, nullptr);
  cairo_t* context = cairo_create(surface);
  cairo_scale(context, points, points);
  paint(context, drawing, !what.transparent);
  cairo_show_page(context);
  cairo_status_t status = cairo_status(context);
  cairo_destroy(context);
  cairo_surface_finish(surface);
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    return fail(Code::unsupported, "error.export.drawing", {cairo_status_to_string(status)});
  file.write(what.session.empty() ? pdf : carried_in_pdf(std::move(pdf), what.session));
  return Done{};
}

}  // namespace

Exporter export_pdf() { return {"pdf", true, write_figure_pdf}; }

}  // namespace attnscope
