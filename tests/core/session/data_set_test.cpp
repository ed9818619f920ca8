// Data sets line by line: the three kinds of files, what is chosen of them, where their mistakes are, and the
// prompts that a task makes itself.
#include "core/session/data_set.h"

#include <chrono>

#include "core/arch/shipped.h"
#include "core/session/data_prompt.h"
#include "core/session/each_prompt.h"
#include "core/train/task.h"
#include "tests/results.h"

namespace attnscope {
namespace {

using namespace attnscope::test;

Result<std::vector<DataLine>> all_of(const DataChoice& choice) {
  TRY(DataReader reader, DataReader::open(choice));
  std::vector<DataLine> out;
  for (;;) {
    TRY(std::optional<DataLine> line, reader.next());
    if (!line) return out;
    out.push_back(std::move(*line));
  }
}

class DataSets : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  std::vector<DataLine> read(const std::string& name, const std::string& text) const {
    const auto out = all_of({file(name, text), {}, 0, 0});
    EXPECT_TRUE(out) << out.error().text();
    return out ? *out : std::vector<DataLine>();
  }
  const TempFolder folder_;
};

TEST_F(DataSets, LinesOfJsonHaveTextsIdsAndGroups) {
  const auto lines =
      read("a.jsonl",
           "{\"text\": \"@The \\\"cat\\\"\", \"answer\": \" sat\", \"wrong\": 7, \"group\": \"ioi\"}\n\n"
           "  {\"ids\": [1, 2,3], \"answer\": \"#4\", \"n\": 3, \"none\": null}\r\n"
           "{\"clean\": \"a\", \"corrupt_ids\": \"1, 2\", \"decoder\": \"d\"}");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].words->text, "@The \"cat\"");
  EXPECT_FALSE(lines[0].words->ids);
  EXPECT_EQ(lines[0].answer, " sat");
  EXPECT_EQ(lines[0].wrong, "#7");
  EXPECT_EQ(lines[0].groups.at("group"), "ioi");
  EXPECT_EQ(lines[0].columns.at("answer"), 36);
  EXPECT_EQ(lines[1].line, 3);
  EXPECT_EQ(*lines[1].words, (Request::Words{"1,2,3", true}));
  EXPECT_EQ(lines[1].groups.at("n"), "3");
  EXPECT_FALSE(lines[1].groups.contains("none"));
  EXPECT_EQ(*lines[2].corrupt, (Request::Words{"1,2", true}));
  EXPECT_EQ(lines[2].decoder->text, "d");
  const auto request = prompt_request(lines[0], {}, DataSide::clean);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->words[0].text, "@@The \"cat\"") << "a text, not the name of a file";
  EXPECT_FALSE(prompt_request(lines[0], {}, DataSide::corrupt));
}

TEST_F(DataSets, RecordsOfCsvMayHoldQuotesCommasAndLines) {
  const auto lines =
      read("a.csv", "\xEF\xBB\xBFids,answer,note\n\"1,2\",a,\"one, \"\"two\"\"\nthree\"\n[4 5],b,\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(*lines[0].words, (Request::Words{"1,2", true}));
  EXPECT_EQ(lines[0].groups.at("note"), "one, \"two\"\nthree");
  EXPECT_EQ(*lines[1].words, (Request::Words{"4,5", true}));
  EXPECT_EQ(lines[1].line, 4);
}

TEST_F(DataSets, WhatAFileIsFollowsFromItsNameElseFromItsFirstLine) {
  EXPECT_EQ(read("a.txt", "{\"text\": 1}\n").front().words->text, "{\"text\": 1}");
  EXPECT_EQ(read("a", "{\"text\": \"x\"}\n").front().words->text, "x");
  EXPECT_EQ(read("b", "answer,text\ny,x\n").front().words->text, "x");
  EXPECT_EQ(read("c", "The cat, the dog\n").front().words->text, "The cat, the dog");
}

TEST_F(DataSets, ChosenByColumnAndCount) {
  const std::string path = file("a.csv", "text,kind\na,x\nb,y\nc,x\nd,x\n");
  const auto some = all_of({path, {"kind=x"}, 2, 0});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 2u);
  EXPECT_EQ((*some)[1].words->text, "c");
  expect_error(all_of({path, {"kind=z"}, 0, 0}), Code::not_found, "kind=z");
  expect_error(all_of({path, {"kind"}, 0, 0}), Code::bad_format, "kind");
}

TEST_F(DataSets, TheHashIsThatOfWhatWasRead) {
  const std::string path = file("a.txt", "one\ntwo\nthree\n");
  const auto hash = [&](std::int64_t limit) {
    auto reader = *DataReader::open({path, {}, limit, 0});
    while (*reader.next()) {
    }
    return reader.fingerprint();
  };
  const std::string two = hash(2), all = hash(0);
  EXPECT_NE(two, all);
  write_text(path, "one\ntwo\nfour\n");
  EXPECT_EQ(hash(2), two);
  EXPECT_NE(hash(0), all);
}

TEST_F(DataSets, MistakesHaveALineAndAColumn) {
  const auto wrong = [&](const char* name, const std::string& text, const std::string& where) {
    expect_error(all_of({file(name, text), {}, 0, 0}), Code::bad_format, where);
  };
  wrong("a.csv", "text,answer\na,b\nc\n", "line 3, column 1: there are 1 fields here and 2 columns");
  wrong("a.csv", "text,answer\na,b,c\n", "line 2, column 5");
  wrong("a.csv", "text,text\n", "line 1, column 6");
  wrong("a.csv", "text;answer\na;b\n", "line 1, column 1: the fields are not divided by commas");
  wrong("a.csv", "text,note\na,\"x\ny\"z\n", "line 3, column 3");
  wrong("a.csv", "text,ids\na,1\n", "line 2, column 3");
  wrong("a.jsonl", "{\"text\": \"a\"}\n{\"text\": \"a\"\n", "line 2");
  wrong("a.jsonl", "{\"text\": 3}\n", "line 1, column 10");
  wrong("a.jsonl", "{\"answer\": \"a\"}\n", "no text, ids or clean");
  wrong("a.jsonl", "{\"text\": \"a\", \"answer\": {}}\n", "column 25");
  wrong("a.jsonl", std::string(100000, '['), "line 1");
  wrong("a.jsonl", "{\"text\": \"\xFF\"}\n", "UTF-8");
  wrong("a.txt", "fine\n\xC3\n", "line 2");
  expect_error(all_of({folder_ / ".", {}, 0, 0}), Code::io_failed, "folder");
  expect_error(all_of({"task:nothing", {}, 0, 0}), Code::not_found, "nothing");
}

TEST(DataTasks, PromptsAreQuestionsWithTwoAnswers) {
  for (const char* name : {"storyteller", "gap-filler", "induction", "sorter", "translator"}) {
    const auto lines = all_of({std::string("task:") + name, {}, 30, 4});
    ASSERT_TRUE(lines) << lines.error().text();
    ASSERT_EQ(lines->size(), 30u);
    std::int64_t number = 0;
    for (const DataLine& line : *lines) {
      EXPECT_TRUE(line.answer.starts_with("#")) << name;
      EXPECT_NE(line.answer, line.wrong) << name << line.line;
      EXPECT_EQ(line.line, ++number) << "as lists count them, from 1";
      if (line.corrupt) {
        EXPECT_EQ(std::count(line.words->text.begin(), line.words->text.end(), ','),
                  std::count(line.corrupt->text.begin(), line.corrupt->text.end(), ','))
            << "both sides have one length";
      }
    }
    EXPECT_EQ((*all_of({std::string("task:") + name, {}, 30, 4}))[29].words->text, (*lines)[29].words->text);
    EXPECT_NE((*all_of({std::string("task:") + name, {}, 30, 5}))[29].words->text, (*lines)[29].words->text);
  }
  // By the name of every shipped model, too, whatever its task is called.
  for (const std::string& model : shipped_models())
    EXPECT_TRUE(all_of({"task:" + model.substr(6), {}, 3, 0})) << model;
  EXPECT_EQ((*all_of({"task:storyteller-deep", {}, 3, 0}))[2].words->text,
            (*all_of({"task:storyteller", {}, 3, 0}))[2].words->text);
  const auto seen = all_of({"task:pilot", {}, 30, 4});
  ASSERT_TRUE(seen) << seen.error().text();
  std::map<std::string, int> languages;
  for (const DataLine& line : *seen) {
    EXPECT_FALSE(line.pixels.empty());
    EXPECT_NE(line.answer, line.wrong);
    EXPECT_NE(line.words->text, line.corrupt->text) << "another thing of the same picture";
    ++languages[line.groups.at("language")];
  }
  EXPECT_EQ(languages.size(), 2u);
  const auto later = all_of({"task:storyteller", {"form=later"}, 10, 0});
  ASSERT_TRUE(later);
  for (const DataLine& line : *later) EXPECT_EQ(line.groups.at("form"), "later");
}

// A task has examples without end: of a value that none has, or a column that it does not have, nothing is
// waited for.
TEST(DataTasks, AValueOrAColumnThatNoExampleHasIsSaidWithThoseThatThereAre) {
  const auto begin = std::chrono::steady_clock::now();
  for (const char* name : {"storyteller", "gap-filler", "induction", "pilot"}) {
    const std::string task = std::string("task:") + name;
    expect_error(all_of({task, {"nothing=1"}, 0, 0}), Code::not_found, "has a column \"nothing");
    expect_error(all_of({task, {"answer=nothing"}, 0, 0}), Code::not_found, "answer=nothing");
  }
  expect_error(all_of({"task:storyteller", {"form=nothing"}, 0, 0}), Code::not_found, "later, reason");
  expect_error(all_of({"task:pilot", {"language=ko", "verb=nothing"}, 0, 0}), Code::not_found,
               "verb=nothing");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(DataSets, AValueOrAColumnThatNoLineHasIsSaidWithThoseThatThereAre) {
  const std::string csv = file("a.csv", "text,kind\na,rug\nb,mat\n");
  expect_error(all_of({csv, {"kind=nothing"}, 0, 0}), Code::not_found, "mat, rug");
  expect_error(all_of({csv, {"colour=red"}, 0, 0}), Code::not_found, "kind");
  expect_error(all_of({file("a.txt", "a\nb\n"), {"kind=rug"}, 0, 0}), Code::not_found, "no columns");
}

TEST(EachPrompt, TakesInOrderAndReportsTheFirstError) {
  const auto lines = [next = 0]() mutable -> Result<std::optional<DataLine>> {
    if (next == 40) return std::optional<DataLine>();
    DataLine line;
    line.line = next++;
    return std::optional(line);
  };
  std::vector<std::int64_t> taken;
  const auto take = [&](const DataLine& line, std::int64_t twice) {
    EXPECT_EQ(twice, 2 * line.line);
    taken.push_back(line.line);
    return Status(Done{});
  };
  ASSERT_TRUE(each_prompt<std::int64_t>(
      lines, [](const DataLine& line) { return Result<std::int64_t>(2 * line.line); }, take));
  ASSERT_EQ(taken.size(), 40u);
  EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end()));
  taken.clear();
  const Status failed = each_prompt<std::int64_t>(
      lines,
      [](const DataLine& line) -> Result<std::int64_t> {
        if (line.line % 7 == 6) return fail(Code::not_found, "error.session.no_token");
        return 2 * line.line;
      },
      take);
  EXPECT_FALSE(failed);
  EXPECT_EQ(taken, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(DataMeasures, TakeTheirTokensFromTheLine) {
  DataLine line;
  line.answer = "a,\"b", line.wrong = "#7";
  EXPECT_EQ(*measure_with_answer("logit_diff[pos=-2]", line), "logit_diff:\"a,\\\"b\",\"#7\"[pos=-2]");
  EXPECT_EQ(*measure_with_answer("prob", line), "prob:\"a,\\\"b\"");
  EXPECT_EQ(*measure_with_answer("logit:x", line), "logit:x");
  EXPECT_EQ(*measure_with_answer("kl", line), "kl");
  line.wrong.clear();
  expect_error(check_data_measure("entropy"), Code::bad_format, "entropy");
  EXPECT_FALSE(measure_with_answer("logit_diff", line));
}

}  // namespace
}  // namespace attnscope
