// Which head reads what another wrote? Facts of the weights alone: composition scores of all pairs of heads,
// which heads copy, and what the looked-at head writes where it looks at the looked-at word.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/keep_first.h"
#include "core/base/text.h"
#include "core/lens/circuits.h"
#include "core/session/document.h"
#include "core/session/measure_text.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr double kMostCircuits = 2e7;  // multiply-adds: what is drawn anew with every choice
constexpr double kThreeDigits = 0.1;   // chance scores below it need them; two are larger
constexpr std::size_t kCircuitWords = 5;
constexpr std::int64_t kMostLooked = 16;  // words of the text
constexpr std::int64_t kMostHeads = 48;   // along one side of the grid

Text head_label(int block, int head) { return Text(std::to_string(block) + "." + std::to_string(head)); }

// With the weights that edits of the run have changed.
Model edited_model(const Trace& run) { return {run.shared_config(), run.shared_weights()}; }

double circuits_drawn_cost(const ModelConfig& config) {
  const auto width = static_cast<double>(config.d_model);
  return circuits_cost(config) + width * width * static_cast<double>(config.outputs());
}

// The composition score of two circuits turned to each other at random, as root mean square.
double chance_score(const ModelConfig& config) { return 1 / std::sqrt(static_cast<double>(config.d_model)); }

// Composition scores of one side above chance: senders down, receivers across; pairs without a score are
// hatched.
figure::MatrixMark composition_matrix(const ViewState& state, const Circuits& found, Reads side,
                                      double most) {
  const double chance = chance_score(state.run->config());
  std::vector<const HeadCircuit*> senders, receivers;
  const int last = found.heads.back().block;
  for (const HeadCircuit& head : found.heads) {
    if (head.block < last) senders.push_back(&head);
    if (head.block > 0) receivers.push_back(&head);
  }
  const auto rows = std::ssize(senders), cols = std::ssize(receivers);
  std::vector<float> values(static_cast<std::size_t>(rows * cols), -std::numeric_limits<float>::infinity());
  const auto place = [](const std::vector<const HeadCircuit*>& of, int block, int head) {
    return std::find_if(of.begin(), of.end(),
                        [&](const HeadCircuit* one) { return one->block == block && one->head == head; }) -
           of.begin();
  };
  for (const Composition& one : found.composition)
    if (one.side == side)
      values[static_cast<std::size_t>(place(senders, one.from_block, one.from_head) * cols +
                                      place(receivers, one.to_block, one.to_head))] =
          static_cast<float>(one.score - chance);
  figure::MatrixMark out;
  out.scale = figure::Scale::diverging, out.digits = chance < kThreeDigits ? 3 : 2;
  out.values = Tensor::from(std::move(values), {{Axis::none, rows}, {Axis::none, cols}});
  out.most = most;
  out.rows.looked = out.cols.looked = -1;
  for (const HeadCircuit* head : senders) {
    if (head->block == state.layer && head->head == state.head)
      out.rows.looked = static_cast<int>(std::ssize(out.rows.labels));
    out.rows.labels.push_back(head_label(head->block, head->head));
  }
  for (const HeadCircuit* head : receivers) {
    if (head->block == state.layer && head->head == state.head)
      out.cols.looked = static_cast<int>(std::ssize(out.cols.labels));
    out.cols.labels.push_back(head_label(head->block, head->head));
  }
  constexpr std::array<figure::Ink, 3> kInks{figure::Ink::query, figure::Ink::key, figure::Ink::value};
  out.cols.ink = kInks[static_cast<std::size_t>(side)];
  return out;
}

// The strongest pairs, the first one first.
std::vector<const Composition*> strongest_pairs(const Circuits& found, std::size_t most) {
  std::vector<const Composition*> out;
  for (const Composition& one : found.composition) out.push_back(&one);
  keep_first(out, most, [](const Composition* a, const Composition* b) { return a->score > b->score; });
  return out;
}

// Of the strongest pair, and of the next one.
std::vector<Text> circuits_said(const ModelConfig& config, const std::vector<const Composition*>& best) {
  std::vector<Text> out;
  for (const Composition* one : best) {
    out.push_back(head_label(one->from_block, one->from_head));
    out.push_back(head_label(one->to_block, one->to_head));
    out.emplace_back(figure::number_text(one->score, 3));
    out.push_back(Text::of(std::string("figure.circuits.side.") + reads_name(one->side)));
  }
  if (best.size() == 1) out.resize(8);
  out.emplace_back(figure::number_text(chance_score(config), 3));
  out.emplace_back(config.d_model);
  for (std::size_t at = 0; at < 2; ++at)
    out.push_back(at < best.size() ? Text(figure::number_text(best[at]->score - chance_score(config), 3))
                                   : Text());
  return out;
}

// Every head: how much it copies, and how large its two circuits are; those that copy most first.
figure::TableMark heads_table(const ViewState& state, const Circuits& found) {
  std::vector<const HeadCircuit*> heads;
  for (const HeadCircuit& head : found.heads) heads.push_back(&head);
  std::stable_sort(heads.begin(), heads.end(), [](const HeadCircuit* a, const HeadCircuit* b) {
    return a->copying.value_or(0) > b->copying.value_or(0);
  });
  figure::TableMark out;
  out.least = -1;  // copying is between -1 and 1
  out.header = {Text::of("figure.circuits.column.head"), Text::of("figure.circuits.column.copying"),
                Text::of("figure.circuits.column.ov"), Text::of("figure.circuits.column.qk")};
  for (const HeadCircuit* head : heads)
    out.rows.push_back(
        {{head_label(head->block, head->head),
          Text(head->copying ? figure::number_text(*head->copying, 2) : "–"),
          Text(figure::number_text(head->ov_norm, 2)), Text(figure::number_text(head->qk_norm, 2))},
         head->copying.value_or(0),
         {},
         head->block == state.layer && head->head == state.head,
         0.0});
  return out;
}

// Where the head looks at the looked-at word: the words whose logits its OV circuit raises most.
std::optional<figure::PartBox> words_table(const ViewState& state, const Model& model) {
  const auto& ids = state.run->ids;
  if (state.row < 0 || state.row >= std::ssize(ids)) return std::nullopt;
  const auto words = ov_words(model, state.layer, static_cast<int>(state.head),
                              ids[static_cast<std::size_t>(state.row)], kCircuitWords);
  if (!words || words->empty()) return std::nullopt;
  figure::TableMark out;
  out.most = std::max(1e-9, words->front().value);
  out.header = {Text::of("figure.circuits.column.word"), Text::of("figure.circuits.column.raises")};
  for (const CircuitWord& word : *words)
    out.rows.push_back({{Text(output_name(*state.opened, word.id)), Text(figure::number_text(word.value, 2))},
                        std::max(0.0, word.value),
                        {},
                        false});
  const std::vector<Text> said{state.layer, state.head,
                               row_label(*state.opened, *state.run, state.place.stack, state.row)};
  return figure::leaf(
      {"words",
       std::move(out),
       2,
       {Text::of("figure.circuits.words", said), Text::of("figure.circuits.words.short", said)},
       ""});
}

// It is what is looked at: the table of words makes room for it.
bool asks_map(const ViewState& state) { return !state.words.empty() || state.distance >= 0; }

// Those that were named, or those of the text, each once.
Result<std::vector<int>> looked_words(const ViewState& state) {
  std::vector<int> out;
  const auto add = [&](int id) {
    if (std::ssize(out) < kMostLooked && std::find(out.begin(), out.end(), id) == out.end())
      out.push_back(id);
  };
  for (const std::string& word : split(state.words, ',')) {
    if (word.find_first_not_of(' ') == std::string::npos) continue;
    TRY(const int id, parse_output(*state.opened, word));
    add(id);
  }
  if (!out.empty()) return out;
  for (const int id : state.run->ids) add(id);
  return out;
}

// What the looked-at head looks for among these words: the score of a query (row) with a key (column). Where
// the head rotates, the query stands one position behind, or as many as are asked for.
Result<std::optional<figure::PartBox>> looks_for_matrix(const ViewState& state, const Model& model) {
  TRY(const std::vector<int> words, looked_words(state));
  const auto& attention = model.config().blocks[static_cast<std::size_t>(state.layer)].attention;
  const bool asked = asks_map(state);
  const std::int64_t back = state.distance >= 0 ? state.distance : 1;
  const std::optional<std::int64_t> distance =
      attention.position.rotates() || state.distance >= 0 ? std::optional(back) : std::nullopt;
  const auto map =
      circuit_map(model, state.layer, static_cast<int>(state.head), false, words, words, distance);
  if (!map && asked) return map.error();
  if (!map || words.size() < 2) return std::optional<figure::PartBox>();
  figure::MatrixMark out;
  out.scale = figure::Scale::diverging, out.most = 1e-9;
  std::vector<float> values;
  for (const double value : *map) {
    values.push_back(static_cast<float>(value));
    out.most = std::max(out.most, std::abs(value));
  }
  const std::int64_t count = std::ssize(words);
  out.values = Tensor::from(std::move(values), {{Axis::none, count}, {Axis::none, count}});
  for (const int id : words) {
    out.rows.labels.emplace_back(token_label(*state.opened, id));
    out.cols.labels.emplace_back(token_label(*state.opened, id));
  }
  out.rows.ink = figure::Ink::query, out.cols.ink = figure::Ink::key;
  const std::string key = !distance   ? "figure.circuits.qk_map"
                          : back == 1 ? "figure.circuits.qk_map.behind"
                                      : "figure.circuits.qk_map.distance";
  const char* const shorter =
      distance && back != 1 ? "figure.circuits.qk_map.distance.short" : "figure.circuits.qk_map.short";
  const std::vector<Text> said{state.layer, state.head, back};
  return std::optional(figure::leaf(
      {"qk_map", std::move(out), asked ? 2 : 1, {Text::of(key, said), Text::of(shorter, said)}, ""}));
}

Result<ViewDrawing> draw_circuits(const ViewState& state) {
  if (state.level == Level::easy) return fail(Code::unsupported, "error.view.full_only");
  const ModelConfig& config = state.run->config();
  if (state.run->weights().all().empty()) return fail(Code::unsupported, "error.lens.circuits");
  if (state.place.stack != config.stack) return fail(Code::not_found, "error.view.circuits_stack");
  if (circuits_drawn_cost(config) > kMostCircuits)
    return fail(Code::unsupported, "error.view.circuits_large");
  const Model model = edited_model(*state.run);
  TRY(const Circuits found, circuits_of(model));
  if (std::ssize(found.heads) > kMostHeads) return fail(Code::unsupported, "error.view.circuits_large");
  const std::vector<const Composition*> best = strongest_pairs(found, 2);
  if (best.empty()) return fail(Code::not_found, "error.view.circuits_block");
  const std::vector<Text> said = circuits_said(config, best);
  const std::string key = std::string("figure.circuits.") + (best.size() > 1 ? "sentence" : "alone");
  ViewDrawing out;
  out.question = {Text::of("figure.circuits.question")};
  out.sentence = {Text::of(key, said), Text::of("figure.circuits.short", said)};
  double most = 1e-9;
  for (const Composition& one : found.composition)
    most = std::max(most, std::abs(one.score - chance_score(config)));
  std::vector<figure::PartBox> grids;
  for (const Reads one : {Reads::q, Reads::k, Reads::v}) {
    const std::string name = reads_name(one);
    grids.push_back(figure::leaf(
        {"composition_" + name,
         composition_matrix(state, found, one, most),
         3,
         {Text::of("figure.circuits.grid." + name), Text::of("figure.circuits.grid." + name + ".short")},
         "composition"}));
  }
  out.picture = figure::either(std::move(grids));
  std::vector<figure::PartBox> tables;
  tables.push_back(figure::leaf({"heads",
                                 heads_table(state, found),
                                 2,
                                 {Text::of("figure.circuits.heads"), Text::of("figure.circuits.heads.short")},
                                 ""}));
  if (!asks_map(state))
    if (auto words = words_table(state, model)) tables.push_back(*std::move(words));
  TRY(auto looks, looks_for_matrix(state, model));
  if (looks) tables.push_back(*std::move(looks));
  out.below = figure::either(std::move(tables));
  return out;
}

}  // namespace

ViewSpec view_circuits() {
  ViewSpec out{"circuits", 55, true, false, draw_circuits, true};
  out.takes = {"words", "distance"};
  return out;
}

}  // namespace attnscope
