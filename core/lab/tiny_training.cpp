#include "core/lab/tiny_training.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/lab/pieces.h"
#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

constexpr int kTinyLetters = 10, kColon = 10, kLength = 5, kTinyTrainingWidth = 32, kTinyTrainingHeads = 4,
              kTinyTrainingBlocks = 2, kTinyDeepBlocks = 6, kBatch = 12;
constexpr int kTinyTrainingMeasured = 32;
constexpr std::uint64_t kTinySeed = 7, kLongChains = 1000;  // a stream of numbers besides those of the splits
constexpr double kHeldOutShare = 0.2, kSmoothing = 0.1;
constexpr std::size_t kTinyRunsKept = 24;

// Five letters, a colon, and the same letters; the colon's row says the first one.
Example copied(SplitMix64& random) {
  std::vector<int> letters(kLength);
  for (int& letter : letters) letter = random.below(kTinyLetters);
  Example out;
  out.input.ids = letters;
  out.input.ids.push_back(kColon);
  out.input.ids.insert(out.input.ids.end(), letters.begin(), letters.end() - 1);
  out.targets.assign(kLength, kNotCounted);
  out.targets.insert(out.targets.end(), letters.begin(), letters.end());
  return out;
}

// Letters, each one of the two followers of that `back` places before it; every row from whose letter one
// follows says the next one.
Example followed(SplitMix64& random, int length, int back) {
  Example out;
  std::vector<int>& letters = out.input.ids;
  const auto from = static_cast<std::size_t>(back), count = static_cast<std::size_t>(length);
  for (std::size_t at = 0; at <= count; ++at)
    letters.push_back(at < from
                          ? random.below(kTinyLetters)
                          : tiny_followers(letters[at - from])[static_cast<std::size_t>(random.below(2))]);
  for (std::size_t row = 0; row < count; ++row)
    out.targets.push_back(row + 1 >= from && row + 1 < count ? letters[row + 1] : kNotCounted);
  letters.pop_back();
  return out;
}

// Tokens: colour * 6 + shape of a thing, then a question for each colour and each shape. The answer to one is
// the token of the other.
Example asked_for(SplitMix64& random) {
  constexpr int kFirst = kTinyThings * kTinyThings;
  const auto mixed = [&random](int count) {
    std::vector<int> out(static_cast<std::size_t>(count));
    std::iota(out.begin(), out.end(), 0);
    for (std::size_t i = out.size() - 1; i > 0; --i)
      std::swap(out[i], out[static_cast<std::size_t>(random.below(static_cast<int>(i) + 1))]);
    return out;
  };
  const std::vector<int> colours = mixed(kTinyThings), shapes = mixed(kTinyThings);
  std::vector<int> answers(2 * kTinyThings);
  Example out;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    out.input.ids.push_back(colours[i] * kTinyThings + shapes[i]);
    answers[static_cast<std::size_t>(colours[i])] = kTinyThings + shapes[i];
    answers[static_cast<std::size_t>(kTinyThings + shapes[i])] = colours[i];
  }
  out.targets.assign(kTinyThings, kNotCounted);
  for (const int question : mixed(2 * kTinyThings)) {
    out.input.ids.push_back(kFirst + question);
    out.targets.push_back(kFirst + answers[static_cast<std::size_t>(question)]);
  }
  return out;
}

int back_of(TinyData data) { return data == TinyData::woven ? 2 : 1; }

class Letters final : public Task {
 public:
  Letters(TinyData data, TinyPart part)
      : Task({"letters", "Letters", "Copies or goes on with letters.", "attnscope"}),
        data_(data),
        part_(part) {}
  Result<ModelConfig> config(const TaskSizes&) const override { return tiny_config(part_, data_); }
  nlohmann::json tokenizer() const override { return nlohmann::json::object(); }
  Recipe recipe() const override {
    return {.batch = kBatch,
            .schedule = "constant",
            .warmup = 10,
            .smoothing = part_ == TinyPart::smoothing ? kSmoothing : 0};
  }
  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, split, number);
    while (true) {
      Example out = tiny_copies(data_)          ? copied(random)
                    : data_ == TinyData::things ? asked_for(random)
                                                : followed(random, kTinyChain, back_of(data_));
      if (falls_into(fingerprint(out.input.ids), kHeldOutShare) == (split == Split::held_out)) return out;
    }
  }
  Example shown() const override { return example(kTinySeed, Split::held_out, 0); }
  std::vector<Measure> measure(const Model&, std::uint64_t, int) const override { return {}; }

 private:
  TinyData data_;
  TinyPart part_;
};

int said_last(const Model& model, const Input& input) {
  const auto run = model.run(input);
  CHECK(run.ok());
  const std::vector<float> logits =
      (*run)->logits_row(static_cast<std::int64_t>(input.ids.size()) - 1).values();
  return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// The model writes: one letter after the other, each from all that stands there by then.
double generated(const Model& model, const Task& task, TinyData data, int count) {
  std::int64_t right = 0;
  for (int i = 0; i < count; ++i) {
    const Example example = task.example(kTinySeed, Split::held_out, i);
    const bool copies = tiny_copies(data);
    Input input;
    input.ids.assign(example.input.ids.begin(), example.input.ids.begin() + (copies ? kLength + 1 : 3));
    for (std::size_t said = 0; said < kLength; ++said) {
      const int next = said_last(model, input);
      const int from = input.ids[input.ids.size() - static_cast<std::size_t>(back_of(data))];
      const auto may = copies || from >= kTinyLetters ? std::array<int, 2>{} : tiny_followers(from);
      right += copies ? next == example.targets[kLength + said] : next == may[0] || next == may[1];
      input.ids.push_back(next);
    }
  }
  return static_cast<double>(right) / (static_cast<double>(count) * kLength);
}

// Of the rows with a target, the probability of the likeliest letter, summed.
double sureness(const Tensor& logits, const std::vector<int>& targets) {
  double sum = 0;
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (targets[row] < 0) continue;
    const std::vector<float> numbers = logits.select(0, static_cast<std::int64_t>(row)).values();
    const auto most = static_cast<double>(*std::max_element(numbers.begin(), numbers.end()));
    double all = 0;
    for (const float number : numbers) all += std::exp(static_cast<double>(number) - most);
    sum += 1 / all;
  }
  return sum;
}

/// Sums over the counted rows of held-out examples.
struct HeldOutSums : CrossEntropy {
  double sure = 0;
};
HeldOutSums held_out_loss(const Model& model, const Task& task, int count) {
  HeldOutSums sum;
  run_held_out(task, model, kTinySeed, count, [&](const Example& example, const Trace& trace) {
    const auto logits = trace.tensor(Cell{site_of(StepRole::logits), {}});
    CHECK(logits.ok());
    const CrossEntropy one = cross_entropy(*logits, example.targets, 0);
    sum.plain += one.plain, sum.counted += one.counted, sum.right += one.right;
    sum.sure += sureness(*logits, example.targets);
  });
  return sum;
}

Result<std::shared_ptr<const TinyRun>> train(const TinyOptions& options, const std::atomic<bool>& cancel) {
  const auto task = std::make_shared<Letters>(options.data, options.part);
  Recipe recipe = task->recipe();
  recipe.steps = std::max(options.steps, 1);  // none at all: the model as it begins
  recipe.learning_rate = options.rate;
  TRY(Trainer trainer, Trainer::make(task, {}, recipe, kTinySeed));
  auto out = std::make_shared<TinyRun>();
  while (trainer.state().step < options.steps) {
    TRY_OK(go_on(cancel));
    TRY(StepReport report, trainer.step(&cancel));
    out->reports.push_back(std::move(report));
  }
  out->model = trainer.state().model;
  const HeldOutSums loss = held_out_loss(*out->model, *task, kTinyTrainingMeasured);
  out->loss = loss.plain / static_cast<double>(loss.counted);
  out->accuracy = static_cast<double>(loss.right) / static_cast<double>(loss.counted);
  out->confidence = loss.sure / static_cast<double>(loss.counted);
  if (options.data != TinyData::things)
    out->generated = generated(*out->model, *task, options.data, kTinyTrainingMeasured / 2);
  return std::shared_ptr<const TinyRun>(std::move(out));
}

}  // namespace

ModelConfig tiny_config(TinyPart part, TinyData data) {
  using Kind = PositionSpec::Kind;
  const bool things = data == TinyData::things;
  const int words = things ? kTinyThings * (kTinyThings + 2) : kTinyLetters + 1;
  const int blocks = things ? 1 : data == TinyData::deep ? kTinyDeepBlocks : kTinyTrainingBlocks;
  ModelConfig out = lab_config(kTinyTrainingWidth, kTinyTrainingHeads, words, blocks);
  const bool rotates = part == TinyPart::rope, biased = part == TinyPart::alibi;
  out.position.kind = part == TinyPart::sinusoidal                                    ? Kind::sinusoidal
                      : rotates || biased || things || part == TinyPart::no_positions ? Kind::none
                                                                                      : Kind::learned;
  if (out.position.kind == Kind::learned) out.position.max_positions = 2 * kLength + 1;
  const bool bare = part == TinyPart::no_norms, post = part == TinyPart::post;
  if (bare || post) out.final_norm.kind = NormSpec::Kind::none;
  for (BlockSpec& block : out.blocks) {
    if (things) block.attention.d_head = 2, block.attention.scale = std::sqrt(0.5f);
    if (rotates) block.attention.position.kind = AttentionPosition::Kind::rope;
    if (biased) block.attention.position.kind = AttentionPosition::Kind::alibi;
    if (bare) block.norm.kind = NormSpec::Kind::none;
    if (post) block.order = NormOrder::post;
    if (part == TinyPart::two_keys) block.attention.n_kv_heads = 2;
    if (part == TinyPart::one_key) block.attention.n_kv_heads = 1;
    if (part == TinyPart::full_mask) block.attention.causal = false;
    if (part == TinyPart::no_skip) block.attention_skip = block.mlp_skip = false;
  }
  if (part == TinyPart::untied) out.head.tied = false;
  return out;
}

namespace {

struct TinyRuns {
  std::mutex mutex;
  std::deque<std::pair<TinyOptions, std::shared_ptr<const TinyRun>>> kept;
};

TinyRuns& tiny_runs() {
  static TinyRuns runs;
  return runs;
}

}  // namespace

std::shared_ptr<const TinyRun> tiny_run_known(const TinyOptions& options) {
  TinyRuns& runs = tiny_runs();
  const std::lock_guard lock(runs.mutex);
  for (const auto& [other, run] : runs.kept)
    if (other == options) return run;
  return nullptr;
}

Result<std::shared_ptr<const TinyRun>> tiny_run(const TinyOptions& options, const std::atomic<bool>& cancel) {
  if (auto known = tiny_run_known(options)) return known;
  TRY(std::shared_ptr<const TinyRun> run, train(options, cancel));
  TinyRuns& runs = tiny_runs();
  const std::lock_guard lock(runs.mutex);
  runs.kept.emplace_back(options, run);
  if (runs.kept.size() > kTinyRunsKept) runs.kept.pop_front();
  return run;
}

std::array<int, 2> tiny_followers(int letter) {
  return {(3 * letter + 1) % kTinyLetters, (7 * letter + 4) % kTinyLetters};
}

std::vector<int> tiny_chain(std::uint64_t number, int length) {
  SplitMix64 random = random_of(kTinySeed, kLongChains, number);
  return followed(random, length, back_of(TinyData::woven)).input.ids;
}

double tiny_loss(const Model& model, TinyData data, int count) {
  const Letters task(data, TinyPart::usual);
  const HeldOutSums loss = held_out_loss(model, task, count);
  return loss.plain / static_cast<double>(loss.counted);
}

}  // namespace attnscope
