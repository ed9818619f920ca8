// A text file as a task, and cards that are read back.
#include "core/train/data_file.h"

#include <fstream>
#include <set>

#include "core/train/card.h"
#include "tests/core/train/tiny_task.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kText =
    "the cat sat on the mat\nthe dog sat on the rug\na bird flew\na fish swam\nthe cat slept\nthe dog ate\n"
    "a cat ate\na dog slept\nthe bird sat\nthe fish ate\nthe cat swam\n";

Error refusal(const std::string& text, const std::string& vocabulary = "", const std::string& named = "") {
  const auto task = task_of_text(text, "lines.txt", vocabulary, named);
  EXPECT_FALSE(task) << text;
  return task ? Error{} : task.error();
}

TEST(DataFile, lines_become_examples) {
  const auto task = *task_of_text(kText, "lines.txt");
  const nlohmann::json vocabulary = task->tokenizer()["model"]["vocab"];
  EXPECT_EQ(vocabulary.size(), 16u);  // 14 words and two specials
  std::set<std::vector<int>> train, held_out;
  for (int i = 0; i < 200; ++i) {
    for (const Split split : {Split::train, Split::held_out}) {
      const Example example = task->example(9, split, i);
      (split == Split::train ? train : held_out).insert(example.input.ids);
      ASSERT_EQ(example.targets.size(), example.input.ids.size());
      EXPECT_EQ(example.input.ids.front(), vocabulary["<end>"].get<int>());
      EXPECT_EQ(example.targets.back(), vocabulary["<end>"].get<int>());
      for (std::size_t row = 0; row + 1 < example.targets.size(); ++row)
        EXPECT_EQ(example.targets[row], example.input.ids[row + 1]);
    }
  }
  EXPECT_EQ(train.size(), 10u);
  EXPECT_EQ(held_out.size(), 1u);
  EXPECT_EQ(train.count(*held_out.begin()), 0u);
  EXPECT_EQ(task->example(9, Split::train, 4).input.ids, task->example(9, Split::train, 4).input.ids);
  EXPECT_EQ((*task->config({})).position.max_positions, 7);
}

TEST(DataFile, learns_its_lines) {
  Recipe recipe;
  recipe.steps = 60;
  recipe.batch = 8;
  recipe.learning_rate = 1e-2;
  recipe.warmup = 5;
  auto trainer = Trainer::make(*task_of_text(kText, "lines.txt"), {1, 2, 0, 16, 32, "", ""}, recipe, 1);
  ASSERT_TRUE(trainer);
  take_steps(*trainer, recipe.steps);
  const auto& reports = trainer->state().reports;
  EXPECT_LT(reports.back().loss, 0.6 * reports.front().loss);
}

TEST(DataFile, bad_lines_are_named) {
  expect_error(refusal("a b\n\nc d\n"), {"lines.txt, line 2", "empty"});
  expect_error(refusal("a b\n  \t\nc d\n"), {"line 2", "empty"});
  expect_error(refusal(""), {"lines.txt is empty"});
  expect_error(refusal("a b\na b\n"), {"one line only", "two different"});
  expect_error(refusal("a b\nc <unk>\n"), {"line 2", "<unk>"});
  expect_error(refusal("a b\n\xff\n"), {"UTF-8"});
  std::string longest;
  for (int i = 0; i < 300; ++i) longest += "a ";
  expect_error(refusal("a b\n" + longest), {"line 2", "300 words"});
}

TEST(DataFile, words_outside_the_vocabulary_are_named) {
  expect_error(refusal("a b\nb c\n", "a\nb\n", "words.txt"), {"lines.txt, line 2", "\"c\"", "vocabulary"});
  expect_error(refusal("a b\nb c\n", "a\nb c\n", "words.txt"), {"words.txt, line 2", "2 words"});
  expect_error(refusal("a b\nb c\n", "a\n\nb\n", "words.txt"), {"words.txt, line 2", "empty"});
  EXPECT_TRUE(task_of_text("a b\nb c\n", "lines.txt", "a\nb\nc\nd\n", "words.txt"));
}

TEST(DataFile, files_on_disk) {
  const TempFolder folder;
  std::ofstream(folder / "lines.txt") << kText;
  EXPECT_TRUE(task_of_file(folder / "lines.txt"));
  EXPECT_FALSE(task_of_file(folder / "none.txt"));
  EXPECT_FALSE(task_of_file(folder / "lines.txt", folder / "none.txt"));
}

TEST(DataFile, a_checkpoint_knows_its_lines) {
  const TempFolder folder;
  const std::string lines = folder / "lines.txt", words = folder / "words.txt",
                    kept = folder / "c.safetensors";
  std::ofstream(lines) << kText;
  EXPECT_EQ((*task_of_text(kText, "lines.txt"))->source(), nullptr);
  const auto trainer_of = [&](const std::string& vocabulary) {
    const auto task = task_of_file(lines, vocabulary);
    EXPECT_TRUE(task) << task.error().text();
    return *Trainer::make(*task, {1, 2, 0, 16, 32, "", ""}, {}, 1);
  };
  Trainer trainer = trainer_of("");
  ASSERT_EQ(trainer.task().source()->words, 14);
  ASSERT_TRUE(save_checkpoint(kept, trainer));
  const auto head = read_checkpoint_head(kept);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->data.path, lines);
  EXPECT_EQ(head->data.vocabulary, "");
  EXPECT_TRUE(read_checkpoint(kept, trainer_of("")));
  // A vocabulary with the same number of words, and the same lines in another order.
  std::ofstream(words) << "the\ncat\nsat\non\nmat\ndog\nrug\na\nbird\nflew\nfish\nswam\nslept\nate\n";
  expect_error(read_checkpoint(kept, trainer_of(words)).error(), {"other lines or words", "lines.txt"});
  std::ofstream(lines) << kText.substr(kText.find("the dog")) + "the cat sat on the mat\n";
  expect_error(read_checkpoint(kept, trainer_of("")).error(), {"other lines or words", "lines.txt"});
}

TEST(Card, tells_all_and_is_read_back) {
  const TempFolder folder;
  Recipe recipe = Counting().recipe();
  recipe.smoothing = 0.1;
  Trainer trainer = counting_trainer(recipe, {2, 0, 0, 24, 0, "", ""});
  take_steps(trainer, 3);
  const Card card = make_card(trainer, 77, 20);
  ASSERT_TRUE(write_card(folder.path(), card));
  const auto read = read_card(folder.path());
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(card_to_json(*read), card_to_json(card));
  EXPECT_EQ(read->task, "counting");
  EXPECT_EQ(read->seed, 3u);
  EXPECT_EQ(read->steps, 3);
  EXPECT_EQ(read->layers, 2);
  EXPECT_EQ(read->recipe.smoothing, 0.1);
  EXPECT_EQ(read->measured_seed, 77u);
  EXPECT_EQ(read->measured_count, 20);
  ASSERT_EQ(read->measures.size(), 2u);
  EXPECT_EQ(read->measures[0].value, Counting().measure(*trainer.state().model, 77, 20)[0].value);
  EXPECT_EQ(read->measures[1].head, 1);
  std::int64_t parameters_there = 0;
  for (const auto& [name, value] : trainer.state().model->weights().all())
    if (name != "logits.weight") parameters_there += value.count();  // tied
  EXPECT_EQ(read->parameters, parameters_there);
  const std::string text = card_text(card);
  for (const char* part : {"# Counting", "--layers 2 --d-model 24", "--smoothing 0.1 --seed 3", "accuracy",
                           "layer 0, head 1", "cosine", "0.98"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(Card, refuses_what_is_no_card) {
  const auto refused = [](const char* text) {
    const auto card = card_from_json(nlohmann::json::parse(text), "card.json");
    EXPECT_FALSE(card) << text;
    return card ? Error{} : card.error();
  };
  expect_error(refused("[]"), {"no card"});
  expect_error(refused(R"({"task": "a", "recipe": {}, "sizes": {}, "measured": {}, "measures": [3]})"),
               {"measure"});
  expect_error(refused(R"({"task": 1, "recipe": {}, "sizes": {}, "measured": {}, "measures": []})"),
               {"task"});
  expect_error(
      refused(R"({"task": "a", "recipe": {}, "sizes": {}, "measured": {"count": -1e9}, "measures": []})"),
      {"count"});
}

}  // namespace
}  // namespace attnscope
