// safetensors: an array per part (core/export/data.h); names, caption and what was run in its metadata.
#include "core/export/data.h"
#include "core/export/export.h"

namespace attnscope {
namespace {

Status write_figure_safetensors(const FigureToExport& what, AtomicFile& file, const std::string& path) {
  const std::vector<FigureData> data = data_of(*what.figure);
  Metadata metadata{{"made_by", exported_by()}, {"title", what.title}, {"names", names_json(data)}};
  if (!what.caption.empty()) metadata["caption"] = what.caption;
  if (!what.run.empty()) metadata["run"] = what.run;
  return put_safetensors(file, path, arrays_of(data), {}, metadata);
}

}  // namespace

Exporter export_safetensors() { return {"safetensors", false, write_figure_safetensors}; }

}  // namespace attnscope
