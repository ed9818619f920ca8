// LaTeX tables (booktabs), with the digits that the figure shows.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_tex(const FigureToExport& what, AtomicFile& file, const std::string&) {
  file.write(table_text(data_of(*what.figure), false));
  return Done{};
}

}  // namespace

Exporter export_tex() { return {"tex", false, write_figure_tex}; }

}  // namespace attnscope
