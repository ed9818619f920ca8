// Markdown tables, with the digits that the figure shows.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_md(const FigureToExport& what, AtomicFile& file, const std::string&) {
  file.write(table_text(data_of(*what.figure), true));
  return Done{};
}

}  // namespace

Exporter export_md() { return {"md", false, write_figure_md}; }

}  // namespace attnscope
