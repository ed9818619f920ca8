// Texts are in assets/strings/*/ask_steer.json.
#include "app/views/ask_steer.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/ask_tables.h"

namespace attnscope {
namespace {

constexpr double kSteerAtOnce = 3e10;
constexpr float kMostSteerHeight = 420.f;  // units

}  // namespace

// The block where the vector stands, or all together, stands out.
LinePlot AskSteer::plot_of(const SteerCurves& found) {
  LinePlot plot;
  plot.key = "ask_steer";
  plot.title = tr("ask.steer.plot");
  plot.x_title = plot.x_name = tr("ask.steer.strength");
  plot.x0 = static_cast<float>(kSteerStrengths.front()), plot.x1 = -plot.x0;
  plot.readout = true;
  const std::size_t curves = found.cells.size() / found.strengths;
  for (std::size_t i = 0; i < curves; ++i) {
    const SteerCell& first = found.cells[i * found.strengths];
    LineSeries curve;
    for (std::size_t s = 0; s < found.strengths; ++s)
      curve.points.emplace_back(static_cast<float>(found.cells[i * found.strengths + s].strength),
                                static_cast<float>(found.values[1 + i * found.strengths + s]));
    const bool chief = first.block == found.own;
    const float share = curves < 2 ? 0.f : static_cast<float>(i) / static_cast<float>(curves - 1);
    curve.colour = chief ? theme().accent : mix(theme().k, theme().residual, share);
    curve.dots = true, curve.dashed = found.together && first.block < 0;
    curve.label = steer_words(first, found.own);
    plot.series.push_back(std::move(curve));
  }
  plot.x_marks = {1.f};
  plot.mark_colour = theme().text_dim;
  fit_y(plot);
  return plot;
}

void AskSteer::draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  if (context.run.recorded() || !context.run.document.model) return caption(tr("ask.recorded"));
  const int sequence = context.run.nearest(context.workspace.cursor.sequence);
  const std::uint64_t run = context.run.version, of = static_cast<std::uint64_t>(sequence);
  if (!any_.get({run, of}, [&] { return !added_vectors(context.run.document, sequence).vectors.empty(); })) {
    caption(tr("ask.steer.none"), room.x);
    return note_item("ask_steer_none");
  }
  const std::uint64_t subject = key_of({context.run.opened_version}),
                      key = key_of({subject, run, of, key_of(measure.text)});
  const double runs = static_cast<double>(context.run.document.model->config().n_layers()) * 9,
               effort = runs * static_cast<double>(context.run.trace(sequence).length) *
                        static_cast<double>(context.run.document.model->weights().parameter_count());
  if (effort > kSteerAtOnce && !made_.asked(key) && allowed_ != key) {
    if (chip(Label(tr("ask.start"), "###ask_steer_start"), false, tr("ask.steer.start.help"))) allowed_ = key;
    return;
  }
  if (!made_.asked(key))
    made_.begin(subject, key, context.workers(),
                [document = std::make_shared<const Document>(context.run.document), sequence,
                 asked_of = *measure.measure](const std::atomic<bool>& cancel) {
                  return steer_curves(*document, sequence, asked_of, &cancel);
                });
  const auto made = made_.made(subject, key);
  if (!made) return caption(tr("output.pending"));
  if (!*made) return caption(made->error().text());
  const SteerCurves& found = **made.value;
  caption(kept_tr(found.together ? "ask.steer.facts.all" : "ask.steer.facts",
                  {std::to_string(found.own), number_text(static_cast<float>(found.values.front()), 3)}),
          room.x);
  note_item("ask_steer_facts");
  context.workspace.asking.show_table(AskPage::steer, key_of({made.serial, key_of(language())}),
                                      [&] { return steer_table(found); });
  const ImVec2 top(at.x, ImGui::GetCursorScreenPos().y + scaled(4));
  const LinePlot& plot = plot_.get({made.serial, key_of(language())}, [&] { return plot_of(found); });
  (void)draw_line_plot(plot, top,
                       ImVec2(room.x - scaled(8), std::min(scaled(kMostSteerHeight),
                                                           std::max(scaled(80), at.y + room.y - top.y))));
}

}  // namespace attnscope
