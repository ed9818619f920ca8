// Gap filler: the Storyteller's stories with words masked, for a bidirectional encoder,
// norms behind each sum. Masked are words that the rest of the story decides: the noun that the pronoun
// stands for, the pronoun, what follows from the reason, and small words. Sequences are padded.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/model/padding.h"
#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/stories.h"
#include "core/train/task_sizes.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr int kPad = 0, kTaskGapFillerUnknown = 1, kClass = 2, kSeparator = 3, kMask = 4,
              kTaskGapFillerSpecials = 5;
constexpr int kTaskGapFillerMostRows = 32, kPadTo = 4;  // lengths are multiples of 4
static_assert(kLongestStory + 2 <= kTaskGapFillerMostRows && kTaskGapFillerUnknown == 1);
constexpr float kEps = 1e-12f;
constexpr std::uint64_t kMaskStream = 0x6D61736B;
constexpr double kSmallWords = 0.1;  // share of "the", "because", "was" and full stops that is masked

const WordIds& task_gap_filler_vocabulary() {
  static const WordIds ids = [] {
    std::vector<std::string> words{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    words.insert(words.end(), story_words().begin(), story_words().end());
    return WordIds(words);
  }();
  return ids;
}

bool is_small(int id) {
  static const std::vector<int> small = task_gap_filler_vocabulary().read("the because was were .");
  return std::find(small.begin(), small.end(), id) != small.end();
}

// Words of the story that are masked: each can still be inferred from the ones that are left.
std::vector<int> masked_places(const Story& story, SplitMix64& random) {
  std::vector<int> out;
  const double which = random.uniform();
  if (which < 0.6) out.push_back(story.answer + 1);
  if (which >= 0.6 && which < 0.8) out.push_back(story.antecedent);
  if (which >= 0.8) out.push_back(story.pronoun);
  if (random.chance(0.3)) out.push_back(story.outcome);
  for (std::size_t place = 0; place < story.words.size(); ++place)
    if (is_small(story.words[place] + kTaskGapFillerSpecials) && random.chance(kSmallWords))
      out.push_back(static_cast<int>(place));
  return out;
}

// [CLS] story [SEP], the given words masked, padded to a multiple of kPadTo. Notes: the rows of the noun
// when it comes again, of the antecedent and of the other noun.
Example task_gap_filler_example_of(const Story& story, const std::vector<int>& masked) {
  Example out;
  std::vector<int>& ids = out.input.ids;
  ids.push_back(kClass);
  for (const int word : story.words) ids.push_back(word + kTaskGapFillerSpecials);
  ids.push_back(kSeparator);
  out.targets.assign(ids.size(), kNotCounted);
  for (const int place : masked) {
    const auto row = static_cast<std::size_t>(place) + 1;
    out.targets[row] = ids[row];
    ids[row] = kMask;
  }
  const std::size_t length = (ids.size() + kPadTo - 1) / kPadTo * kPadTo;
  out.targets.resize(length, kNotCounted);
  ModelConfig padding;
  padding.pad = kPad;
  out.input = padded(std::move(out.input), padding, static_cast<std::int64_t>(length), 0, PadSide::right);
  out.notes = {story.answer + 2, story.antecedent + 1, story.other + 1};
  return out;
}

class GapFiller final : public Task {
 public:
  GapFiller()
      : Task({"gap-filler", "Gap filler",
              "Fills masked words of the Storyteller's stories, reading in both directions.", "bert"}) {}

  Result<ModelConfig> config(const TaskSizes& chosen) const override {
    TRY(const TaskSizes sizes, filled_sizes(chosen, {3, 4, 0, 64, 256, "post", ""}));
    BlockSpec block = usual_block(sizes);
    block.norm = {NormSpec::Kind::layer, kEps, 0.f};
    block.attention.causal = false;
    block.mlp.activation = Activation::gelu_exact;
    ModelConfig out =
        usual_decoder(sizes, block, task_gap_filler_vocabulary().size(), kTaskGapFillerMostRows);
    out.type_vocab = 2;
    out.embed_norm = block.norm;
    out.head.transform = true;
    out.head.activation = Activation::gelu_exact;
    out.head.norm = block.norm;
    out.pad = kPad;
    return out;
  }

  nlohmann::json tokenizer() const override {
    return tokenizer_json({task_gap_filler_vocabulary().words(),
                           {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"},
                           "[UNK]",
                           "[CLS]",
                           "[SEP]",
                           WordTokenizer::Cut::words});
  }

  Recipe recipe() const override { return {.steps = 2500, .batch = 32, .learning_rate = 2e-3}; }

  Example example(std::uint64_t seed, Split split, std::int64_t number) const override {
    const Story story = story_of(seed, split, number);
    SplitMix64 random = random_of(seed, split, number, kMaskStream);
    return task_gap_filler_example_of(story, masked_places(story, random));
  }

  // A story whose noun is masked where it comes again, against the other noun; group "form": "reason" where
  // the reason names it, else "later".
  std::optional<TaskPrompt> prompt(std::uint64_t seed, std::int64_t number) const override {
    const StoryPair pair = story_pair(seed, Split::held_out, number);
    const auto masked = [](const Story& story) {
      const Example made = task_gap_filler_example_of(story, {story.answer + 1});
      std::vector<int> ids = made.input.ids;
      ids.resize(story.words.size() + 2);  // without padding
      return ids;
    };
    const auto word = [&](int place) {
      return pair.clean.words[static_cast<std::size_t>(place)] + kTaskGapFillerSpecials;
    };
    TaskPrompt out;
    out.input.ids = masked(pair.clean);
    if (pair.clean.words.size() == pair.corrupt.words.size()) out.corrupt = masked(pair.corrupt);
    out.answer = word(pair.clean.antecedent);
    out.wrong = word(pair.clean.other);
    out.groups["form"] = pair.clean.names_in_reason ? "reason" : "later";
    return out;
  }

  std::optional<RelatedWords> related(std::uint64_t seed, std::int64_t number) const override {
    const Story story = story_of(seed, Split::held_out, number);
    RelatedWords out;
    out.input.ids = task_gap_filler_example_of(story, {}).input.ids;
    out.input.ids.resize(story.words.size() + 2);  // without padding
    out.relations = story_relations(story, 1);
    return out;
  }

  CountedRows counted() const override { return {CountedRows::Kind::masked, kMask, -1}; }

  Example shown() const override {
    const Story story = first_story();
    return task_gap_filler_example_of(story, {story.answer + 1});
  }

  std::vector<Measure> measure(const Model& model, std::uint64_t seed, int count) const override {
    RowsRight words, nouns;
    HeadScores reading(model.config());
    run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
      words.add(rows_right(trace, example.targets));
      const auto row = static_cast<std::size_t>(example.notes[0]);
      if (example.targets[row] < 0) return;
      std::vector<int> noun(example.targets.size(), kNotCounted);
      noun[row] = example.targets[row];
      nouns.add(rows_right(trace, noun));
      reading.add([&](int layer, int head) {
        return static_cast<double>(
            trace.cell(site_of(StepRole::pattern, layer), {head, example.notes[0], example.notes[1]}));
      });
    });
    const FoundHead best = reading.best();
    return {{"accuracy", "share of the masked words of held-out stories that are the most likely",
             words.share(), 0.95},
            {"noun.accuracy", "the same, of the noun that comes again alone", nouns.share(), 0.0},
            {"antecedent_head.weight",
             "mean attention of the best head from the masked noun to what the pronoun stands for", best.mean,
             0.0, best.layer, best.head}};
  }
};

}  // namespace

std::shared_ptr<const Task> task_gap_filler() { return std::make_shared<const GapFiller>(); }

}  // namespace attnscope
