#include "core/train/story_task.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ops/backward.h"
#include "core/train/held_out.h"
#include "core/train/word_tokenizer.h"

namespace attnscope {
namespace {

constexpr int kStoryTaskBegin = 0, kStoryTaskEnd = 1, kStoryTaskSpecials = 3;
constexpr int kStoryTaskMostRows = 64;
static_assert(2 * kLongestStory + 2 <= kStoryTaskMostRows);
constexpr double kTwoStories = 0.2;  // share of sequences with a second story
constexpr std::uint64_t kTwoStream = 0x74776F;

const WordIds& story_task_vocabulary() {
  static const WordIds ids = [] {
    std::vector<std::string> words{"<bos>", "<eos>", "<unk>"};
    words.insert(words.end(), story_words().begin(), story_words().end());
    return WordIds(words);
  }();
  return ids;
}

// The begin token, then the stories; each row's target is the word after it, the last one's the end.
Example story_task_example_of(const std::vector<Story>& stories) {
  Example out;
  std::vector<int>& ids = out.input.ids;
  ids.push_back(kStoryTaskBegin);
  for (const Story& story : stories) {
    const int first = static_cast<int>(ids.size());
    for (const int word : story.words) ids.push_back(word + kStoryTaskSpecials);
    out.notes = {first + story.answer, first + story.antecedent, first + story.other, first + story.reason};
  }
  out.targets.assign(ids.begin() + 1, ids.end());
  out.targets.push_back(kStoryTaskEnd);
  return out;
}

std::int64_t row_of(const Example& example, StoryRows::At which) { return example.notes[which]; }

bool knows_the_noun(const Example& example, const Trace& trace) {
  std::vector<int> noun(example.targets.size(), kNotCounted);
  const auto row = static_cast<std::size_t>(row_of(example, StoryRows::answer));
  noun[row] = example.targets[row];
  return rows_right(trace, noun).all();
}

// Attention of one head from a row of the story to the antecedent.
double to_antecedent(const Example& example, const Trace& trace, StoryRows::At from, int layer, int head) {
  return static_cast<double>(
      trace.cell(site_of(StepRole::pattern, layer),
                 {head, row_of(example, from), row_of(example, StoryRows::antecedent)}));
}

}  // namespace

nlohmann::json StoryTask::tokenizer() const {
  return tokenizer_json({story_task_vocabulary().words(),
                         {"<bos>", "<eos>", "<unk>"},
                         "<unk>",
                         "<bos>",
                         "",
                         WordTokenizer::Cut::words});
}

Recipe StoryTask::recipe() const { return {.steps = 1500, .batch = 32, .learning_rate = 2e-3}; }

Example StoryTask::example(std::uint64_t seed, Split split, std::int64_t number) const {
  SplitMix64 random = random_of(seed, split, number, kTwoStream);
  std::vector<Story> stories{story_of(seed, split, 2 * number)};
  if (random.chance(kTwoStories)) stories.push_back(story_of(seed, split, 2 * number + 1));
  return story_task_example_of(stories);
}

std::optional<TaskPrompt> StoryTask::prompt(std::uint64_t seed, std::int64_t number) const {
  const StoryPair pair = story_pair(seed, Split::held_out, number);
  const auto up_to_answer = [](const Story& story) {
    std::vector<int> ids = story_task_example_of({story}).input.ids;
    ids.resize(static_cast<std::size_t>(story.answer) + 2);  // the begin token stands in front
    return ids;
  };
  const auto word = [&](int place) {
    return pair.clean.words[static_cast<std::size_t>(place)] + kStoryTaskSpecials;
  };
  TaskPrompt out;
  out.input.ids = up_to_answer(pair.clean);
  out.corrupt = up_to_answer(pair.corrupt);
  out.answer = word(pair.clean.antecedent);
  out.wrong = word(pair.clean.other);
  out.groups["form"] = pair.clean.names_in_reason ? "reason" : "later";
  return out;
}

std::optional<RelatedWords> StoryTask::related(std::uint64_t seed, std::int64_t number) const {
  const Story story = story_of(seed, Split::held_out, number);
  return RelatedWords{story_task_example_of({story}).input, story_relations(story, 1)};
}

Example StoryTask::shown() const {
  Example out = story_task_example_of({first_story()});
  const auto rows = static_cast<std::size_t>(row_of(out, StoryRows::answer)) + 1;
  out.input.ids.resize(rows);
  out.targets.resize(rows);
  return out;
}

ModelConfig StoryTask::decoder(const TaskSizes& sizes, const BlockSpec& block) {
  ModelConfig out = usual_decoder(sizes, block, story_task_vocabulary().size(), kStoryTaskMostRows);
  out.bos = kStoryTaskBegin;
  out.eos = kStoryTaskEnd;
  return out;
}

std::vector<Measure> StoryTask::measure(const Model& model, std::uint64_t seed, int count) const {
  std::int64_t right = 0;
  HeadScores answering(model.config()), resolving(model.config());
  run_held_out(*this, model, seed, count, [&](const Example& example, const Trace& trace) {
    right += knows_the_noun(example, trace) ? 1 : 0;
    answering.add(
        [&](int layer, int head) { return to_antecedent(example, trace, StoryRows::answer, layer, head); });
    resolving.add(
        [&](int layer, int head) { return to_antecedent(example, trace, StoryRows::reason, layer, head); });
  });
  const FoundHead answer = answering.best(), reason = resolving.best();
  return {{"accuracy",
           "share of held-out stories in which the noun that the pronoun stood for is the most likely of all "
           "words where it comes again",
           static_cast<double>(right) / std::max(1, count), 0.95},
          {"antecedent_head.weight",
           "mean attention of the best head from the word before the noun comes again to what the pronoun "
           "stood for",
           answer.mean, 0.5, answer.layer, answer.head},
          {"reason_head.weight",
           "mean attention of the best head from the reason to what the pronoun stood for, in stories that "
           "name it later",
           reason.mean, 0.0, reason.layer, reason.head}};
}

}  // namespace attnscope
