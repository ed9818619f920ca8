// The weight that is explained, as a whole: norm, spread, histogram and singular values, behind a click.
#include <algorithm>

#include "app/panels/inspector/inspector_parts.h"
#include "app/widgets/line_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr double kMostSpectrum = 2e10;  // multiply-adds that a click may cost
constexpr float kWeightPlot = 132.f;    // units: height of a plot

LinePlot weight_plot(const char* id, const char* title) {
  LinePlot plot;
  plot.key = id;
  plot.title = tr(title);
  plot.readout = true;
  return plot;
}

// With its line, from 0 upwards.
LinePlot from_zero(LinePlot plot, LineSeries line) {
  plot.series.push_back(std::move(line));
  fit_y(plot);
  plot.y0 = 0;
  return plot;
}

// A part of the histogram is as wide as it is and as high as its count.
LinePlot histogram_plot(const WeightFacts& facts) {
  LinePlot plot = weight_plot("inspector_histogram", "inspector.weight.histogram");
  LineSeries line;
  line.colour = theme().accent;
  line.label = tr("inspector.weight.count");
  const Histogram& of = facts.histogram;
  const double width = (of.to - of.from) / static_cast<double>(std::max<std::size_t>(1, of.counts.size()));
  for (std::size_t i = 0; i < of.counts.size(); ++i)
    for (const double edge : {0.0, 1.0})
      line.points.emplace_back(static_cast<float>(of.from + (static_cast<double>(i) + edge) * width),
                               static_cast<float>(of.counts[i]));
  plot.x0 = static_cast<float>(of.from);
  plot.x1 = std::max(static_cast<float>(of.to), plot.x0 + 1e-6f);
  return from_zero(std::move(plot), std::move(line));
}

LinePlot spectrum_plot(const WeightFacts& facts) {
  LinePlot plot = weight_plot("inspector_spectrum", "inspector.weight.spectrum");
  LineSeries line;
  line.colour = theme().residual;
  line.label = tr("inspector.weight.singular");
  for (std::size_t i = 0; i < facts.singular.size(); ++i)
    line.points.emplace_back(static_cast<float>(i + 1), static_cast<float>(facts.singular[i]));
  line.dots = line.points.size() <= 64;
  plot.x0 = 1;
  plot.x1 = std::max(2.f, static_cast<float>(facts.singular.size()));
  plot.counts_x = true;
  plot.x_name = "i";
  return from_zero(std::move(plot), std::move(line));
}

void draw_weight_plot(const LinePlot& plot) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, px(kWeightPlot));
  (void)draw_line_plot(plot, at, size);
  end_at(ImVec2(at.x, at.y + size.y + px(8)));
}

}  // namespace

void draw_weight_facts(const PanelContext& context, const std::string& name) {
  InspectorCache& cache = inspector_cache(context.workspace);
  const Label label(tr("inspector.weight.whole"), "###inspector_weight_whole");
  if (chip(label, cache.weight_open, tr("inspector.weight.whole.help")))
    cache.weight_open = !cache.weight_open;
  if (!cache.weight_open) return;
  const auto run = context.run->shared(context.workspace.cursor.sequence);
  const std::uint64_t key =
      key_of({context.run->version, static_cast<std::uint64_t>(context.workspace.cursor.sequence),
              std::hash<std::string>{}(name)});
  const auto found = cache.weight.get(key, context.workers(), [run, name] {
    const Model model(std::make_shared<const ModelConfig>(run->config()),
                      std::make_shared<const Weights>(run->weights()));  // with the edits of this run
    auto facts = weight_facts(model, name, spectrum_cost(model, name) <= kMostSpectrum);
    return facts ? std::optional(*std::move(facts)) : std::nullopt;
  });
  if (!found) return dim_text(tr("inspector.working"));
  if (!*found) return wrapped_text(tr("inspector.gone"), theme().text_dim);
  const WeightFacts& facts = **found;
  fact_row(tr("inspector.weight.norm"), shown_number(facts.norm), tr("inspector.weight.norm.help"));
  fact_row(tr("inspector.weight.mean"), shown_number(facts.mean));
  fact_row(tr("inspector.weight.deviation"), shown_number(facts.deviation));
  fact_row(tr("inspector.weight.range"),
           tr("inspector.stats.from_to", {shown_number(facts.least), shown_number(facts.largest)}));
  if (facts.broken > 0) fact_row(tr("inspector.weight.broken"), format_count(facts.broken));
  if (!facts.singular.empty())
    fact_row(tr("inspector.weight.rank"), shown_number(facts.stable_rank()),
             tr("inspector.weight.rank.help"));
  draw_weight_plot(cache.histogram.get({key}, [&] { return histogram_plot(facts); }));
  if (facts.singular.size() > 1)
    draw_weight_plot(cache.spectrum.get({key}, [&] { return spectrum_plot(facts); }));
  if (facts.singular.empty() && facts.shape.size() == 2)
    wrapped_text(tr("inspector.weight.long"), theme().text_dim);
}

}  // namespace attnscope
