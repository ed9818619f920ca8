#include "core/export/export.h"

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"

namespace attnscope {

const std::vector<const Exporter*>& exporters() {
  static const std::vector<const Exporter*> all = [] {
    std::vector<const Exporter*> out;
    for (const Exporter& one : exporters_by_file()) out.push_back(&one);
    std::stable_sort(out.begin(), out.end(), [](const Exporter* a, const Exporter* b) {
      return std::pair(!a->picture, a->moves) < std::pair(!b->picture, b->moves);
    });
    return out;
  }();
  return all;
}

std::vector<PngText> png_texts(const FigureToExport& what) {
  std::vector<PngText> out{{"Title", what.title}, {"Software", exported_by()}};
  if (!what.caption.empty()) out.push_back({"Description", what.caption});
  return out;
}

Result<const Exporter*> find_exporter(std::string_view id) {
  std::vector<std::string> known;
  for (const Exporter* one : exporters()) {
    if (one->id == id) return one;
    known.push_back(one->id);
  }
  return fail(Code::unsupported, "error.export.format", {in_quotes(id), join(known, ", ")});
}

Result<const Exporter*> exporter_of_path(const std::string& path) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  return find_exporter(std::string_view(ending).substr(ending.empty() ? 0 : 1));
}

Status export_figure(const Exporter& exporter, const FigureToExport& what, const std::string& path) {
  TRY(AtomicFile file, AtomicFile::create(path));
  TRY_OK(exporter.write(what, file, path));
  return file.commit();
}

}  // namespace attnscope
