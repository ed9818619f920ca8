// The options of attnscope-cli figure: those that say how a figure is drawn travel in its file and are there
// again when it is opened.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/base/words.h"

namespace attnscope::cli {

struct FigureOptions {
  std::vector<std::string> models, set;
  std::string view = "attention", page, level = "full", size, theme = "dark", step, format, walk, out = "-";
  std::string words, lang = language();
  std::int64_t layer = 0, head = 0, row = -1, distance = -1, scale = 1;
  double temperature = 1, seconds = 1.5;
  bool present = false, minus = false, compare = false, json = false, list = false, check = false;
  bool transparent = false, paper = false, caption = false;
  SequenceOptions text, a_text;
  std::set<std::string> given;  ///< names of the options on the command line: "layer"
};

/// Calls use("layer", options.layer) for each option that says how a figure is drawn.
template <class Options, class Use>
void each_figure_option(Options& options, Use use) {
  use("view", options.view), use("page", options.page), use("set", options.set);
  use("step", options.step), use("level", options.level), use("size", options.size);
  use("theme", options.theme), use("layer", options.layer), use("head", options.head);
  use("words", options.words), use("distance", options.distance);
  use("row", options.row), use("temperature", options.temperature), use("present", options.present);
  use("minus", options.minus), use("compare", options.compare), use("scale", options.scale);
  use("transparent", options.transparent), use("paper", options.paper), use("caption", options.caption);
  use("lang", options.lang);
}

/// Those that change a picture and no data.
inline constexpr std::array<const char*, 7> kLookFlags{"size",  "scale",   "transparent", "paper",
                                                       "theme", "caption", "present"};

/// As a figure carries them.
nlohmann::json figure_words(const FigureOptions& options);
/// Takes those that were not given on the command line; values of another type are ignored.
void take_figure_words(const nlohmann::json& words, FigureOptions& options);

}  // namespace attnscope::cli
