// What a figure is written as: one file per form, core/export/export_NAME.cpp, with one function `Exporter
// export_NAME()`. Pictures are written from a Drawing, so that SVG, PDF and PNG agree; data from the marks of
// the figure, with all digits that they have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/version.h"
#include "core/export/film.h"
#include "core/export/page.h"
#include "core/figure/figure.h"
#include "core/system/atomic_file.h"

namespace attnscope {

/// A figure and what stands around it in a file.
struct FigureToExport {
  const figure::Figure* figure = nullptr;
  const FigurePage* page = nullptr;  ///< of pictures
  std::string title, caption;        ///< in words; the caption for readers who do not see the figure
  std::string session;               ///< what it was made from, as JSON (core/export/carried.h); empty: none
  int scale = 1;                     ///< PNG: pixels per unit
  bool transparent = false;          ///< pictures: without a ground
  const std::vector<FilmFrame>* film = nullptr;  ///< of forms that move
  std::string run = {};  ///< what was run, as JSON, for data in JSON, CSV and npz; empty: not said
};
/// Title, program and caption, as PNG has them.
std::vector<PngText> png_texts(const FigureToExport& what);

struct Exporter {
  std::string id;  ///< "svg": also the extension of its files
  bool picture = false;
  /// Into a file that the caller commits; `path` is its name in errors.
  Status (*write)(const FigureToExport& what, AtomicFile& file, const std::string& path) = nullptr;
  bool moves = false;  ///< it shows a film
};

/// From core/export/export_*.cpp, in the order of files.
const std::vector<Exporter>& exporters_by_file();
/// Pictures first, then those that move.
const std::vector<const Exporter*>& exporters();
/// By id; in a path by extension. Errors: none such, with all that are known.
Result<const Exporter*> find_exporter(std::string_view id);
Result<const Exporter*> exporter_of_path(const std::string& path);
/// Writes the file, whole or not at all.
Status export_figure(const Exporter& exporter, const FigureToExport& what, const std::string& path);

inline constexpr int kMostExportScale = 8;
/// Whose file this is: "attnscope 0.1.0".
inline std::string exported_by() { return "attnscope " + std::string(version()); }

}  // namespace attnscope
