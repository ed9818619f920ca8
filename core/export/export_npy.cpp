// One NumPy array: the matrix that matters most in the figure, the last of those that matter equally.
#include "core/base/text.h"
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_npy(const FigureToExport& what, AtomicFile& file, const std::string& path) {
  const std::vector<FigureData> data = data_of(*what.figure);
  const FigureData* best = nullptr;
  const auto rank = [](const FigureData& part) {  // a plane before a single row
    return std::pair(part.values.size(0) > 1, part.priority);
  };
  for (const FigureData& part : data)
    if (part.kind == FigureData::Kind::matrix && (!best || rank(part) >= rank(*best))) best = &part;
  if (!best) return fail(Code::unsupported, "error.export.no_matrix", {in_quotes(what.title)});
  return put_npy(file, path, best->values);
}

}  // namespace

Exporter export_npy() { return {"npy", false, write_figure_npy}; }

}  // namespace attnscope
