// attnscope-cli train from the outside: what it lists, writes, resumes and refuses.
#include <filesystem>

#include "core/arch/open.h"
#include "core/system/folder_lock.h"
#include "core/train/card.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kSmallTraining =
    " --layers 1 --heads 2 --d-model 16 --d-mlp 16 --batch 4 --held-out 10 --warmup 2 ";

TEST(CliTrain, lists_the_tasks) {
  const Ran ran = cli("train");
  EXPECT_EQ(ran.exit_code, 0);
  for (const auto& task : tasks()) {
    EXPECT_NE(ran.out.find("  " + std::string(task->name()) + " "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(std::string(task->sentence())), std::string::npos) << ran.out;
  }
}

TEST(CliTrain, usage) {
  expect_refused("train sorter", 2, "--out");
  expect_refused("train sorter --out x --steps 0", 2, "--steps");
  expect_refused("train sorter --out x --order middle", 2, "--order");
  expect_refused("train sorter --out x --schedule line", 2, "--schedule");
  expect_refused("train sorter --out x --data y", 2, "--data");
  expect_refused("train --out x --vocab y", 2, "--vocab");
  EXPECT_NE(cli("train --help").out.find("--checkpoint-every"), std::string::npos);
}

TEST(CliTrain, bad_input_is_one_sentence) {
  const TempFolder folder;
  const std::string out = " --out " + (folder / "m");
  expect_refused("train singer" + out, 1, "There is no task \"singer\". The tasks are storyteller");
  expect_refused("train sorter --heads 3" + out, 1, "cannot be divided evenly");
  expect_refused("train sorter --rate 1e9" + out, 2, "--learning-rate");
  std::ofstream(folder / "nothing.txt");
  expect_refused("train --data " + (folder / "nothing.txt") + out, 1,
                 "nothing.txt\" is empty. Give one sentence");
  expect_refused("train sorter --resume" + out, 1, "checkpoint.safetensors");
  expect_refused("train sorter --out /proc/nothing/here", 1, "/proc/nothing/here");
  expect_refused("train --data " + (folder / "none.txt") + out, 1, "none.txt");
  std::ofstream(folder / "lines.txt") << "a b\n\nc d\n";
  expect_refused("train --data " + (folder / "lines.txt") + out, 1, "line 2: the line is empty");
  std::ofstream(folder / "more.txt") << "a b\nb c\n";
  std::ofstream(folder / "words.txt") << "a\nb\n";
  expect_refused("train --data " + (folder / "more.txt") + " --vocab " + (folder / "words.txt") + out, 1,
                 "line 2: \"c\" is not in the vocabulary");
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

TEST(CliTrain, writes_a_folder_with_its_card) {
  const TempFolder folder;
  const Ran ran = cli("train sorter --steps 3 --seed 9" + kSmallTraining + "--out " + (folder / "m"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("step      3   loss"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("accuracy"), std::string::npos) << ran.out;
  const auto opened = open_model(folder / "m");
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->family, "GPT-2");
  EXPECT_TRUE(opened->tokenizer);
  EXPECT_EQ(opened->model->config().d_model, 16);
  const auto card = read_card(folder / "m");
  ASSERT_TRUE(card) << card.error().text();
  EXPECT_EQ(card->task, "sorter");
  EXPECT_EQ(card->seed, 9u);
  EXPECT_EQ(card->steps, 3);
  EXPECT_EQ(card->recipe.batch, 4);
  const auto again =
      (*find_task("sorter"))->measure(*opened->model, card->measured_seed, card->measured_count);
  ASSERT_EQ(again.size(), card->measures.size());
  for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i].value, card->measures[i].value, 1e-6);
}

TEST(CliTrain, two_trainings_never_write_into_one_folder) {
  const TempFolder folder;
  const std::string train = "train sorter --quiet --steps 2" + kSmallTraining + "--out " + (folder / "m");
  std::filesystem::create_directories(folder / "m");
  std::shared_ptr<const int> other = lock_folder(folder / "m");  // of another process
  ASSERT_TRUE(other);
  EXPECT_FALSE(lock_folder(folder / "m"));
  expect_refused(train, 1, "Another training is writing into");
  EXPECT_FALSE(std::filesystem::exists(folder / "m/model.safetensors"));
  other.reset();
  EXPECT_EQ(cli(train).exit_code, 0);
}

TEST(CliTrain, an_earlier_training_is_never_written_over) {
  const TempFolder folder;
  const std::string train = "train sorter --quiet --steps 2" + kSmallTraining + "--out " + (folder / "m");
  ASSERT_EQ(cli(train).exit_code, 0);
  const std::string kept = read_text(folder / "m/model.safetensors");
  expect_refused(train + " --seed 5", 1, "model.safetensors");
  EXPECT_EQ(read_text(folder / "m/model.safetensors"), kept);
  std::filesystem::create_directories(folder / "n/checkpoints");
  expect_refused("train sorter --quiet --steps 2 --out " + (folder / "n"), 1, "checkpoints");
}

TEST(CliTrain, same_bits_whatever_happens_between) {
  const TempFolder folder;
  const auto train = [&](const std::string& name, const std::string& more) {
    const Ran ran = cli("train sorter --quiet" + kSmallTraining + "--out " + (folder / name) + " " + more);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    return read_text(folder / name + "/model.safetensors");
  };
  const std::string whole = train("a", "--schedule constant --steps 6 --threads 1");
  EXPECT_EQ(train("b", "--schedule constant --steps 6 --threads 2"), whole);
  EXPECT_NE(train("c", "--schedule constant --steps 3 --checkpoint-every 3"), whole);
  EXPECT_EQ(train("c", "--resume --steps 6"), whole);
  expect_refused("train induction --resume --out " + (folder / "c"), 1, "another model");
}

TEST(CliTrain, goes_on_with_the_seed_and_sizes_that_it_began_with) {
  const TempFolder folder;
  const std::string out = " --out " + (folder / "m");
  ASSERT_EQ(cli("train sorter --quiet --steps 2 --checkpoint-every 2" + kSmallTraining + out).exit_code, 0);
  const std::string resume = "train sorter --quiet --resume --steps 3 --held-out 10" + out;
  expect_refused(resume + " --seed 7", 1, "--seed is 7, but the run that goes on has 1");
  expect_refused(resume + " --d-model 32", 1, "--d-model is 32, but the run that goes on has 16");
  expect_refused(resume + " --layers 2", 1, "--layers is 2, but the run that goes on has 1");
  expect_refused(resume + " --order post", 1, "--order is post");
  EXPECT_EQ(cli(resume + " --seed 1 --d-model 16 --layers 1").exit_code, 0);
}

TEST(CliTrain, layouts_that_cannot_hold_a_model_become_our_own) {
  const TempFolder folder;
  const Ran ran =
      cli("train sorter --quiet --order post --steps 2" + kSmallTraining + "--out " + (folder / "m"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto opened = open_model(folder / "m");
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->model->config().blocks.front().order, NormOrder::post);
  EXPECT_EQ(read_card(folder / "m")->layout, "attnscope");
}

TEST(CliTrain, lines_of_a_file) {
  const TempFolder folder;
  std::ofstream(folder / "lines.txt") << "the cat sat\nthe dog sat\na cat ran\na dog ran\nthe cat ran\n";
  const Ran ran = cli("train --data " + (folder / "lines.txt") + " --steps 4" + kSmallTraining + "--out " +
                      (folder / "m"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Ran tokens = cli("tokenize " + (folder / "m") + " --text 'the cat ran'");
  EXPECT_EQ(tokens.exit_code, 0) << tokens.err;
  EXPECT_NE(tokens.out.find("cat"), std::string::npos);
  EXPECT_EQ(cli("generate " + (folder / "m") + " --text 'the cat' --max-new-tokens 2").exit_code, 0);
}

}  // namespace
}  // namespace attnscope
