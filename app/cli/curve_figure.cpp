#include "app/cli/curve_figure.h"

#include <array>
#include <cstdio>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/figure_file.h"

namespace attnscope::cli {

figure::Ink curve_ink(std::size_t i) {
  using figure::Ink;
  constexpr std::array<Ink, 6> kInks{Ink::accent, Ink::warning, Ink::key, Ink::value, Ink::mlp, Ink::query};
  return kInks[i % kInks.size()];
}

Status check_curve_path(const std::string& path) {
  if (path.empty()) return Done{};
  TRY_OK(exporter_of_path(path));
  return Done{};
}

Status write_curves(const std::string& path, const Text& title, const std::vector<CurvePlot>& plots) {
  TRY(const Exporter* exporter, exporter_of_path(path));
  FigureForFile made;
  made.figure.title = title;
  std::vector<figure::PartBox> boxes{figure::words("title", figure::WordsMark::As::title, {title}, 2)};
  std::vector<figure::PartBox> line;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    line.push_back(figure::leaf({"curves" + std::to_string(i), plots[i].plot, 3, {plots[i].title}, {}}));
    if (line.size() < 2 && i + 1 < plots.size()) continue;
    boxes.push_back(line.size() == 1 ? std::move(line.front()) : figure::row(std::move(line)));
    line.clear();
  }
  made.figure.body = figure::column(std::move(boxes));
  FileStyle style;
  style.dark = false;
  TRY(const std::vector<std::string> left_out, write_figures(*exporter, {std::move(made)}, {}, style, path));
  if (!left_out.empty())
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.figure.left_out", {style.size, join(left_out, ", ")}).c_str());
  return Done{};
}

}  // namespace attnscope::cli
