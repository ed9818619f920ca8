// Curves over one x axis, with the limits of both axes and a name per curve.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/power_text.h"
#include "core/base/text.h"
#include "core/figure/marks.h"

namespace attnscope::figure {
namespace {

constexpr std::array<Give, 3> kPlotGives{Give::shorter_words, Give::names, Give::left_out};
constexpr double kFineAxis = 0.01;                      // shorter axes keep all their decimals
constexpr double kGroupedFrom = 1e4, kGroupedTo = 1e7;  // numbers written out, with separators
constexpr float kPlotDot = 2.6f;                        // radius of a point
constexpr SizeNeed kPlotWidth{140, 380, 1400}, kPlotHeight{80, 220, 800};

// Letters of the axes and of the names of curves.
float plot_em(const LetterSizes& look) { return std::max(look.small, 0.9f * look.body); }

const PlotMark& plot_in(const Part& part) { return std::get<PlotMark>(part.mark); }

struct Limits {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void add(double value) {
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  }
  bool empty() const { return least > most; }
  // 0 .. 1
  double at(double value) const { return most > least ? (value - least) / (most - least) : 0.5; }
};
double scaled(double value, bool log) {
  if (!log) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}
struct PlotLimits {
  Limits x, y;
};
PlotLimits limits_of(const PlotMark& plot) {
  PlotLimits out;
  const auto fixed = [](Limits& limits, const std::pair<double, double>& range, bool log) {
    if (range.first >= range.second) return false;
    limits.add(scaled(range.first, log)), limits.add(scaled(range.second, log));
    return true;
  };
  const bool x = fixed(out.x, plot.x_range, plot.log_x), y = fixed(out.y, plot.y_range, plot.log_y);
  for (const PlotMark::Series& one : plot.series)
    for (const auto& [px, py] : one.points) {
      if (!x) out.x.add(scaled(px, plot.log_x));
      if (!y) out.y.add(scaled(py, plot.log_y));
    }
  return out;
}
// "131,072", "8.8·10¹²": large and small numbers as people write them.
std::string limit_text(double scaled_value, bool log) {
  const double value = log ? std::pow(10.0, scaled_value) : scaled_value, size = std::abs(value);
  if (size >= kGroupedFrom && size < kGroupedTo)
    return (value < 0 ? "-" : "") + format_count(static_cast<std::int64_t>(std::llround(size)));
  const std::string out = format("%.4g", value);
  return out.find('e') == std::string::npos ? out : with_power(value, 2);
}
// Both ends of an axis, as many decimals each.
std::pair<std::string, std::string> limit_texts(const Limits& limits, bool log) {
  std::pair<std::string, std::string> out{limit_text(limits.least, log), limit_text(limits.most, log)};
  const auto decimals = [](const std::string& text) {
    const std::size_t point = text.find('.');
    return point == std::string::npos ? std::size_t{0} : text.size() - point - 1;
  };
  const auto is_plain = [](const std::string& text) {
    return text.find_first_not_of("-.0123456789") == std::string::npos;
  };
  if (log || !is_plain(out.first) || !is_plain(out.second)) return out;
  const std::size_t most = std::max(decimals(out.first), decimals(out.second));
  const bool fine = limits.most - limits.least < kFineAxis;
  const int digits = static_cast<int>(fine ? most : std::min<std::size_t>(most, 3));
  const auto written = [&](double value) {
    const std::string text = format("%.*f", digits, value);
    return text.find_first_of("123456789") == std::string::npos ? format("%.*f", digits, 0.0) : text;
  };
  return {written(limits.least), written(limits.most)};
}
std::vector<Text> names_in(const PlotMark& plot) {
  std::vector<Text> out;
  for (const PlotMark::Series& one : plot.series)
    if (!one.name.empty()) out.push_back(one.name);
  return out;
}
float widest_name(const PlotMark& plot, const MarkContext& context) {
  float out = 0;
  for (const Text& name : names_in(plot))
    out = std::max(out, context.measure.width(name.str(), plot_em(context.look), Face::sans));
  return out;
}
// A name of the legend: a piece of its line, the name, and a gap; closer together where they would not stand
// in one line otherwise.
struct LegendGaps {
  float line = 18, gap = 6, after = 20;
};
constexpr LegendGaps kWideLegend, kTightLegend{12, 4, 10};
float legend_entry(const Text& name, const LegendGaps& gaps, const MarkContext& context) {
  return gaps.line + gaps.gap + context.measure.width(name.str(), plot_em(context.look), Face::sans);
}
LegendGaps legend_gaps(const PlotMark& plot, float width, const MarkContext& context) {
  float all = -kWideLegend.after;
  for (const Text& name : names_in(plot)) all += legend_entry(name, kWideLegend, context) + kWideLegend.after;
  return all <= width ? kWideLegend : kTightLegend;
}
// Where each name stands: its left end and its line, as many side by side as a width has room for.
std::vector<std::pair<float, int>> legend_places(const PlotMark& plot, float width,
                                                 const MarkContext& context) {
  const LegendGaps gaps = legend_gaps(plot, width, context);
  std::vector<std::pair<float, int>> out;
  float x = 0;
  int line = 0;
  for (const Text& name : names_in(plot)) {
    const float wide = legend_entry(name, gaps, context);
    if (x > 0 && x + wide > width) x = 0, ++line;
    out.emplace_back(x, line);
    x += wide + gaps.after;
  }
  return out;
}
float legend_height(const PlotMark& plot, const Form& form, float width, const MarkContext& context) {
  if (form.has(Give::names)) return 0;
  const auto places = legend_places(plot, width, context);
  return places.empty() ? 0
                        : static_cast<float>(places.back().second + 1) * plot_em(context.look) * kLine + 2;
}
float axis_height(const LetterSizes& look) { return plot_em(look) * kLine + 4; }
float axis_width(const MarkContext& context) {
  return context.measure.width("-1.23·10⁻⁵", plot_em(context.look), Face::mono) + 6;
}

SizeNeed plot_width(const Part& part, const Form& form, const MarkContext& context) {
  float least = context.measure.width(title_of(part, form), context.look.body, Face::bold) + 1;
  if (!form.has(Give::names))
    least = std::max(least, kTightLegend.line + kTightLegend.gap + widest_name(plot_in(part), context));
  least = std::max(least, kPlotWidth.least + axis_width(context));
  return {least, std::max(least, kPlotWidth.natural), std::max(least, kPlotWidth.most)};
}
SizeNeed plot_height(const Part& part, const Form& form, float width, const MarkContext& context) {
  const float more = title_height(part, form, context.look) +
                     legend_height(plot_in(part), form, width, context) + axis_height(context.look);
  return {kPlotHeight.least + more, kPlotHeight.natural + more, kPlotHeight.most + more};
}
void settle_plot(PlacedPart& placed, const MarkContext& context) {
  const float top = title_height(*placed.part, placed.form, context.look) +
                    legend_height(plot_in(*placed.part), placed.form, placed.box.w, context);
  const float left = axis_width(context);
  placed.cells = {placed.box.x + left, placed.box.y + top, placed.box.w - left,
                  placed.box.h - top - axis_height(context.look)};
  const PlotMark& plot = plot_in(*placed.part);
  const auto [x, y] = limits_of(plot);
  if (!plot.square || x.empty() || y.empty() || x.most <= x.least || y.most <= y.least) return;
  const auto across = static_cast<float>(x.most - x.least), up = static_cast<float>(y.most - y.least);
  const float unit = std::min(placed.cells.w / across, placed.cells.h / up);
  placed.cells.w = unit * across, placed.cells.h = unit * up;
}

void draw_legend(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const float em = plot_em(context.look), top = title_height(*placed.part, placed.form, context.look);
  const PlotMark& plot = plot_in(*placed.part);
  const auto places = legend_places(plot, placed.box.w, context);
  const LegendGaps gaps = legend_gaps(plot, placed.box.w, context);
  auto at = places.begin();
  for (const PlotMark::Series& one : plot.series) {
    if (one.name.empty()) continue;
    const float x = placed.box.x + at->first,
                y = placed.box.y + top + static_cast<float>(at->second) * em * kLine;
    ++at;
    out.line({{x, y + em * 0.6f}, {x + gaps.line, y + em * 0.6f}}, out.colours().ink(one.ink), one.dashed);
    const float from = x + gaps.line + gaps.gap;
    out.text(one.name.str(), from, y + em * kAscent, em, Face::sans, out.colours().ink(Ink::text),
             {from, y, placed.box.right() - from, em * kLine});
  }
}
void draw_limits(const PlacedPart& placed, const Limits& x, const Limits& y, Drawing& out,
                 const MarkContext& context) {
  const PlotMark& plot = plot_in(*placed.part);
  const PixelRect& cells = placed.cells;
  const float em = plot_em(context.look), below = cells.bottom() + em * kAscent + 2;
  const auto put = [&](const std::string& text, float at, float baseline, Face face) {
    out.text(text, at, baseline, em, face, out.colours().ink(Ink::dim), placed.box);
  };
  const auto width = [&](const std::string& text, Face face) {
    return context.measure.width(text, em, face);
  };
  for (const bool top : {true, false}) {
    const auto [lowest, highest] = limit_texts(y, plot.log_y);
    const std::string& text = top ? highest : lowest;
    put(text, cells.x - 4 - width(text, Face::mono), top ? cells.y + em * 0.8f : cells.bottom(), Face::mono);
  }
  const auto [from, to] = limit_texts(x, plot.log_x);
  put(from, cells.x, below, Face::mono);
  if (cells.w >= width(from, Face::mono) + width(to, Face::mono) + 8)  // a square plot may be narrow
    put(to, cells.right() - width(to, Face::mono), below, Face::mono);
  const float room = cells.w - width(from, Face::mono) - width(to, Face::mono) - 16;
  if (const std::string title = plot.x_title.str(); !title.empty() && width(title, Face::sans) <= room)
    put(title, cells.x + width(from, Face::mono) + 8 + (room - width(title, Face::sans)) / 2, below,
        Face::sans);
}

// Where the points of a plot lie on the page.
class OnPage {
 public:
  OnPage(const PlacedPart& placed, PlotLimits limits)
      : plot_(plot_in(*placed.part)), cells_(placed.cells), limits_(limits) {}
  /// Nothing for a value that has no logarithm.
  std::optional<float> x(double value) const { return at(scaled(value, plot_.log_x), limits_.x, true); }
  std::optional<float> y(double value) const { return at(scaled(value, plot_.log_y), limits_.y, false); }
  bool inside(float px, float py) const {
    return px >= cells_.x - 1 && px <= cells_.right() + 1 && py >= cells_.y - 1 && py <= cells_.bottom() + 1;
  }
  /// A length along x.
  float width(double length) const {
    return cells_.w * static_cast<float>(length / (limits_.x.most - limits_.x.least));
  }

 private:
  std::optional<float> at(double value, const Limits& limits, bool across) const {
    if (!std::isfinite(value)) return std::nullopt;
    const auto share = static_cast<float>(limits.at(value));
    return across ? cells_.x + cells_.w * share : cells_.bottom() - cells_.h * share;
  }
  const PlotMark& plot_;
  PixelRect cells_;
  PlotLimits limits_;
};

void draw_plot_marks(const PlacedPart& placed, const OnPage& page, Drawing& out) {
  const PlotMark& plot = plot_in(*placed.part);
  const PixelRect& cells = placed.cells;
  const Rgb colour = out.colours().ink(Ink::dim);
  for (const double value : plot.x_marks)
    if (const auto x = page.x(value); x && page.inside(*x, cells.y))
      out.line({{*x, cells.y}, {*x, cells.bottom()}}, colour, false);
  for (const double value : plot.y_marks)
    if (const auto y = page.y(value); y && page.inside(cells.x, *y))
      out.line({{cells.x, *y}, {cells.right(), *y}}, colour, false);
}

// A line is broken where a point has no place, or lies outside of the axes.
void draw_series(const PlotMark::Series& one, const OnPage& page, Drawing& out) {
  const Rgb colour = out.colours().ink(one.ink);
  std::vector<std::pair<float, float>> line;
  const auto flush = [&] {
    if (line.size() > 1) out.line(std::move(line), colour, one.dashed);
    line.clear();
  };
  for (const auto& [px, py] : one.points) {
    const auto x = page.x(px), y = page.y(py);
    if (!x || !y || !page.inside(*x, *y)) {
      flush();
      continue;
    }
    if (one.line) line.emplace_back(*x, *y);
    if (!one.dots) continue;
    const float side = one.pixel > 0 ? page.width(one.pixel) : 2 * kPlotDot;
    out.rect({*x - side / 2, *y - side / 2, side, side}, colour);
    if (one.pixel <= 0) out.shapes.back().round = kPlotDot;
  }
  flush();
}

void draw_plot(const PlacedPart& placed, Drawing& out, const MarkContext& context) {
  const PlotMark& plot = plot_in(*placed.part);
  draw_title(placed, out, context.look);
  if (!placed.form.has(Give::names)) draw_legend(placed, out, context);
  out.rect(placed.cells, out.colours().frame, DrawnShape::Kind::frame);
  const PlotLimits limits = limits_of(plot);
  if (limits.x.empty() || limits.y.empty()) return;
  draw_limits(placed, limits.x, limits.y, out, context);
  const OnPage page(placed, limits);
  draw_plot_marks(placed, page, out);
  for (const PlotMark::Series& one : plot.series) draw_series(one, page, out);
}

}  // namespace

const MarkRules kPlotRules{kPlotGives, plot_width, plot_height, settle_plot, draw_plot};

}  // namespace attnscope::figure
