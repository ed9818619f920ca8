// Ask's sender x receiver and its patch over a data set: every cell against runs made one by one, the edits
// that cells become, prompts opened with them, and sessions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "core/lens/donor.h"
#include "core/session/ask_look.h"
#include "core/session/prompt_list.h"
#include "core/session/session_file.h"
#include "tests/core/session/asked.h"
#include "tests/core/session/reopened.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

class AskLinksTest : public testing::AskedStoryteller {
 protected:
  void open() {
    open_storyteller();
    settle();
  }
  void open_data(std::int64_t limit) {
    open();
    session_.open_data({"task:storyteller", {}, limit, 5});
    settle();
    asking_.settings.over = AskOver::mean;
  }
  std::size_t cell(const std::string& text) {
    for (std::size_t i = 0; i < answer().cells().size(); ++i)
      if (cell_text(answer().cells()[i]) == text) return i;
    ADD_FAILURE() << text;
    return 0;
  }
  // One side of a prompt, run under an edit; empty: under none.
  std::shared_ptr<const Trace> run_of(const DataLine& line, DataSide side, const Edits& edits = {}) {
    Document one = document();
    one.edits.clear();
    const auto request = prompt_request(line, {}, side);
    EXPECT_TRUE(request && apply_request(one, *request));
    RunOptions options;
    options.edits = edits;
    return *one.model->run(inputs_of(one).front(), options);
  }
  static LogitMeasure measure_of_line(const DataLine& line) {
    return {LogitMeasure::Kind::logit_diff,
            std::stoi(line.answer.substr(1)),
            std::stoi(line.wrong.substr(1)),
            -1,
            {}};
  }
  void put(std::size_t at, std::int64_t prompt) {
    asking_.begin_prompt(session_.workers(), asking_.answer(), at, prompt);
    std::optional<Result<Asking::PromptEdit>> made;
    while (!(made = asking_.take_prompt())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(*made) << made->error().text();
    ASSERT_TRUE(session_.edit("put", {}, [&](Document& d) { return asking_.put_prompt(d, **made); }));
    settle();
  }
};

TEST_F(AskLinksTest, EachPairIsARunUnderTheEditThatSaysSo) {
  open();
  asking_.measure.text = "logit_diff:cat,mat";
  asking_.settings.page = AskPage::links;
  for (const AskTo to : {AskTo::q, AskTo::v, AskTo::rest}) {
    asking_.settings.to = to;
    start();
    EXPECT_NEAR(answer().base(), 10.48, 0.01);
    const Trace& run = session_.result()->trace(0);
    const LogitMeasure measure = answer().request.measure;
    ASSERT_EQ(answer().known(), std::ssize(answer().cells()));
    for (std::size_t i = 0; i < answer().cells().size(); ++i) {
      const std::string text = cell_text(answer().cells()[i]) + "=0";
      const auto edits = parse_edits(text, document().model->config());
      ASSERT_TRUE(edits) << text;
      RunOptions options;
      options.edits = *edits;
      EXPECT_NEAR(answer().values[i], *measured(measure, **document().model->run(run.input, options)), 1e-9)
          << text;
      EXPECT_TRUE(std::isfinite(answer().estimates[i])) << text;
    }
  }
}

TEST_F(AskLinksTest, DirectAndTotalOfTheIssuesExampleAndTheEditReadsBack) {
  open();
  asking_.measure.text = "logit_diff:cat,mat";
  asking_.settings.page = AskPage::links;
  start();
  const std::string pair = "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]";
  EXPECT_NEAR(answer().values[cell(pair)], 10.33, 0.01);
  const std::size_t at = cell(pair);
  ASSERT_TRUE(session_.edit("put", {}, [&](Document& d) { return asking_.toggle(d, answer(), at); }));
  settle();
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits.front()), pair + "=0");
  EXPECT_TRUE(asking_.is_put(document(), answer(), at));
  EXPECT_TRUE(asking_.is_fresh(answer())) << "its own edit is not part of the question";
  EXPECT_NEAR(asking_.measure.newest()->value, answer().values[at], 1e-9) << "that very run";
  ASSERT_TRUE(session_.edit("back", {}, [&](Document& d) { return asking_.toggle(d, answer(), at); }));
  settle();
  EXPECT_TRUE(document().edits.empty());

  asking_.settings.path = PathKind::total;
  settle();
  EXPECT_FALSE(asking_.is_fresh(answer()));
  start();
  const std::size_t total = cell(pair);
  EXPECT_NEAR(answer().values[total], 1.70, 0.01);
  // Its edit is a run of its own, which a frame does not wait for.
  ASSERT_TRUE(asking_.edits_need_run(answer(), total));
  asking_.begin_edits(session_.workers(), asking_.answer(), total);
  auto made = asking_.take_edits();
  while (!made) std::this_thread::yield(), made = asking_.take_edits();
  ASSERT_TRUE(*made);
  EXPECT_EQ(**made, total);
  EXPECT_FALSE(asking_.edits_need_run(answer(), total));
  ASSERT_TRUE(session_.edit("put", {}, [&](Document& d) { return asking_.toggle(d, answer(), total); }));
  settle();
  EXPECT_NEAR(asking_.measure.newest()->value, answer().values[total], 1e-9);
}

TEST_F(AskLinksTest, TokensAndNeuronsWriteToo) {
  open();
  asking_.settings.page = AskPage::links;
  asking_.settings.to = AskTo::rest;
  asking_.settings.from = AskFrom::tokens;
  start();
  const std::int64_t rows = session_.result()->trace(0).length;
  EXPECT_EQ(std::ssize(answer().cells()), rows * 3) << "two MLPs and the logits";
  EXPECT_EQ(cell_text(answer().cells()[0]), "embed[pos=0]->blocks.0.mlp.out");
  asking_.settings.from = AskFrom::neurons;
  asking_.settings.group = 32;
  start();
  EXPECT_EQ(cell_text(answer().cells()[0]), "blocks.0.mlp.post[d_mlp=0-31]->blocks.1.mlp.out");
}

TEST_F(AskLinksTest, OverADataSetPairsAreMeansAndAPromptOpensUnderThatEdit) {
  open_data(6);
  asking_.settings.page = AskPage::links;
  start();
  ASSERT_TRUE(answer().data);
  EXPECT_EQ(answer().prompts_done(), 6);
  const std::vector<DataLine>& lines = document().data.prompts->lines;
  for (const std::string pair :
       {"blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]", "embed->blocks.0.attn.q[head=1]",
        "blocks.0.mlp.out->blocks.1.attn.q[head=0]"}) {
    const std::size_t at = cell(pair);
    double mean = 0;
    for (const DataLine& line : lines)
      mean +=
          *measured(measure_of_line(line),
                    *run_of(line, DataSide::clean, *parse_edits(pair + "=0", document().model->config()))) /
          6;
    EXPECT_NEAR(answer().values[at], mean, 1e-9) << pair;
  }
  const std::size_t at = cell("blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]");
  put(at, 4);
  ASSERT_EQ(document().edits.size(), 1u);
  EXPECT_EQ(to_text(*document().edits.front()), "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]=0");
  EXPECT_TRUE(asking_.is_prompt_put(document(), at, 4));
  EXPECT_NEAR(asking_.measure.newest()->value, answer().data->rows()[4].values[at].second, 1e-9);
}

TEST_F(AskLinksTest, APatchOverADataSetIsThatOfEachPair) {
  open_data(5);
  asking_.settings.page = AskPage::patch;
  asking_.settings.patch = "heads";
  for (const bool into_corrupt : {true, false}) {
    asking_.settings.into_other = into_corrupt;
    start();
    EXPECT_TRUE(answer().request.patches());
    double clean = 0, corrupt = 0;
    std::vector<double> sums(8);
    for (const DataLine& line : document().data.prompts->lines) {
      const auto one = run_of(line, DataSide::clean), other = run_of(line, DataSide::corrupt);
      const LogitMeasure measure = measure_of_line(line);
      clean += *measured(measure, *one) / 5, corrupt += *measured(measure, *other) / 5;
      for (std::size_t i = 0; i < 8; ++i) {
        const Donor donor(into_corrupt ? other : one, into_corrupt ? one : other);
        const auto edit = donor.edit({*parse_site("blocks." + std::to_string(i / 4) + ".attn.z"),
                                      {{"head", static_cast<std::int64_t>(i % 4)}}},
                                     "other");
        ASSERT_TRUE(edit) << edit.error().text();
        sums[i] += *measured(measure, *run_of(line, into_corrupt ? DataSide::corrupt : DataSide::clean,
                                              {make_edit(*edit)})) /
                   5;
      }
    }
    EXPECT_NEAR(answer().clean(), clean, 1e-9);
    EXPECT_NEAR(answer().corrupt(), corrupt, 1e-9);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(answer().values[i], sums[i], 1e-6) << i;
      EXPECT_NEAR(answer().normalised(i), (sums[i] - corrupt) / (clean - corrupt), 1e-6) << i;
    }
  }
}

TEST_F(AskLinksTest, APatchedPairOpensOnTheSideThatIsPatchedAndUndoGivesBoth) {
  open_data(5);
  asking_.settings.page = AskPage::patch;
  asking_.settings.patch = "heads";
  asking_.settings.other = "The cat sat on the mat because it was soft. So the";
  start();
  const std::size_t at = cell("blocks.1.attn.z[head=3]");
  put(at, 2);
  const DataLine& line = document().data.prompts->lines[2];
  EXPECT_EQ(document().sequences.front().text, corrupt_text(*document().opened, line));
  EXPECT_TRUE(looks_at_corrupt(document()));
  EXPECT_TRUE(asking_.is_prompt_put(document(), at, 2));
  EXPECT_TRUE(asking_.is_fresh(answer())) << "the question is the same whichever side is open";
  EXPECT_NEAR(asking_.measure.newest()->value, answer().data->rows()[2].values[at].second, 1e-9)
      << "with that prompt's own answer";
  EXPECT_EQ(asking_.settings.other, prompt_text(*document().opened, line));

  const testing::TempFolder folder;
  const std::string path = folder / "s.attnscope";
  ASSERT_TRUE(save_session(path, document(), nlohmann::json::object()));
  const auto read = testing::reopened(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(looks_at_corrupt(*read));

  session_.undo();
  settle();
  EXPECT_EQ(document().sequences.front().text, testing::kAskedText);
  EXPECT_EQ(asking_.settings.other, "The cat sat on the mat because it was soft. So the");
  EXPECT_TRUE(asking_.settings.into_other);
  EXPECT_TRUE(asking_.is_fresh(answer()));
}

TEST_F(AskLinksTest, PositionsAreComparedOverThePromptsOfTheMostCommonLength) {
  open_data(12);
  asking_.settings.page = AskPage::patch;
  asking_.settings.patch = "residual";
  start();
  std::map<std::int64_t, std::vector<const DataLine*>> by_length;
  for (const DataLine& line : document().data.prompts->lines)
    by_length[run_of(line, DataSide::corrupt)->length].push_back(&line);
  ASSERT_GT(by_length.size(), 1u) << "or nothing is tested";
  const auto& most = std::max_element(by_length.begin(), by_length.end(), [](const auto& a, const auto& b) {
                       return a.second.size() < b.second.size();
                     })->second;
  EXPECT_EQ(answer().prompts(), std::ssize(most));
  EXPECT_EQ(answer().prompts_done(), std::ssize(most));
  EXPECT_EQ(answer().other_length(), 12 - std::ssize(most));
  const std::size_t at = cell("blocks.1.resid_pre[pos=3]");
  double mean = 0;
  for (const DataLine* line : most) {
    const Donor donor(run_of(*line, DataSide::corrupt), run_of(*line, DataSide::clean));
    const auto edit = donor.edit({*parse_site("blocks.1.resid_pre"), {{"pos", 3}}}, "other");
    ASSERT_TRUE(edit);
    mean += *measured(measure_of_line(*line), *run_of(*line, DataSide::corrupt, {make_edit(*edit)}));
  }
  EXPECT_NEAR(answer().values[at], mean / static_cast<double>(most.size()), 1e-6);
}

TEST_F(AskLinksTest, WhatIsAskedIsKeptByName) {
  asking_.settings.page = AskPage::links;
  asking_.settings.from = AskFrom::neurons;
  asking_.settings.to = AskTo::rest;
  asking_.settings.path = PathKind::total;
  Asking read;
  take_ask_look({{"ask", ask_look(asking_)}}, read);
  EXPECT_EQ(read.settings, asking_.settings);
}

}  // namespace
}  // namespace attnscope
