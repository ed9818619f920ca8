// Stories: parts where they say, pure, disjoint by split; the tasks made of them (two decoders, an encoder
// that fills gaps): rows and targets, tokenizers, sizes, measuring.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/ops/backward.h"
#include "core/text/tokenizer.h"
#include "core/train/stories.h"
#include "core/train/story_task.h"
#include "core/train/trainer.h"

namespace attnscope {
namespace {

std::string spaced(const std::vector<int>& words) {
  std::string out;
  for (const int word : words)
    out += (out.empty() ? "" : " ") + story_words()[static_cast<std::size_t>(word)];
  return out;
}

const std::string& word_at(const Story& story, int place) {
  return story_words()[static_cast<std::size_t>(story.words[static_cast<std::size_t>(place)])];
}

std::shared_ptr<const Tokenizer> tokenizer_of(const Task& task) {
  auto made = tokenizer_from_json(task.tokenizer().dump(), "tokenizer.json");
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

const std::vector<std::string> kDecoders{"storyteller", "storyteller-llama"};

TEST(StoriesTest, TheFirstStoryIsTheOneThatEverybodyKnows) {
  const Story story = first_story();
  EXPECT_EQ(spaced(story.words), "The cat sat on the mat because it was tired . So the cat slept .");
  EXPECT_EQ(word_at(story, story.antecedent), "cat");
  EXPECT_EQ(word_at(story, story.other), "mat");
  EXPECT_EQ(word_at(story, story.pronoun), "it");
  EXPECT_EQ(word_at(story, story.reason), "tired");
  EXPECT_EQ(word_at(story, story.outcome), "slept");
  EXPECT_EQ(story.answer, 12);
  EXPECT_TRUE(story.held_out);
}

TEST(StoriesTest, EveryStoryNamesWhatItsPronounMeans) {
  int first_noun = 0, in_reason = 0;
  std::set<std::string> pronouns;
  for (int number = 0; number < 5000; ++number) {
    const Story story = story_of(3, number % 2 == 0 ? Split::train : Split::held_out, number);
    ASSERT_LE(story.words.size(), static_cast<std::size_t>(kLongestStory));
    ASSERT_EQ(word_at(story, story.answer + 1), word_at(story, story.antecedent));
    ASSERT_NE(word_at(story, story.antecedent), word_at(story, story.other));
    EXPECT_EQ(word_at(story, story.pronoun - 1), "because");
    EXPECT_EQ(word_at(story, story.answer), story.names_in_reason ? word_at(story, story.reason) : "the");
    EXPECT_EQ(word_at(story, story.pronoun + 1), word_at(story, story.pronoun) == "they" ? "were" : "was");
    EXPECT_GT(story.outcome, story.answer);
    EXPECT_EQ(word_at(story, static_cast<int>(story.words.size()) - 1), ".");
    EXPECT_EQ(story.held_out, number % 2 == 1);
    pronouns.insert(word_at(story, story.pronoun));
    first_noun += story.antecedent < story.other ? 1 : 0;
    in_reason += story.names_in_reason ? 1 : 0;
  }
  EXPECT_EQ(pronouns, (std::set<std::string>{"it", "he", "she", "they"}));
  EXPECT_NEAR(first_noun, 2500, 200);
  EXPECT_NEAR(in_reason, 1500, 200);
}

// What decides the split: the two nouns, what happens, and why.
std::string plot_of(const Story& story) {
  const int because = story.pronoun - 1, first = std::min(story.antecedent, story.other);
  std::vector<int> words(story.words.begin() + first, story.words.begin() + because);
  words.push_back(story.words[static_cast<std::size_t>(story.pronoun)]);
  words.push_back(story.words[static_cast<std::size_t>(story.reason)]);
  return spaced(words);
}

TEST(StoriesTest, WhatIsHeldOutIsNeverTrainedOn) {
  std::set<std::string> trained;
  for (int number = 0; number < 20000; ++number) {
    const Story story = story_of(1, Split::train, number);
    trained.insert(plot_of(story));
    ASSERT_EQ(spaced(story.words).find("cat sat on the mat"), std::string::npos);
  }
  EXPECT_GT(trained.size(), 5000U);
  std::set<std::string> kept;
  for (int number = 0; number < 5000; ++number) {
    kept.insert(plot_of(story_of(2, Split::held_out, number)));
    EXPECT_FALSE(trained.contains(*kept.rbegin()));
  }
  EXPECT_GT(kept.size(), 500U);
}

TEST(StoriesTest, ExamplesArePureAndDifferBySeedAndNumber) {
  for (const char* name : {"storyteller", "storyteller-llama", "gap-filler"}) {
    const auto task = *find_task(name);
    const auto ids = [&](std::uint64_t seed, int number) {
      const Example example = task->example(seed, Split::train, number);
      return std::pair(example.input.ids, example.targets);
    };
    EXPECT_EQ(ids(1, 7), ids(1, 7));
    EXPECT_NE(ids(1, 7), ids(1, 8));
    EXPECT_NE(ids(1, 7), ids(2, 7));
  }
}

TEST(StorytellerTest, EveryRowPredictsTheNextWord) {
  for (const std::string& name : kDecoders) {
    const auto task = *find_task(name);
    const ModelConfig config = *task->config({});
    int two = 0;
    for (int number = 0; number < 2000; ++number) {
      const Example example = task->example(4, Split::train, number);
      const std::vector<int>& ids = example.input.ids;
      ASSERT_EQ(example.targets.size(), ids.size());
      ASSERT_LE(static_cast<std::int64_t>(ids.size()), config.position.max_positions);
      EXPECT_EQ(ids.front(), config.bos);
      EXPECT_EQ(example.targets.back(), config.eos);
      for (std::size_t row = 0; row + 1 < ids.size(); ++row) ASSERT_EQ(example.targets[row], ids[row + 1]);
      for (const int id : ids) ASSERT_TRUE(id >= 0 && id < config.vocab_size);
      // The noun that comes again is the one that stands at the antecedent's row, of the last story.
      const auto at = [&](StoryRows::At which) { return static_cast<std::size_t>(example.notes[which]); };
      EXPECT_EQ(example.targets[at(StoryRows::answer)], ids[at(StoryRows::antecedent)]);
      EXPECT_NE(example.targets[at(StoryRows::answer)], ids[at(StoryRows::other)]);
      two += ids.size() > static_cast<std::size_t>(kLongestStory) + 1 ? 1 : 0;
    }
    EXPECT_GT(two, 200);
    EXPECT_LT(two, 600);
  }
}

TEST(StorytellerTest, TheTokenizerReadsTheSentenceAndWritesItBack) {
  for (const std::string& name : kDecoders) {
    const auto task = *find_task(name);
    const auto tokenizer = tokenizer_of(*task);
    ASSERT_TRUE(tokenizer);
    const ModelConfig config = *task->config({});
    const std::string text = "The cat sat on the mat because it was tired. So the cat slept.";
    const std::vector<int> ids = (*tokenizer->encode(text)).ids();
    EXPECT_EQ(ids.size(), 17U);
    EXPECT_EQ(ids.front(), config.bos);
    EXPECT_EQ(tokenizer->bos(), config.bos);
    EXPECT_EQ(tokenizer->eos(), config.eos);
    EXPECT_EQ(tokenizer->decode(ids), text);
    EXPECT_EQ(tokenizer->vocab_size(), config.vocab_size);
    const std::vector<int> shown = task->shown().input.ids;
    EXPECT_TRUE(std::equal(shown.begin(), shown.end(), ids.begin()));
    EXPECT_EQ(task->shown().targets.back(), ids[2]);
    EXPECT_EQ(tokenizer->decode((*tokenizer->encode("The dragon sat.")).ids(), false),
              "<bos> The <unk> sat.");
  }
}

TEST(GapFillerTest, MaskedRowsAreTheOnlyTargetsAndPaddingIsMarked) {
  const auto task = *find_task("gap-filler");
  const ModelConfig config = *task->config({});
  const int mask = *tokenizer_of(*task)->find("[MASK]");
  std::int64_t masked = 0, attention_mask = 0;
  std::set<std::size_t> lengths;
  for (int number = 0; number < 2000; ++number) {
    const Example example = task->example(4, Split::train, number);
    const Input& input = example.input;
    ASSERT_EQ(example.targets.size(), input.ids.size());
    ASSERT_LE(static_cast<std::int64_t>(input.ids.size()), config.position.max_positions);
    lengths.insert(input.ids.size());
    int here = 0;
    for (std::size_t row = 0; row < input.ids.size(); ++row) {
      const bool padding = !input.attention_mask.empty() && input.attention_mask[row] == 0;
      EXPECT_EQ(padding, input.ids[row] == config.pad);
      EXPECT_EQ(example.targets[row] >= 0, input.ids[row] == mask);
      EXPECT_LT(example.targets[row], config.vocab_size);
      here += example.targets[row] >= 0 ? 1 : 0;
      attention_mask += padding ? 0 : 1;
    }
    EXPECT_GE(here, 1);
    masked += here;
  }
  for (const std::size_t length : lengths) EXPECT_EQ(length % 4, 0U);
  for (const std::size_t usual : {20U, 24U, 28U}) EXPECT_TRUE(lengths.contains(usual));
  EXPECT_NEAR(static_cast<double>(masked) / static_cast<double>(attention_mask), 0.1, 0.05);
}

TEST(GapFillerTest, TheTokenizerPutsItsMarksAround) {
  const auto task = *find_task("gap-filler");
  const auto tokenizer = tokenizer_of(*task);
  ASSERT_TRUE(tokenizer);
  const auto ids =
      (*tokenizer->encode("The cat sat on the mat because it was tired. So the [MASK] slept.")).ids();
  const std::vector<int> shown = task->shown().input.ids;
  ASSERT_LE(ids.size(), shown.size());
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), shown.begin()));
  EXPECT_EQ(tokenizer->vocab_size(), task->config({})->vocab_size);
}

TEST(StoryTasksTest, SizesThatDoNotDivideAreRefused) {
  const auto refused = [](const std::string& name, int heads, int d_model, const char* order) {
    TaskSizes sizes;
    sizes.heads = heads;
    sizes.d_model = d_model;
    sizes.order = order;
    const auto config = (*find_task(name))->config(sizes);
    return config ? std::string() : config.error().sentence();
  };
  for (const char* name : {"storyteller", "storyteller-llama", "gap-filler"}) {
    EXPECT_NE(refused(name, 5, 64, "").find("5 heads"), std::string::npos);
    EXPECT_EQ(refused(name, 2, 32, "post"), "");
    EXPECT_EQ(refused(name, 2, 32, "pre"), "");
  }
  EXPECT_NE(refused("storyteller-llama", 4, 36, "").find("make pairs"), std::string::npos);
}

TEST(StoryTasksTest, AModelThatKnowsNothingTellsNothing) {
  for (const char* name : {"storyteller", "storyteller-llama", "gap-filler"}) {
    const auto task = *find_task(name);
    const Trainer fresh = *Trainer::make(task, {}, task->recipe(), 5);
    const std::vector<Measure> measures = task->measure(*fresh.state().model, 5, 60);
    ASSERT_EQ(measures.front().name, "accuracy");
    EXPECT_LT(measures.front().value, 0.3);
    EXPECT_EQ(measures.front().wanted, 0.95);
    const auto head = std::find_if(measures.begin(), measures.end(),
                                   [](const Measure& m) { return m.name == "antecedent_head.weight"; });
    ASSERT_NE(head, measures.end());
    EXPECT_GT(head->value, 0.0);
    EXPECT_LT(head->value, 0.5);
    EXPECT_GE(head->layer, 0);
  }
}

TEST(StoryTasksTest, AFewStepsOfTrainingLowerTheLoss) {
  for (const char* name : {"storyteller", "storyteller-llama", "gap-filler"}) {
    const auto task = *find_task(name);
    TaskSizes sizes;
    sizes.layers = 1;
    sizes.heads = 2;
    sizes.d_model = 32;
    Recipe recipe = task->recipe();
    recipe.batch = 16;
    recipe.warmup = 1;
    recipe.learning_rate = 1e-2;
    Trainer trainer = *Trainer::make(task, sizes, recipe, 5);
    const double before = trainer.step()->loss;
    double after = 0;
    for (int step = 0; step < 60; ++step) after = trainer.step()->loss;
    EXPECT_LT(after, before - 0.5) << name;
  }
}

}  // namespace
}  // namespace attnscope
