// Translator: the original encoder-decoder (Vaswani et al. 2017) from a small English grammar to Korean:
// sinusoidal positions, norms after each sum, ReLU, embeddings scaled by the root of the width and shared by
// both stacks and the unembedding. Held out are whole English sentences.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/task_sizes.h"
#include "core/train/translator_grammar.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr double kTaskTranslatorHeldOut = 0.1;  // share of all sentences
constexpr int kPositions = 64;

const WordIds& task_translator_vocabulary() {
  static const WordIds ids(translator_words());
  return ids;
}

std::vector<int> task_translator_ids_of(const std::vector<std::string>& pieces) {
  std::vector<int> out;
  for (const std::string& piece : pieces) out.push_back(task_translator_vocabulary()[piece]);
  return out;
}

// Row r of the decoder reads the piece before and predicts piece r: notes[r] is the source word of piece r.
Example task_translator_example_of(const Translation& said) {
  Example out;
  out.input.source = task_translator_ids_of(said.english);
  out.input.source.push_back(kTranslatorEnd);
  const std::vector<int> korean = task_translator_ids_of(said.korean);
  out.input.ids = {kTranslatorPad};  // the decoder begins with it
  out.input.ids.insert(out.input.ids.end(), korean.begin(), korean.end());
  out.targets = korean;
  out.targets.push_back(kTranslatorEnd);
  out.notes = said.aligned;
  return out;
}

// The next sentence of a split.
Translation task_translator_said(Split split, SplitMix64& random) {
  while (true) {
    Translation said = translate(random_statement(random));
    const bool held_out =
        falls_into(fingerprint(task_translator_ids_of(said.english)), kTaskTranslatorHeldOut);
    if (held_out == (split == Split::held_out)) return said;
  }
}

// The verb and its subject, the verb and its object, the object and its verb; in the Korean sentence, which
// has its verb last and one row in front, only from the verb. A pronoun has no piece that is aligned.
std::vector<WordRelation> task_translator_relations(const Translation& said) {
  std::vector<WordRelation> out{{"subject", Stack::enc, said.verb, said.subject}};
  if (said.object >= 0) {
    out.push_back({"object", Stack::enc, said.verb, said.object});
    out.push_back({"verb", Stack::enc, said.object, said.verb});
  }
  const auto row = [&](int english) {
    const auto found = std::find(said.aligned.begin(), said.aligned.end(), english);
    return found == said.aligned.end() || english < 0 ? -1 : found - said.aligned.begin() + 1;
  };
  for (const auto& [name, word] : {std::pair{"subject", said.subject}, {"object", said.object}})
    if (row(word) > 0) out.push_back({name, Stack::dec, row(said.verb), row(word)});
  return out;
}

// Share of the content words at which a head's strongest source word is the aligned one, at the row
// that predicts the word; the end of the source is no word.
double aligned_share(const Example& example, const Trace& trace, int layer, int head) {
  const auto rows = static_cast<std::int64_t>(example.notes.size());
  const auto words = static_cast<std::int64_t>(example.input.source.size()) - 1;
  const Tensor pattern = trace.slice(cross_site(StepRole::pattern, layer, Stack::dec), head, {0, rows},
                                     {0, words});  // [query, key]
  int hits = 0, content = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    const int aligned = example.notes[static_cast<std::size_t>(row)];
    if (aligned < 0) continue;
    std::int64_t strongest = 0;
    for (std::int64_t key = 1; key < words; ++key)
      if (pattern.at(row, key) > pattern.at(row, strongest)) strongest = key;
    hits += strongest == aligned ? 1 : 0;
    ++content;
  }
  return static_cast<double>(hits) / std::max(1, content);
}

// What encoder and decoder have in common.
ModelConfig task_translator_stack_of(const TaskSizes& sizes, Stack which) {
  ModelConfig out;
  out.stack = which;
  out.d_model = out.d_in = sizes.d_model;
  out.vocab_size = task_translator_vocabulary().size();
  out.embed_scale = std::sqrt(static_cast<float>(sizes.d_model));
  out.position.kind = PositionSpec::Kind::sinusoidal;
  out.position.halves = true;
  out.position.max_positions = kPositions;
  BlockSpec block = usual_block(sizes);
  block.mlp.activation = Activation::relu;
  block.attention.causal = which == Stack::dec;
  if (which == Stack::dec) block.cross = block.attention.as_cross();
  out.blocks.assign(static_cast<std::size_t>(sizes.layers), block);
  if (sizes.order == "post") out.final_norm.kind = NormSpec::Kind::none;
  out.head.present = false;
  return out;
}

class TranslatorTask final : public Task {
 public:
  TranslatorTask()
      : Task({"translator", "Translator",
              "Translates short English sentences to Korean, with its order of words and its particles.",
              "marian"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {2, 4, 0, 64, 256, "post", ""}));
    ModelConfig out = task_translator_stack_of(sizes, Stack::dec),
                encoder = task_translator_stack_of(sizes, Stack::enc);
    encoder.shares_embedding = true;
    out.encoders.push_back(std::move(encoder));
    out.head.present = out.head.tied = true;
    out.eos = kTranslatorEnd;
    out.pad = out.decoder_start = kTranslatorPad;
    out.suppressed_tokens = {kTranslatorPad};
    return out;
  }

  nlohmann::json tokenizer() const override {
    WordTokenizer parts;
    parts.words = task_translator_vocabulary().words();
    parts.special = {"</s>", "<unk>", "<pad>"};
    parts.unknown = "<unk>";
    parts.after = "</s>";
    nlohmann::json out = tokenizer_json(parts);
    out["normalizer"] = {{"type", "Lowercase"}};
    return out;
  }

  Recipe recipe() const override {
    return {.steps = 1200,
            .batch = 64,
            .learning_rate = 2e-3,
            .schedule = "inverse_sqrt",
            .warmup = 300,
            .smoothing = 0.1};
  }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, split, number);
    return task_translator_example_of(task_translator_said(split, random));
  }

  std::optional<RelatedWords> related(std::uint64_t seed, std::int64_t number) const override {
    SplitMix64 random = random_of(seed, Split::held_out, number);
    const Translation said = task_translator_said(Split::held_out, random);
    return RelatedWords{task_translator_example_of(said).input, task_translator_relations(said)};
  }

  Example shown() const override { return task_translator_example_of(translate(shown_statement())); }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    std::int64_t exact = 0;
    HeadScores aligning(model.config(), Part::cross);
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      exact += rows_right(trace, example.targets).all() ? 1 : 0;
      aligning.add([&](int layer, int head) { return aligned_share(example, trace, layer, head); });
    });
    const FoundHead best = aligning.best();
    return {
        {"accuracy", "share of held-out sentences that are translated without any mistake",
         static_cast<double>(exact) / std::max(1, count), 0.98},
        {"aligned_head.share",
         "share of a sentence's content words at which the best cross-attention head looks strongest at the "
         "English word that is being translated",
         best.mean, 0.80, best.layer, best.head}};
  }
};

}  // namespace

std::shared_ptr<const Task> task_translator() { return std::make_shared<const TranslatorTask>(); }

}  // namespace attnscope
