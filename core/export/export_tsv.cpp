// Columns separated by tabs, for spreadsheets: the tables of the figure one below the other, numbers exact.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_tsv(const FigureToExport& what, AtomicFile& file, const std::string&) {
  file.write(tab_separated(data_of(*what.figure)));
  return Done{};
}

}  // namespace

Exporter export_tsv() { return {"tsv", false, write_figure_tsv}; }

}  // namespace attnscope
