// Which neurons fire on this word? Those that add most at the looked-at row, on which words of the text each
// fires most, and the words it pushes up.
#include <algorithm>

#include "core/base/text.h"
#include "core/lens/neurons.h"
#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr std::size_t kWords = 3, kStrongestOn = 2;

// The words whose logits the neuron raises: those of its row of W2, or of minus that row where it is
// negative.
std::vector<Text> pushed_up(const ViewState& state, const MlpPlace& place, const Neuron& neuron) {
  const NeuronWords words = neuron_words(*state.run, place, neuron.index, kWords);
  std::vector<Text> out;
  for (const NeuronToken& one : neuron.act < 0 ? words.suppresses : words.promotes)
    if (one.value * neuron.act > 0) out.emplace_back(output_name(*state.opened, one.token));
  return out;
}
Text listed(const std::vector<Text>& words) {
  return words.empty() ? Text() : Text::of("figure.mlp.list." + std::to_string(words.size()), words);
}

// The words of the text on which the neuron is strongest, in the direction in which it fires here, the
// strongest first.
std::vector<Text> strongest_on(const ViewState& state, const MlpPlace& place, const Neuron& neuron) {
  const Site site = place.site(StepRole::neurons);
  const std::int64_t rows = state.run->find(site)->shape[0];
  const Tensor acts = state.run->slice(site, 0, {0, rows}, {neuron.index, neuron.index + 1});
  std::vector<std::pair<float, std::int64_t>> order;
  for (std::int64_t row = 0; row < rows; ++row)
    if (const float act = neuron.act < 0 ? -acts.at(row, 0) : acts.at(row, 0); act > 0)
      order.emplace_back(-act, row);
  std::stable_sort(order.begin(), order.end());
  std::vector<Text> out;
  std::vector<std::string> named;
  for (const auto& [act, row] : order) {
    const std::string name = row_label(*state.opened, *state.run, place.stack, row);
    if (std::find(named.begin(), named.end(), name) != named.end()) continue;
    named.push_back(name);
    out.emplace_back(name);
    if (out.size() == kStrongestOn) break;
  }
  return out;
}

Result<ViewDrawing> draw_mlp(const ViewState& state) {
  const MlpPlace place{state.place.stack, state.layer};
  if (!has_neurons(*state.run, place)) return fail(Code::not_found, "error.view.no_mlp");
  const std::vector<Neuron> top =
      strongest_neurons(*state.run, place, state.row, state.level == Level::easy ? 6 : 12);
  if (top.empty()) return fail(Code::not_found, "error.view.no_mlp");
  figure::TableMark table;
  table.card = figure::TableMark::Card::plain;
  table.most = top.front().adds;
  std::vector<Text> first;
  for (const Neuron& one : top) {
    const std::vector<Text> words = pushed_up(state, place, one);
    if (&one == &top.front()) first = words;
    table.rows.push_back(
        {{Text::of("figure.mlp.neuron", {one.index}),
          Text(figure::number_text(static_cast<double>(one.act), 2)), Text(figure::number_text(one.adds, 2))},
         one.adds,
         {},
         false});
    table.rows.back().cells.push_back(listed(strongest_on(state, place, one)));
    if (!words.empty()) table.rows.back().cells.push_back(listed(words));
  }
  const bool words =
      std::any_of(table.rows.begin(), table.rows.end(), [](const auto& row) { return row.cells.size() > 4; });
  table.header = {Text::of("figure.mlp.column.neuron"), Text::of("figure.mlp.column.fires"),
                  Text::of("figure.mlp.column.adds"), Text::of("figure.mlp.column.on")};
  if (words) table.header.push_back(Text::of("figure.mlp.column.words"));
  std::vector<Text> said{row_label(*state.opened, *state.run, place.stack, state.row), top.front().index,
                         state.layer, figure::number_text(static_cast<double>(top.front().act), 2)};
  const char* kind = top.front().adds > 0 ? "sentence" : "silent";
  if (top.front().adds > 0 && !first.empty()) kind = "pushes", said.push_back(first.front());
  return ViewDrawing{
      {Text::of("figure.mlp.question")},
      {Text::of(std::string("figure.mlp.") + kind, said),
       Text::of(std::string("figure.mlp.") + kind + ".short", said)},
      figure::leaf({"neurons",
                    table,
                    3,
                    {Text::of("figure.mlp.title", {state.layer}), Text::of("figure.mlp.title.short")},
                    ""})};
}

}  // namespace

ViewSpec view_mlp() { return {"mlp", 50, true, true, draw_mlp, false, nullptr, true}; }

}  // namespace attnscope
