// The FFN as a key-value memory: a neuron of the Storyteller has a key (the column of W1, whose dot product
// with every row it takes) and a value (the row of W2 that it adds to the stream, here unembedded).
#include <algorithm>
#include <cmath>

#include "core/lab/pieces.h"

namespace attnscope {
namespace {

constexpr const char* kLabMemoryStory = "The cat sat on the mat because it was tired. So the";
constexpr std::size_t kListed = 6;

/// What a neuron does at one row.
struct Firing {
  std::int64_t neuron = 0;
  double activation = 0, length = 0;  ///< length of what it adds
};

// value [d_model] times the unembedding [d_model, vocab].
std::vector<double> words_raised(const Model& model, std::int64_t neuron, int layer) {
  const Tensor value = model.weights().get("blocks." + std::to_string(layer) + ".mlp.out.weight"),
               table = model.weights().get("logits.weight");
  std::vector<double> out(static_cast<std::size_t>(table.size(1)), 0);
  for (std::int64_t d = 0; d < table.size(0); ++d)
    for (std::int64_t id = 0; id < table.size(1); ++id)
      out[static_cast<std::size_t>(id)] +=
          static_cast<double>(value.at(neuron, d)) * static_cast<double>(table.at(d, id));
  return out;
}

double value_length(const Model& model, std::int64_t neuron, int layer) {
  return stats(model.weights().get("blocks." + std::to_string(layer) + ".mlp.out.weight").select(0, neuron))
      .l2;
}

// The neurons that add most at a row, the longest first.
std::vector<Firing> strongest(const Trace& trace, const Model& model, int layer, std::int64_t row) {
  const Tensor act = trace.find(trace.main(StepRole::neurons, layer))->value();  // [pos, d_mlp]
  std::vector<Firing> all;
  for (std::int64_t neuron = 0; neuron < act.size(1); ++neuron) {
    const double a = static_cast<double>(act.at(row, neuron));
    all.push_back({neuron, a, std::fabs(a) * value_length(model, neuron, layer)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Firing& a, const Firing& b) { return a.length > b.length; });
  return all;
}

LabBars word_bars(const OpenedModel& opened, const std::vector<double>& raised, double activation) {
  std::vector<int> order;
  for (int id = 0; id < static_cast<int>(raised.size()); ++id) order.push_back(id);
  const auto given = [&](int id) { return activation * raised[static_cast<std::size_t>(id)]; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return given(a) > given(b); });
  LabBars out;
  out.title = Text::of("lab.memory.words");
  for (std::size_t i = 0; i < 2 * kListed; ++i) {
    const int id = i < kListed ? order[i] : order[order.size() - 2 * kListed + i];
    out.bars.push_back({token_label(opened, id), given(id), shown(given(id), 3),
                        given(id) >= 0 ? LabInk::green : LabInk::red});
  }
  return out;
}

LabBars key_bars(const Trace& trace, const std::vector<Text>& words, int layer, std::int64_t neuron,
                 std::int64_t row) {
  const Tensor act = trace.find(trace.main(StepRole::neurons, layer))->value();
  LabBars out;
  out.title = Text::of("lab.memory.fires");
  for (std::int64_t pos = 0; pos < act.size(0); ++pos)
    out.bars.push_back({words[static_cast<std::size_t>(pos)], static_cast<double>(act.at(pos, neuron)),
                        shown(static_cast<double>(act.at(pos, neuron)), 3),
                        pos == row ? LabInk::amber : LabInk::purple});
  return out;
}

Result<LabPicture> compute_memory(const LabValues& values, const std::atomic<bool>&) {
  const int layer = static_cast<int>(values.whole("block"));
  TRY(const std::shared_ptr<const OpenedModel> story, shipped_model("storyteller"));
  TRY(const Input input, text_input(*story, kLabMemoryStory));
  TRY(const std::shared_ptr<const Trace> trace, story->model->run(input));
  const std::int64_t row = std::min(values.whole("row"), trace->length - 1);
  const std::vector<Text> words = words_of(*story, input.ids);
  const std::vector<Firing> ranking = strongest(*trace, *story->model, layer, row);
  const auto rank = static_cast<std::size_t>(values.whole("rank") - 1);
  const Firing& now = ranking[std::min(rank, ranking.size() - 1)];
  const std::vector<double> raised = words_raised(*story->model, now.neuron, layer);
  LabTable table;
  table.title = Text::of("lab.memory.ranking", {words[static_cast<std::size_t>(row)]});
  table.header = {Text::of("lab.memory.neuron"), Text::of("lab.memory.activation"),
                  Text::of("lab.memory.adds"), Text::of("lab.memory.word")};
  const std::size_t first = rank < kListed ? 0 : rank - kListed + 1;
  for (std::size_t i = first; i < std::min(first + kListed, ranking.size()); ++i) {
    const std::vector<double> gives = words_raised(*story->model, ranking[i].neuron, layer);
    const auto best = ranking[i].activation >= 0 ? std::max_element(gives.begin(), gives.end())
                                                 : std::min_element(gives.begin(), gives.end());
    table.rows.push_back({ranking[i].neuron, shown(ranking[i].activation, 3), shown(ranking[i].length, 3),
                          token_label(*story, static_cast<int>(best - gives.begin()))});
    if (i == rank) table.lit = static_cast<int>(i - first);
  }
  const LabBars said = word_bars(*story, raised, now.activation);
  LabPicture out;
  out.pieces = {
      {key_bars(*trace, words, layer, now.neuron, row), 1, true, 1}, {said, 1}, in_full({table, 1.1f})};
  out.formula =
      Text::of("lab.memory.formula",
               {now.neuron, shown(now.activation, 3),
                shown(now.length / std::max(1e-12, std::fabs(now.activation)), 3), shown(now.length, 3)});
  out.notice = Text::of(std::fabs(now.activation) > 0.2 ? "lab.memory.notice.on" : "lab.memory.notice.off",
                        {now.neuron, words[static_cast<std::size_t>(row)], shown(now.activation, 3),
                         said.bars.front().name, said.bars.back().name, said.bars.front().shown});
  return out;
}

}  // namespace

Lab lab_memory();
Lab lab_memory() {
  return {"lab.memory",
          12,
          {whole_control("lab.memory.block", 0, 1, 1), whole_control("lab.memory.row", 0, 13, 13),
           whole_control("lab.memory.rank", 1, 256, 1, true)},
          compute_memory,
          {"row", 0},
          {"row", 2, "rank"}};
}

}  // namespace attnscope
