// Ask over a data set: the means of the window against a plain loop over the prompts, what stands there after
// stopping, one prompt opened with a place taken out, prompts as texts that undo takes back, and sessions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/session/prompt_list.h"
#include "core/session/session_file.h"
#include "tests/core/session/asked.h"
#include "tests/core/session/reopened.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class AskDataTest : public testing::AskedStoryteller {
 protected:
  void open(const DataChoice& choice) {
    open_storyteller();
    session_.open_data(choice);
    session_.wait();
    settle();
  }
  void ask(AskHow how = AskHow::zero) {
    asking_.settings.over = AskOver::mean;
    asking_.settings.how = how;
    start();
  }
  void edit(const std::function<Status(Document&)>& change) {
    ASSERT_TRUE(session_.edit("change", {}, change));
    settle();
  }

  testing::TempFolder folder_;
};

TEST_F(AskDataTest, MeansAreThoseOfAPlainLoopOverThePrompts) {
  open({"task:storyteller", {}, 24, 5});
  ask();
  ASSERT_TRUE(answer().data);
  EXPECT_EQ(answer().prompts_done(), 24);
  const DataPrompts& prompts = *document().data.prompts;
  std::vector<double> sums(8), squares(8);
  double base = 0;
  for (const DataLine& line : prompts.lines) {
    Document one = document();
    const auto request = prompt_request(line, {}, DataSide::clean);
    ASSERT_TRUE(request);
    ASSERT_TRUE(apply_request(one, *request));
    const auto run = one.model->run(inputs_of(one).front());
    ASSERT_TRUE(run);
    LogitMeasure measure{LogitMeasure::Kind::logit_diff,
                         std::stoi(line.answer.substr(1)),
                         std::stoi(line.wrong.substr(1)),
                         -1,
                         {}};
    base += *measured(measure, **run);
    for (std::size_t cell = 0; cell < 8; ++cell) {
      RunOptions options;
      options.edits.push_back(*parse_edit("blocks." + std::to_string(cell / 4) +
                                          ".attn.z[head=" + std::to_string(cell % 4) + "]=0"));
      const auto without = one.model->run(inputs_of(one).front(), options);
      ASSERT_TRUE(without);
      const double value = *measured(measure, **without);
      sums[cell] += value, squares[cell] += value * value;
    }
  }
  EXPECT_NEAR(answer().base(), base / 24, 1e-12);
  for (std::size_t cell = 0; cell < 8; ++cell) {
    const double mean = sums[cell] / 24;
    const double error = std::sqrt((squares[cell] - 24 * mean * mean) / 23 / 24);
    EXPECT_NEAR(answer().values[cell], mean, 1e-12);
    EXPECT_NEAR(answer().data->cells()[cell].value.standard_error(), error, 1e-9);
    EXPECT_NEAR(answer().shown(cell, true, false), mean - base / 24, 1e-9);
    EXPECT_EQ(answer().data->cells()[cell].value.n(), 24);
  }
  ASSERT_TRUE(answer().correlation());
  EXPECT_GT(*answer().correlation(), 0.5) << "estimates are means of the same prompts";
}

TEST_F(AskDataTest, TheSamePromptsGiveTheSameBitsAfterStoppingAndGoingOn) {
  open({"task:storyteller", {}, 60, 0});
  ask();
  const std::vector<double> whole = answer().values;
  asking_.forget();
  asking_.settings.over = AskOver::mean;
  settle();
  asking_.start(session_.workers());
  for (int i = 0; i < 20000 && (!asking_.answer() || asking_.answer()->prompts_done() == 0); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  asking_.stop();
  ASSERT_TRUE(asking_.answer()->data);
  const SweepAnswer stopped = answer();
  const std::int64_t done = stopped.prompts_done();
  ASSERT_GT(done, 0);
  for (std::size_t cell = 0; cell < whole.size(); ++cell) {
    double sum = 0;
    for (const DataRow& row : stopped.data->rows()) sum += row.values[cell].second;
    EXPECT_NEAR(stopped.values[cell], sum / static_cast<double>(done), 1e-12) << "the mean of what was run";
    EXPECT_EQ(stopped.data->cells()[cell].value.n(), done);
  }
  if (done < 60) {
    EXPECT_TRUE(stopped.stopped);
    EXPECT_TRUE(asking_.can_go_on());
  }
  asking_.start(session_.workers());
  settle();
  EXPECT_EQ(answer().prompts_done(), 60);
  EXPECT_EQ(answer().values, whole) << "to the bit";
  session_.open_data({"task:storyteller", {}, done, 0});  // the same prompts alone, both ways
  session_.wait();
  settle();
  ask();
  ASSERT_EQ(answer().prompts_done(), done);
  for (std::size_t cell = 0; cell < whole.size(); ++cell)
    EXPECT_NEAR(stopped.estimates[cell], answer().estimates[cell], 1e-9) << "estimates of the same prompts";
  EXPECT_NEAR(stopped.correlation().value_or(0), answer().correlation().value_or(1), 1e-9);
}

TEST_F(AskDataTest, APromptOpensWithThePlaceTakenOutAndUndoTakesItBack) {
  open({"task:storyteller", {}, 12, 0});
  for (const AskHow how : {AskHow::zero, AskHow::mean, AskHow::resample}) {
    ask(how);
    const std::size_t cell = 2;
    const std::int64_t prompt = 7;
    const std::string before = document().sequences.front().text;
    asking_.begin_prompt(session_.workers(), asking_.answer(), cell, prompt);
    while (session_.workers().any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto made = asking_.take_prompt();
    ASSERT_TRUE(made && *made) << (made ? made->error().text() : "");
    const std::uint64_t key = answer().key;
    edit([&](Document& d) { return asking_.put_prompt(d, **made); });
    EXPECT_EQ(prompt_looked_at(document()), prompt);
    ASSERT_EQ(document().edits.size(), 1u);
    EXPECT_TRUE(asking_.is_prompt_put(document(), cell, prompt));
    const auto measured = asking_.measure.of(*session_.result());
    ASSERT_TRUE(measured && measured->measure);
    const std::vector<DataRow>& rows = answer().data->rows();  // of the prompts that were asked
    const auto own = std::find_if(rows.begin(), rows.end(), [&](const DataRow& one) {
      return one.line == document().data.prompts->lines[7].line;
    });
    ASSERT_NE(own, rows.end());
    const DataRow& row = *own;
    EXPECT_NEAR(measured->value, row.values[cell].second, 1e-9) << "that very run";
    ASSERT_TRUE(measured->unedited);
    EXPECT_NEAR(*measured->unedited, row.base, 1e-9);
    EXPECT_EQ(answer().key, key);
    EXPECT_TRUE(asking_.is_fresh(answer())) << "the mean is of the same question";
    session_.undo();
    settle();
    EXPECT_TRUE(document().edits.empty());
    EXPECT_EQ(document().sequences.front().text, before);
    EXPECT_EQ(prompt_looked_at(document()), -1);
  }
}

TEST_F(AskDataTest, MeansOverTheDataSetAndValuesOfOthersAreNotThoseOfOnePrompt) {
  open({"task:storyteller", {}, 20, 0});
  ask(AskHow::zero);
  const std::vector<double> zero = answer().values;
  ask(AskHow::mean);
  const std::vector<double> mean = answer().values;
  ask(AskHow::resample);
  const std::vector<double> resampled = answer().values;
  for (std::size_t cell = 0; cell < 8; ++cell) {
    EXPECT_NE(zero[cell], mean[cell]);
    EXPECT_NE(mean[cell], resampled[cell]);
  }
}

TEST_F(AskDataTest, NothingOfOnesOwnTextIsLost) {
  open({"task:storyteller", {}, 5, 0});
  EXPECT_EQ(document().sequences.front().text, testing::kAskedText) << "a data set changes no text";
  EXPECT_EQ(prompt_looked_at(document()), -1);
  edit([](Document& d) { return open_prompt(d, 1); });
  edit([](Document& d) { return open_prompt(d, 3); });
  EXPECT_EQ(prompt_looked_at(document()), 3);
  ASSERT_TRUE(document().data.own);
  EXPECT_EQ(document().data.own->front().text, testing::kAskedText);
  const std::string third = document().sequences.front().text;
  edit([](Document& d) { return set_text(d, 0, "The dog lay on the rug because it was soft. So the"); });
  EXPECT_EQ(prompt_looked_at(document()), -1) << "changed by hand it is no prompt";
  edit([](Document& d) { return open_prompt(d, 0); });
  EXPECT_EQ(document().data.own->front().text, "The dog lay on the rug because it was soft. So the");
  edit(open_own_text);
  EXPECT_EQ(document().sequences.front().text, "The dog lay on the rug because it was soft. So the");
  for (int i = 0; i < 5; ++i) session_.undo();
  settle();
  EXPECT_EQ(document().sequences.front().text, testing::kAskedText);
  ASSERT_TRUE(document().data.prompts);
  session_.undo();
  settle();
  EXPECT_FALSE(document().data.prompts) << "opening it is an undo point";
  EXPECT_NE(third, testing::kAskedText);
}

TEST_F(AskDataTest, ABrokenFileIsASentenceWithLineAndColumnAndNothingChanges) {
  std::ofstream(folder_ / "broken.csv") << "text,answer\nThe cat,sat\n\"The dog,ran\n";
  open({folder_ / "broken.csv", {}, 0, 0});
  ASSERT_TRUE(session_.error());
  const std::string sentence = session_.error()->text();
  EXPECT_NE(sentence.find("line 3"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("column 1"), std::string::npos) << sentence;
  EXPECT_FALSE(document().data.prompts);
  EXPECT_EQ(document().sequences.front().text, testing::kAskedText);
}

TEST_F(AskDataTest, APromptThatCannotBeAskedStopsAndWhatIsThereStays) {
  std::ofstream(folder_ / "three.jsonl")
      << R"({"text": "The cat sat on the mat because it was tired. So the", "answer": "cat", "wrong": "mat"})"
      << "\n"
      << R"({"text": "The dog lay on the rug because it was soft. So the", "answer": "rug", "wrong": "dog"})"
      << "\n"
      << R"({"text": "The cat sat on the mat because it was soft. So the", "answer": "xyzzy", "wrong": "cat"})"
      << "\n";
  open({folder_ / "three.jsonl", {}, 0, 0});
  asking_.settings.over = AskOver::mean;
  settle();
  ASSERT_TRUE(asking_.request());
  asking_.start(session_.workers());
  settle();
  ASSERT_TRUE(answer().error);
  EXPECT_NE(answer().error->text().find("line 3"), std::string::npos) << answer().error->text();
  EXPECT_EQ(answer().prompts_done(), 2);
  EXPECT_FALSE(asking_.can_go_on() && answer().stopped);
}

TEST_F(AskDataTest, WithoutAnswersTheMeasureHasToNameItsTokens) {
  std::ofstream(folder_ / "plain.txt") << "The cat sat on the mat\nThe dog lay on the rug\n";
  open({folder_ / "plain.txt", {}, 0, 0});
  asking_.settings.over = AskOver::mean;
  settle();
  ASSERT_FALSE(asking_.request());
  EXPECT_NE(asking_.request().error().text().find("answer"), std::string::npos);
  asking_.measure.text = "logit_diff:cat,mat";
  settle();
  ASSERT_TRUE(asking_.request());
  asking_.start(session_.workers());
  settle();
  EXPECT_EQ(answer().prompts_done(), 2);
}

TEST_F(AskDataTest, ASessionCarriesTheDataSet) {
  std::ofstream(folder_ / "own.jsonl")
      << R"({"text": "The cat sat on the mat because it was tired. So the", "answer": "cat", "wrong": "mat", "kind": "a"})"
      << "\n"
      << R"({"ids": [1, 2, 3], "answer": "#7", "wrong": "#9", "kind": "b"})"
      << "\n"
      << R"({"text": "The dog lay on the rug", "answer": "rug", "kind": "a"})"
      << "\n";
  for (const DataChoice& choice :
       {DataChoice{folder_ / "own.jsonl", {"kind=a"}, 0, 0}, DataChoice{"task:storyteller", {}, 9, 4}}) {
    open(choice);
    edit([](Document& d) { return open_prompt(d, 1); });
    const std::string path = folder_ / "s.attnscope";
    ASSERT_TRUE(save_session(path, document(), nlohmann::json::object()));
    if (!choice.is_task()) std::filesystem::remove(choice.path);  // a session is one file
    const auto read = testing::reopened(path);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(read->opened->warnings.empty());
    ASSERT_TRUE(read->data.prompts);
    const DataPrompts &there = *read->data.prompts, &here = *document().data.prompts;
    EXPECT_EQ(there.hash, here.hash);
    EXPECT_EQ(there.choice.path, here.choice.path);
    EXPECT_EQ(there.choice.where, here.choice.where);
    EXPECT_EQ(there.choice.limit, here.choice.limit);
    EXPECT_EQ(there.choice.seed, here.choice.seed);
    ASSERT_EQ(there.lines.size(), here.lines.size());
    for (std::size_t i = 0; i < here.lines.size(); ++i) {
      EXPECT_EQ(there.lines[i].line, here.lines[i].line);
      EXPECT_EQ(there.lines[i].words, here.lines[i].words);
      EXPECT_EQ(there.lines[i].corrupt, here.lines[i].corrupt);
      EXPECT_EQ(there.lines[i].answer, here.lines[i].answer);
      EXPECT_EQ(there.lines[i].wrong, here.lines[i].wrong);
      EXPECT_EQ(there.lines[i].groups, here.lines[i].groups);
    }
    EXPECT_EQ(prompt_looked_at(*read), 1);
    ASSERT_TRUE(read->data.own);
    EXPECT_EQ(read->data.own->front().text, testing::kAskedText);
  }
}

}  // namespace
}  // namespace attnscope
