// NumPy archive: an array per part (core/export/data.h), and "names" with the bytes of a JSON text.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_npz(const FigureToExport& what, AtomicFile& file, const std::string& path) {
  const std::vector<FigureData> data = data_of(*what.figure);
  NamedInts names{"names", {}, {}};
  for (const char c : names_json(data)) names.values.push_back(static_cast<unsigned char>(c));
  names.shape = {std::ssize(names.values)};
  return put_npz(file, path, arrays_of(data), {names});
}

}  // namespace

Exporter export_npz() { return {"npz", false, write_figure_npz}; }

}  // namespace attnscope
