// Sorter: letters in any order, a colon, the same letters in the order of the alphabet, the end. Decoder-only
// and causal; only what stands after the colon counts. Held out are letters, whatever their order, so that
// neither a question nor its answer was ever trained on.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/random.h"
#include "core/train/task_sizes.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr int kLetters = 26, kSorterColon = 26, kTaskSorterEnd = 27;
constexpr int kFewestSorted = 4, kMostSorted = 10;
constexpr double kTaskSorterHeldOut = 0.1;  // share of all bags of letters

const WordIds& task_sorter_vocabulary() {
  static const WordIds ids = [] {
    std::vector<std::string> words;
    for (char letter = 'a'; letter <= 'z'; ++letter) words.emplace_back(1, letter);
    for (const char* word : {":", "<end>", "<unk>"}) words.emplace_back(word);
    return WordIds(words);
  }();
  return ids;
}

std::vector<int> sorted(std::vector<int> letters) {
  std::sort(letters.begin(), letters.end());
  return letters;
}

// Question and answer as one sequence; row `letters.size()` is the colon, which predicts the first letter.
Example task_sorter_example_of(const std::vector<int>& letters) {
  Example out;
  const std::vector<int> answer = sorted(letters);
  out.input.ids = letters;
  out.input.ids.push_back(kSorterColon);
  out.input.ids.insert(out.input.ids.end(), answer.begin(), answer.end());
  out.targets.assign(letters.size(), kNotCounted);
  out.targets.insert(out.targets.end(), answer.begin(), answer.end());
  out.targets.push_back(kTaskSorterEnd);
  out.notes = {static_cast<int>(letters.size())};  // the row of the colon
  return out;
}

// How much of a head's attention, from the rows that predict a letter, goes to places of that letter in the
// question: the mean over these rows.
double task_sorter_copied(const Example& example, const Trace& trace, int layer, int head) {
  const std::int64_t colon = example.notes.front();
  const Tensor pattern =
      trace.slice(site_of(StepRole::pattern, layer), head, {colon, 2 * colon}, {0, colon});  // [query, key]
  double sum = 0;
  for (std::int64_t query = 0; query < colon; ++query)
    for (std::int64_t key = 0; key < colon; ++key)
      if (example.input.ids[static_cast<std::size_t>(key)] ==
          example.targets[static_cast<std::size_t>(colon + query)])
        sum += static_cast<double>(pattern.at(query, key));
  return sum / static_cast<double>(colon);
}

class Sorter final : public Task {
 public:
  Sorter()
      : Task({"sorter", "Sorter",
              "Brings four to ten letters into the order of the alphabet, repeated ones too.", "gpt2"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 0, 64, 256, "pre", ""}));
    ModelConfig out =
        usual_decoder(sizes, usual_block(sizes), task_sorter_vocabulary().size(), 2 * kMostSorted + 2);
    out.eos = kTaskSorterEnd;
    return out;
  }

  nlohmann::json tokenizer() const override {
    WordTokenizer parts;
    parts.words = task_sorter_vocabulary().words();
    parts.special = {"<end>", "<unk>"};
    parts.unknown = "<unk>";
    return tokenizer_json(parts);
  }

  Recipe recipe() const override { return {.steps = 5000, .batch = 64, .learning_rate = 3e-3}; }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, split, number);
    while (true) {
      std::vector<int> letters(
          static_cast<std::size_t>(kFewestSorted + random.below(kMostSorted - kFewestSorted + 1)));
      for (int& letter : letters) letter = random.below(kLetters);
      const bool held_out = falls_into(fingerprint(sorted(letters)), kTaskSorterHeldOut);
      if (held_out == (split == Split::held_out)) return task_sorter_example_of(letters);
    }
  }

  CountedRows counted() const override { return {CountedRows::Kind::from, kSorterColon, -1}; }

  Example shown() const override {
    return task_sorter_example_of(task_sorter_vocabulary().read("d a c b a f"));
  }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    std::int64_t exact = 0;
    HeadScores copying(model.config());
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      exact += rows_right(trace, example.targets).all() ? 1 : 0;
      copying.add([&](int layer, int head) { return task_sorter_copied(example, trace, layer, head); });
    });
    const FoundHead best = copying.best();
    return {{"accuracy", "share of held-out inputs that are sorted without any mistake, the end included",
             static_cast<double>(exact) / std::max(1, count), 0.999},
            {"copying_head.weight",
             "mean attention of the best head from where a letter is said to that letter in the question",
             best.mean, 0.0, best.layer, best.head}};
  }
};

}  // namespace

std::shared_ptr<const Task> task_sorter() { return std::make_shared<const Sorter>(); }

}  // namespace attnscope
