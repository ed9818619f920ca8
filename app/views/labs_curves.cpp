#include "app/views/labs_curves.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/look/kept_text.h"
#include "app/views/labs_pieces.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"

namespace attnscope {

namespace {

std::pair<float, float> extent(const LabPlot& plot, bool vertical) {
  float lo = INFINITY, hi = -INFINITY;
  const bool log = vertical ? plot.log_y : plot.log_x;
  for (const LabSeries& series : plot.series)
    for (const auto& [x, y] : series.points) {
      const auto value = static_cast<float>(vertical ? y : x);
      if (std::isfinite(value) && (!log || value > 0)) lo = std::min(lo, value), hi = std::max(hi, value);
    }
  return lo < hi ? std::make_pair(lo, hi) : std::make_pair(log ? 0.1f : 0.f, 1.f);
}

// Equal scale on both axes; the wider one fills its side.
void make_square(LinePlot& plot, ImVec2 size) {
  const float width = std::max(1.f, size.x - scaled(60)), height = std::max(1.f, size.y - scaled(60));
  const float unit = std::max((plot.x1 - plot.x0) / width, (plot.y1 - plot.y0) / height);
  const float x = (plot.x0 + plot.x1) / 2, y = (plot.y0 + plot.y1) / 2;
  plot.x0 = x - unit * width / 2, plot.x1 = x + unit * width / 2;
  plot.y0 = y - unit * height / 2, plot.y1 = y + unit * height / 2;
}

// True if title and curve names fit on one line.
bool legend_fits(const LinePlot& plot, float width) {
  float all = text_size(fonts().body_bold, plot.title).x + scaled(40);
  for (const LineSeries& series : plot.series)
    if (!series.label.empty()) all += text_size(fonts().small, series.label).x + scaled(38);
  return all < width;
}

LinePlot curves(const LabPlot& from, std::uint64_t serial, const std::string& key) {
  LinePlot plot;
  plot.key = "###lab_" + key;
  plot.title = lab_words(from.title, serial);
  plot.x_title = plot.x_name = lab_words(from.x_title, serial);
  plot.log_x = from.log_x;
  plot.log_y = from.log_y;
  plot.readout = !from.square;
  for (const LabSeries& series : from.series) {
    LineSeries line;
    for (const auto& [x, y] : series.points)
      line.points.emplace_back(static_cast<float>(x), static_cast<float>(y));
    line.pixel = static_cast<float>(series.pixel);
    const bool frame = series.name.empty() && series.pixel <= 0;
    line.colour = frame ? with_alpha(theme().text_dim, 0.4f) : lab_ink(series.ink);
    line.label = lab_words(series.name, serial);
    line.dashed = series.dashed;
    line.dots = series.dots || series.points_only;
    line.line = !series.points_only;
    plot.series.push_back(std::move(line));
  }
  for (const double x : from.x_marks) plot.x_marks.push_back(static_cast<float>(x));
  for (const double y : from.y_marks) plot.y_marks.push_back(static_cast<float>(y));
  plot.mark_colour = with_alpha(theme().text, 0.45f);
  std::tie(plot.x0, plot.x1) = extent(from, false);
  fit_y(plot);
  if (from.x.first < from.x.second)
    plot.x0 = static_cast<float>(from.x.first), plot.x1 = static_cast<float>(from.x.second);
  if (from.y.first < from.y.second)
    plot.y0 = static_cast<float>(from.y.first), plot.y1 = static_cast<float>(from.y.second);
  return plot;
}

// Cached per picture: those of the newest stay.
LinePlot& kept_curves(const LabPlot& from, std::uint64_t serial, const std::string& key) {
  static std::unordered_map<std::string, Kept<LinePlot>> kept;
  return kept[key].get({serial, reinterpret_cast<std::uintptr_t>(&from)},
                       [&] { return curves(from, serial, key); });
}

}  // namespace

ImU32 lab_ink(LabInk wanted) {
  const Theme& t = theme();
  switch (wanted) {
    case LabInk::blue: return t.q;
    case LabInk::red: return t.k;
    case LabInk::green: return t.v;
    case LabInk::amber: return t.residual;
    case LabInk::purple: return t.mlp;
    case LabInk::dim: break;
  }
  return t.text_dim;
}

void draw_lab_curves(const LabPlot& from, std::uint64_t serial, const std::string& key, ImVec2 at,
                     ImVec2 size) {
  LinePlot& plot = kept_curves(from, serial, key);
  plot.title = lab_words(from.title, serial);
  if (!legend_fits(plot, size.x)) {
    const float below = draw_lab_title(from.title, serial, at, size.x);
    size.y -= below - at.y;
    at.y = below;
    plot.title.clear();
  }
  if (!from.square) {
    draw_line_plot(plot, at, size);
    return;
  }
  LinePlot square = plot;
  make_square(square, size);
  draw_line_plot(square, at, size);
}

}  // namespace attnscope
