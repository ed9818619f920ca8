// NumPy archive: an array per part (core/export/data.h), and "names" and "run" (what was run) with the bytes
// of a JSON text.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_npz(const FigureToExport& what, AtomicFile& file, const std::string& path) {
  const std::vector<FigureData> data = data_of(*what.figure);
  NamedInts names{"names", {}, {}};
  for (const char c : names_json(data)) names.values.push_back(static_cast<unsigned char>(c));
  names.shape = {std::ssize(names.values)};
  std::vector<NamedInts> told{std::move(names)};
  if (!what.run.empty()) {
    NamedInts& run = told.emplace_back(NamedInts{"run", {}, {std::ssize(what.run)}});
    for (const char c : what.run) run.values.push_back(static_cast<unsigned char>(c));
  }
  return put_npz(file, path, arrays_of(data), told);
}

}  // namespace

Exporter export_npz() { return {"npz", false, write_figure_npz}; }

}  // namespace attnscope
