// A figure as a file, or several as a film, in any form of core/export.
#pragma once

#include "core/export/export.h"
#include "core/view/walk.h"

namespace attnscope {

struct FigureForFile {
  figure::Figure figure;
  std::vector<Text> caption;         ///< caption_of()
  std::shared_ptr<const Trace> run;  ///< whose numbers it shows; null: of none
};
struct FileStyle {
  std::string size = "1280x720";  ///< parse_page_size()
  bool paper = false, caption = false, transparent = false, dark = true;
  const figure::LetterSizes* letters = nullptr;  ///< null: by `paper` and `size`
  int scale = 1;                                 ///< pixels per unit
  double seconds = 1.5;                          ///< that each picture of a film stands
  std::string run = {};                          ///< what was run, as JSON; empty: not said
};

/// The file of one picture of a walk, counted from 1: "a-001.png" of "a.png".
std::string walk_file(const std::string& path, std::size_t number);

/// One figure as one file with its session; several as a film, or in forms that do not move as the
/// walk_file()s. What it had no room for. Errors: those of page_of() and of the file; a form that
/// moves, of one figure.
Result<std::vector<std::string>> write_figures(const Exporter& exporter,
                                               const std::vector<FigureForFile>& figures,
                                               const std::string& session, const FileStyle& style,
                                               const std::string& path);

}  // namespace attnscope
