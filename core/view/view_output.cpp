// What will it say? The likeliest outputs of one row, drawn at three temperatures.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using Temperatures = std::array<double, 3>;

// 0.5, 1 and 2; the state's own in the place of the nearest one.
Temperatures temperatures_of(const ViewState& state) {
  Temperatures out{0.5, 1, 2};
  if (!(state.temperature > 0)) return out;
  *std::min_element(out.begin(), out.end(), [&](double a, double b) {
    return std::abs(std::log(a / state.temperature)) < std::abs(std::log(b / state.temperature));
  }) = state.temperature;
  return out;
}
Text temperature_text(double temperature) { return format("%.3g", temperature); }

Result<ViewDrawing> draw_output(const ViewState& state) {
  const std::int64_t row = answer_row(state);
  const std::size_t most = state.level == Level::easy ? 8 : 15;
  std::vector<figure::PartBox> tables;
  std::vector<Text> said{told_apart(state, state.run->config().stack, row)};
  for (const double temperature : temperatures_of(state)) {
    TRY(figure::TableMark answer, answer_table(state, row, most, temperature));
    const bool own = temperature == state.temperature;
    const bool stays = own || (!(state.temperature > 0) && tables.size() == 1);
    if (own) answer.card = figure::TableMark::Card::chosen;
    const Text shown = temperature_text(temperature);
    if (said.size() == 1) said.push_back(answer.rows.front().cells[0]);
    said.push_back(shown), said.push_back(answer.rows.front().cells[1]);
    tables.push_back(
        figure::leaf({"at" + std::to_string(tables.size()),
                      std::move(answer),
                      stays ? 3 : 1,
                      {Text::of(own ? "figure.output.own" : "figure.output.temperature", {shown}),
                       Text::of("figure.output.temperature", {shown})},
                      "tables"}));
  }
  if (!says_numbers(state, row))
    return ViewDrawing{{Text::of("figure.output.question")},
                       {Text::of("figure.output.none", {said.front()})},
                       figure::either(std::move(tables))};
  if (const std::int64_t alike = equally_likely(state.run->logits_row(row)); alike > 1) {
    said.resize(8), said.emplace_back(alike);
    return ViewDrawing{{Text::of("figure.output.question")},
                       {Text::of("figure.output.alike", said), Text::of("figure.output.alike.short", said)},
                       figure::either(std::move(tables))};
  }
  return ViewDrawing{
      {Text::of("figure.output.question")},
      {answer_text(state, row, "figure.output.sentence.", said), Text::of("figure.output.short", said)},
      figure::either(std::move(tables))};
}

}  // namespace

ViewSpec view_output() {
  ViewSpec out{"output", 60, true, false, draw_output};
  out.takes = {"temperature"};
  return out;
}

}  // namespace attnscope
