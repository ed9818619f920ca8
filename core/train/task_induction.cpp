// Induction: random letters and digits, then the same ones again. Two layers of attention alone learn to look
// for what followed the last time (Elhage et al. 2021; Olsson et al. 2022): a head that reads the token
// before, and behind it one that reads what came after the earlier copy. What is counted begins where a copy
// can be known: with the second repeated token.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/random.h"
#include "core/train/task_sizes.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr int kTaskInductionBegin = 0, kShortest = 12, kLongestSequence = 24, kMostBefore = 24;
constexpr double kInductionTheta = 300;        // RoPE base: heads of 32 features still distinguish neighbours
constexpr double kTaskInductionHeldOut = 0.1;  // share of all sequences

const WordIds& task_induction_vocabulary() {
  static const WordIds ids = [] {
    std::vector<std::string> words{"<bos>"};
    for (const std::string_view letters : {"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"})
      for (const char letter : letters) words.emplace_back(1, letter);
    for (char digit = '0'; digit <= '9'; ++digit) words.emplace_back(1, digit);
    return WordIds(words);
  }();
  return ids;
}

// Begin, `before`, then `part` twice. Notes: the first row of the part, its length.
Example task_induction_example_of(const std::vector<int>& before, const std::vector<int>& part) {
  Example out;
  std::vector<int>& ids = out.input.ids;
  ids.push_back(kTaskInductionBegin);
  ids.insert(ids.end(), before.begin(), before.end());
  out.notes = {static_cast<int>(ids.size()), static_cast<int>(part.size())};
  ids.insert(ids.end(), part.begin(), part.end());
  const std::size_t again = ids.size();
  ids.insert(ids.end(), part.begin(), part.end());
  out.targets.assign(ids.size(), kNotCounted);
  for (std::size_t row = again; row + 1 < ids.size(); ++row) out.targets[row] = ids[row + 1];
  return out;
}

// Tokens in a random order, so that every one of them stands once before the repetition and what follows is
// certain.
std::vector<int> any_tokens(int count, SplitMix64& random) {
  std::vector<int> tokens;
  for (int id = kTaskInductionBegin + 1; id < task_induction_vocabulary().size(); ++id) tokens.push_back(id);
  random.shuffle(tokens);
  tokens.resize(static_cast<std::size_t>(count));
  return tokens;
}

// Mean over rows [first, last) of the attention to the row `back` rows before.
double looking_back(const Trace& trace, int layer, int head, std::int64_t first, std::int64_t last,
                    std::int64_t back) {
  const Tensor pattern =
      trace.slice(site_of(StepRole::pattern, layer), head, {first, last}, {0, last});  // [query, key]
  double sum = 0;
  for (std::int64_t query = first; query < last; ++query)
    sum += static_cast<double>(pattern.at(query - first, query - back));
  return sum / static_cast<double>(last - first);
}

// The best head of one layer.
class LayerScores {
 public:
  LayerScores(const ModelConfig& config, int layer)
      : layer_(layer), scores_({config.blocks[static_cast<std::size_t>(layer)].attention.n_heads}) {}
  template <class Score>
  void add(const Score& score) {
    scores_.add([&](int, int head) { return score(layer_, head); });
  }
  FoundHead best() const {
    const FoundHead found = scores_.best();
    return {layer_, found.head, found.mean};
  }

 private:
  int layer_;
  HeadScores scores_;
};

class Induction final : public Task {
 public:
  Induction()
      : Task({"induction", "Induction",
              "Goes on with a random sequence that comes again, by looking for what followed the last time.",
              "attnscope"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 2, 0, 64, 256, "pre", ""}));
    BlockSpec block = usual_block(sizes);
    TRY_OK(check_pairs(block.attention));
    block.mlp = {MlpSpec::Kind::none, Activation::relu, 0};
    block.attention.position.kind = AttentionPosition::Kind::rope;
    block.attention.position.rope.theta = kInductionTheta;
    ModelConfig out = usual_decoder(sizes, block, task_induction_vocabulary().size(), 128);
    out.position.kind = PositionSpec::Kind::none;
    out.head.tied = false;
    out.bos = kTaskInductionBegin;
    return out;
  }

  nlohmann::json tokenizer() const override {
    return tokenizer_json(
        {task_induction_vocabulary().words(), {"<bos>"}, "", "<bos>", "", WordTokenizer::Cut::letters});
  }

  Recipe recipe() const override { return {.steps = 1000, .batch = 32, .learning_rate = 5e-3}; }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, split, number);
    for (;;) {
      const int before = random.below(kMostBefore + 1);
      const int length = kShortest + random.below(kLongestSequence - kShortest + 1);
      const std::vector<int> tokens = any_tokens(before + length, random);
      const std::vector<int> part(tokens.begin() + before, tokens.end());
      if (falls_into(fingerprint(part), kTaskInductionHeldOut) == (split == Split::held_out))
        return task_induction_example_of({tokens.begin(), tokens.begin() + before}, part);
    }
  }

  CountedRows counted() const override { return {CountedRows::Kind::repeated, -1, -1}; }

  Example shown() const override {
    return task_induction_example_of({}, task_induction_vocabulary().read("K 7 q m 2 T x b R 9 d w"));
  }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    RowsRight said;
    const ModelConfig& config = model.config();
    LayerScores previous(config, 0), induction(config, config.n_layers() - 1);
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      said.add(rows_right(trace, example.targets));
      const std::int64_t length = example.notes[1], again = example.notes[0] + length, end = again + length;
      previous.add([&](int layer, int head) { return looking_back(trace, layer, head, 1, end, 1); });
      induction.add(
          [&](int layer, int head) { return looking_back(trace, layer, head, again, end - 1, length - 1); });
    });
    const FoundHead before = previous.best(), copy = induction.best();
    return {{"accuracy", "share of the repeated tokens, from the second one on, that are the most likely",
             said.share(), 0.99},
            {"previous_token_head.score", "mean attention of the best head of layer 0 to the token before",
             before.mean, 0.8, before.layer, before.head},
            {"induction_head.score",
             "mean attention of the best head of the last layer, from repeated tokens, to the token that "
             "followed the earlier copy",
             copy.mean, 0.8, copy.layer, copy.head}};
  }
};

}  // namespace

std::shared_ptr<const Task> task_induction() { return std::make_shared<const Induction>(); }

}  // namespace attnscope
