// Texts are in assets/strings/*/ask_steer.json.
#include "app/views/ask_steer.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr double kSteerStrengths[] = {-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2};
constexpr double kSteerAtOnce = 3e10;
constexpr float kMostSteerHeight = 420.f;  // units

std::string curve_words(const SteerCell& cell, int own) {
  if (cell.block < 0) return tr("ask.steer.all");
  return tr(cell.block == own ? "ask.steer.own" : "ask.steer.block", {std::to_string(cell.block)});
}

}  // namespace

AskSteer::Answer AskSteer::asked(const std::shared_ptr<const Document>& document, int sequence,
                                 const LogitMeasure& measure, const std::atomic<bool>& cancel) {
  const AddedVectors added = added_vectors(*document, sequence);
  const std::vector<Input> inputs = inputs_of(*document);
  RunOptions options;
  options.edits = added.others;
  options.cancel = &cancel;
  TRY(const auto run, document->model->run(inputs[static_cast<std::size_t>(sequence)], options));
  Found out;
  const bool one = added.vectors.size() == 1;
  const std::vector<double> strengths(std::begin(kSteerStrengths), std::end(kSteerStrengths));
  const std::vector<SteerVector> vectors =
      one ? at_every_block(added.vectors.front(), document->model->config()) : added.vectors;
  out.cells = steer_cells(vectors, strengths);
  if (one) out.cells.resize(vectors.size() * strengths.size());  // never at all blocks together
  out.own = one ? added.vectors.front().site.layer : -1;
  out.together = !one;
  out.strengths = strengths.size();
  TRY(SteerValues values, steer_values(*document->model, {measure}, run, out.cells, &cancel));
  out.values = std::move(values.front());
  return out;
}

// The block where the vector stands, or all together, stands out.
LinePlot AskSteer::plot_of(const Found& found) {
  LinePlot plot;
  plot.key = "ask_steer";
  plot.title = tr("ask.steer.plot");
  plot.x_title = plot.x_name = tr("ask.steer.strength");
  plot.x0 = static_cast<float>(kSteerStrengths[0]), plot.x1 = -plot.x0;
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
    curve.label = curve_words(first, found.own);
    plot.series.push_back(std::move(curve));
  }
  plot.x_marks = {1.f};
  plot.mark_colour = theme().text_dim;
  fit_y(plot);
  return plot;
}

ShownTable AskSteer::table_of(const Found& found) {
  ShownTable out;
  out.columns = {tr("ask.steer.strength")};
  for (std::size_t s = 0; s < found.strengths; ++s)
    out.rows.push_back({table_number(found.cells[s].strength)});
  for (std::size_t i = 0; i < found.cells.size(); i += found.strengths) {
    out.columns.push_back(curve_words(found.cells[i], found.own));
    for (std::size_t s = 0; s < found.strengths; ++s)
      out.rows[s].push_back(table_number(found.values[1 + i + s]));
  }
  return out;
}

void AskSteer::draw(const ViewContext& context, const MeasureAnswer& measure, ImVec2 at, ImVec2 room) {
  ImGui::SetCursorScreenPos(at);
  if (context.run.recorded() || !context.run.document.model) return caption(tr("ask.recorded"));
  const int last = static_cast<int>(context.run.traces.size()) - 1,
            sequence = std::clamp(context.workspace.cursor.sequence, 0, last);
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
                  return asked(document, sequence, asked_of, cancel);
                });
  const auto made = made_.made(subject, key);
  if (!made) return caption(tr("output.pending"));
  if (!*made) return caption(made->error().text());
  const Found& found = **made.value;
  caption(kept_tr(found.together ? "ask.steer.facts.all" : "ask.steer.facts",
                  {std::to_string(found.own), number_text(static_cast<float>(found.values.front()), 3)}),
          room.x);
  note_item("ask_steer_facts");
  context.workspace.asking.show_table(AskPage::steer, key_of({made.serial, key_of(language())}),
                                      [&] { return table_of(found); });
  const ImVec2 top(at.x, ImGui::GetCursorScreenPos().y + scaled(4));
  const LinePlot& plot = plot_.get({made.serial, key_of(language())}, [&] { return plot_of(found); });
  (void)draw_line_plot(plot, top,
                       ImVec2(room.x - scaled(8), std::min(scaled(kMostSteerHeight),
                                                           std::max(scaled(80), at.y + room.y - top.y))));
}

}  // namespace attnscope
