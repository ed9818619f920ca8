#include "app/cli/curve_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
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

namespace {

constexpr std::size_t kMostCurves = 6;  // of different inks
constexpr std::size_t kPlotHeight = 250, kLeastHeight = 720;

// The curves that reach highest, where there are more than inks; the title says so.
CurvePlot fewer(CurvePlot plot) {
  auto& series = plot.plot.series;
  if (series.size() <= kMostCurves) return plot;
  const auto most = [](const figure::PlotMark::Series& one) {
    double out = 0;
    for (const auto& [x, y] : one.points) out = std::max(out, std::fabs(y));
    return out;
  };
  plot.title = Text::of("cli.curves.largest", {plot.title, kMostCurves, series.size()});
  std::stable_sort(series.begin(), series.end(),
                   [&](const auto& a, const auto& b) { return most(a) > most(b); });
  series.resize(kMostCurves);
  for (std::size_t i = 0; i < series.size(); ++i) series[i].ink = curve_ink(i);
  return plot;
}

}  // namespace

Status write_curves(const std::string& path, const Text& title, const std::vector<CurvePlot>& plots) {
  TRY(const Exporter* exporter, exporter_of_path(path));
  FigureForFile made;
  made.figure.title = title;
  std::vector<figure::PartBox> boxes{figure::words("title", figure::WordsMark::As::title, {title}, 2)};
  std::vector<figure::PartBox> line;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const CurvePlot one = fewer(plots[i]);
    line.push_back(figure::leaf({"curves" + std::to_string(i), one.plot, 3, {one.title}, {}}));
    if (line.size() < 2 && i + 1 < plots.size()) continue;
    boxes.push_back(line.size() == 1 ? std::move(line.front()) : figure::row(std::move(line)));
    line.clear();
  }
  made.figure.body = figure::column(std::move(boxes));
  FileStyle style;
  style.dark = false;
  style.size = "1280x" + std::to_string(std::max(kLeastHeight, kPlotHeight * ((plots.size() + 1) / 2)));
  TRY(const std::vector<std::string> left_out, write_figures(*exporter, {std::move(made)}, {}, style, path));
  if (!left_out.empty())
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.figure.left_out", {style.size, join(left_out, ", ")}).c_str());
  return Done{};
}

}  // namespace attnscope::cli
