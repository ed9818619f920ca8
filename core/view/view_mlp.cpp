// Which neurons fire on this word? Those that add most to the answer of the looked-at row, on which words of
// the text each fires most, and the words it pushes up.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lens/attribution.h"
#include "core/lens/neurons.h"
#include "core/session/document.h"
#include "core/view/edit_marks.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

constexpr std::size_t kLongAnswer = 4;  // letters: a longer one stands in the title alone
constexpr std::size_t kMlpWords = 3, kStrongestOn = 2;

// The words whose logits the neuron raises: those of its row of W2, or of minus that row where it is
// negative.
std::vector<Text> pushed_up(const ViewState& state, const MlpPlace& place, const Neuron& neuron) {
  const NeuronWords words = neuron_words(*state.run, place, neuron.index, kMlpWords);
  std::vector<Text> out;
  for (const NeuronToken& one : neuron.act < 0 ? words.suppresses : words.promotes)
    if (one.value * neuron.act > 0) out.push_back(answer_name(state, answer_row(state), one.token));
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

// What the neurons of a block add to the logit of the answer, norm scales held (core/lens/attribution.h).
struct AddedToAnswer {
  int token = -1;
  std::vector<std::pair<std::int64_t, double>> neurons;  ///< index and what it adds, largest magnitude first
  double made = 0;                                       ///< by all neurons and their bias
  double all = 0;                                        ///< by the MLP as the run has it
  bool nothing = false;                                  ///< an edit made what it adds 0
};
std::optional<AddedToAnswer> added_to_answer(const ViewState& state, const MlpPlace& place) {
  const Tensor logits = state.run->logits_row(state.row);
  if (place.stack != state.run->config().stack || logits.empty() || !says_numbers(state, state.row))
    return {};
  AddedToAnswer out;
  out.token = next_tokens(logits, Sampling{}).front().id;
  LogitMeasure measure;
  measure.target = out.token, measure.row = state.row;
  const auto parts = attribute(*state.run, measure, AttributeBy::neuron);
  if (!parts) return {};
  const std::string post = to_text(place.site(StepRole::neurons)),
                    end = to_text(place.site(StepRole::neurons).near(StepRole::branch, Hue::mlp));
  double edited = 0;
  for (const LogitPart& part : parts->parts) {
    if (part.step == post) out.neurons.emplace_back(part.at.front().begin, part.value);
    if (part.step == post || part.step == end + ".bias") out.made += part.value;
    if (part.step == end) edited += part.value;
  }
  if (out.neurons.empty()) return {};
  out.all = out.made + edited;
  const std::vector<float> row =
      row_of_step(*state.run, place.site(StepRole::neurons).near(StepRole::branch, Hue::mlp), 0, state.row);
  out.nothing = !row.empty() && std::all_of(row.begin(), row.end(), [](float one) { return one == 0; });
  std::stable_sort(out.neurons.begin(), out.neurons.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  return out;
}

std::string neuron_place(const ViewState& state, const MlpPlace& place, std::int64_t neuron) {
  return to_text(place.site(StepRole::neurons)) +
         to_text(std::vector<AxisRange>{{"pos", state.row}, {"d_mlp", neuron}});
}

std::size_t most_neurons(const ViewState& state) { return state.level == Level::easy ? 6 : 12; }

ViewDrawing drawn_neurons(std::vector<Text> sentence, figure::TableMark table, std::vector<Text> title) {
  table.card = figure::TableMark::Card::plain, table.tall = true;
  std::size_t most = 0;
  for (const figure::TableMark::Row& row : table.rows) most = std::max(most, row.cells.size());
  table.header.resize(most);  // no neuron pushes words up: without their column
  return {{Text::of("figure.mlp.question")},
          std::move(sentence),
          figure::leaf({"neurons", std::move(table), 3, std::move(title), ""})};
}

// Those with a row: the first ones; one that an edit touched stays among them, also where it adds nothing any
// more.
std::vector<std::pair<std::int64_t, double>> shown_neurons(const ViewState& state, const MlpPlace& place,
                                                           const AddedToAnswer& added) {
  std::vector<std::pair<std::int64_t, double>> out = added.neurons;
  out.resize(std::min(most_neurons(state), out.size()));
  const Site site = place.site(StepRole::neurons);
  std::vector<std::int64_t> edited;
  const std::int64_t all = state.run->edits.empty() ? 0 : state.run->find(site)->shape[1];
  for (std::int64_t neuron = 0; neuron < all; ++neuron)
    if (touched(*state.run, site, {{"pos", state.row}, {"d_mlp", neuron}})) edited.push_back(neuron);
  const auto is = [](std::int64_t neuron) { return [=](const auto& one) { return one.first == neuron; }; };
  if (edited.empty() || std::ssize(edited) == all || std::any_of(out.begin(), out.end(), is(edited.front())))
    return out;
  const auto known = std::find_if(added.neurons.begin(), added.neurons.end(), is(edited.front()));
  out.back() = known == added.neurons.end() ? std::pair(edited.front(), 0.0) : *known;
  return out;
}

// By what each neuron adds to the answer.
ViewDrawing by_answer(const ViewState& state, const MlpPlace& place, const AddedToAnswer& added) {
  const Tensor acts = state.run->slice(place.site(StepRole::neurons), 0, {state.row, state.row + 1},
                                       {0, state.run->find(place.site(StepRole::neurons))->shape[1]});
  const auto act = [&](std::int64_t neuron) { return static_cast<double>(acts.at(0, neuron)); };
  const Text answer = answer_name(state, state.row, added.token);
  const auto number = [](double value) { return Text(figure::number_text(value, 2)); };
  figure::TableMark table;
  table.most = 0;
  for (const auto& [index, value] : shown_neurons(state, place, added)) {
    const double adds = added.nothing ? 0 : value;
    const Neuron one{index, acts.at(0, index), 0};
    table.most = std::max(table.most, adds), table.least = std::min(table.least, adds);
    table.rows.push_back({{Text(std::to_string(index)), number(adds), number(act(index)),
                           listed(strongest_on(state, place, one))},
                          adds,
                          {},
                          false,
                          0.0,
                          neuron_place(state, place, index)});
    if (const std::vector<Text> words = pushed_up(state, place, one); !words.empty() && !added.nothing)
      table.rows.back().cells.push_back(listed(words));
  }
  table.others = std::ssize(added.neurons) - std::ssize(table.rows);
  table.header = {Text::of("figure.mlp.column.neuron"),
                  utf8_length(answer.str()) > kLongAnswer ? Text::of("figure.mlp.column.adds.answer")
                                                          : Text::of("figure.mlp.column.adds.to", {answer}),
                  Text::of("figure.mlp.column.fires"), Text::of("figure.mlp.column.on"),
                  Text::of("figure.mlp.column.words")};
  const auto [first, most] = added.neurons.front();
  const std::vector<Text> said{told_apart(state, place.stack, state.row),
                               first,
                               state.layer,
                               number(act(first)),
                               answer,
                               number(added.all),
                               number(most),
                               number(added.made)};
  const bool edited = number(added.all).str() != number(added.made).str();
  const std::string key = std::string("figure.mlp.") + (added.nothing ? "nothing"
                                                        : edited      ? "edited"
                                                                      : "answer");
  return drawn_neurons({Text::of(key, said), Text::of(key + ".short", said)}, std::move(table),
                       {Text::of(added.nothing ? "figure.mlp.title.nothing" : "figure.mlp.title.answer",
                                 {state.layer, answer}),
                        Text::of("figure.mlp.title.short")});
}

// By the length of what each adds, where there is no answer that it could be added to.
Result<ViewDrawing> by_length(const ViewState& state, const MlpPlace& place) {
  const std::vector<Neuron> top = strongest_neurons(*state.run, place, state.row, most_neurons(state));
  if (top.empty()) return fail(Code::not_found, "error.view.no_mlp");
  figure::TableMark table;
  table.most = top.front().adds;
  std::vector<Text> first;
  for (const Neuron& one : top) {
    const std::vector<Text> words = pushed_up(state, place, one);
    if (&one == &top.front()) first = words;
    table.rows.push_back({{Text(std::to_string(one.index)), Text(figure::number_text(one.adds, 2)),
                           Text(figure::number_text(static_cast<double>(one.act), 2)),
                           listed(strongest_on(state, place, one))},
                          one.adds,
                          {},
                          false,
                          {},
                          neuron_place(state, place, one.index)});
    if (!words.empty()) table.rows.back().cells.push_back(listed(words));
  }
  table.others = state.run->find(place.site(StepRole::neurons))->shape[1] - std::ssize(table.rows);
  table.header = {Text::of("figure.mlp.column.neuron"), Text::of("figure.mlp.column.adds"),
                  Text::of("figure.mlp.column.fires"), Text::of("figure.mlp.column.on"),
                  Text::of("figure.mlp.column.words")};
  std::vector<Text> said{told_apart(state, place.stack, state.row), top.front().index, state.layer,
                         figure::number_text(static_cast<double>(top.front().act), 2)};
  std::string key = top.front().adds > 0 ? "figure.mlp.sentence" : "figure.mlp.silent";
  if (top.front().adds > 0 && !first.empty()) key = "figure.mlp.pushes", said.push_back(first.front());
  return drawn_neurons({Text::of(key, said), Text::of(key + ".short", said)}, std::move(table),
                       {Text::of("figure.mlp.title", {state.layer}), Text::of("figure.mlp.title.short")});
}

Result<ViewDrawing> draw_mlp(const ViewState& state) {
  const MlpPlace place{state.place.stack, state.layer};
  if (!has_neurons(*state.run, place)) return fail(Code::not_found, "error.view.no_mlp");
  if (const auto added = added_to_answer(state, place)) return by_answer(state, place, *added);
  return by_length(state, place);
}

}  // namespace

ViewSpec view_mlp() { return {"mlp", 50, true, true, draw_mlp, false, nullptr, true}; }

}  // namespace attnscope
