// path over a data set: every row against the same row of each prompt alone, parts, tables, refusals.
#include <cmath>
#include <fstream>
#include <map>

#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

struct PathPrompt {
  std::string text, answer, wrong;
};
const std::vector<PathPrompt> kPathPrompts{
    {"The cat sat on the mat because it was tired. So the", "cat", "mat"},
    {"The dog lay on the rug because it was soft. So the", "rug", "dog"},
    {"The big fox stood on the bench because it was lazy. So the", "fox", "bench"}};

class PathData : public ::testing::Test {
 protected:
  std::string file(std::size_t prompts = 3) const {
    std::ofstream out(folder_ / "p.jsonl");
    for (std::size_t i = 0; i < prompts; ++i)
      out << Json{{"text", kPathPrompts[i].text},
                  {"answer", kPathPrompts[i].answer},
                  {"wrong", kPathPrompts[i].wrong}}
                 .dump()
          << "\n";
    return folder_ / "p.jsonl";
  }
  static std::map<std::string, Json> by_pair(const Json& answer, const char* list = "rows") {
    std::map<std::string, Json> out;
    for (const Json& row : answer[list])
      out[row["from"].get<std::string>() + "->" + row["to"].get<std::string>()] = row;
    return out;
  }
  static Json alone(const PathPrompt& one, const std::string& rest) {
    return cli("path model:storyteller --json --text '" + one.text + "' --measure 'logit_diff:" + one.answer +
               "," + one.wrong + "'" + rest)
        .json();
  }
  Json over(const std::string& rest, std::size_t prompts = 3) const {
    const Ran ran = cli("path model:storyteller --json --measure logit_diff --data " + file(prompts) + rest);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.json();
  }
  const TempFolder folder_;
};

TEST_F(PathData, a_row_is_the_mean_of_that_row_of_each_prompt) {
  for (const std::string rest :
       {" --from 'blocks.0.attn.z,blocks.0.mlp.out' --to 'blocks.1.attn.q,logits' --estimate",
        " --from 'blocks.0.attn.z' --to 'blocks.1.attn.v' --kind total",
        " --from 'embed' --to 'blocks.1.attn.q[pos=-1]'"}) {
    const Json all = over(rest + " --each --quantiles");
    std::vector<std::map<std::string, Json>> single;
    double base = 0;
    for (const PathPrompt& one : kPathPrompts) {
      const Json answer = alone(one, rest);
      single.push_back({});
      std::size_t at = 0;  // rows of one prompt and of all have one order
      for (const Json& row : answer["rows"]) single.back()[std::to_string(at++)] = row;
      base += answer["base"]["clean"].get<double>() / 3;
    }
    EXPECT_NEAR(all["base"]["clean"], base, 1e-12);
    ASSERT_EQ(all["rows"].size(), single[0].size());
    for (std::size_t i = 0; i < all["rows"].size(); ++i) {
      const Json& row = all["rows"][i];
      double mean = 0, estimate = 0, squares = 0;
      for (const auto& one : single) {
        mean += one.at(std::to_string(i))["value"].get<double>() / 3;
        estimate += one.at(std::to_string(i)).value("estimate", 0.0) / 3;
      }
      for (const auto& one : single)
        squares += std::pow(one.at(std::to_string(i))["value"].get<double>() - mean, 2);
      EXPECT_NEAR(row["value"], mean, 1e-12) << rest << row.dump();
      EXPECT_NEAR(row["stderr"], std::sqrt(squares / 2 / 3), 1e-12) << rest << row.dump();
      if (row.contains("estimate")) {
        EXPECT_NEAR(row["estimate"], estimate, 1e-12);
      }
      EXPECT_EQ(row["n"], 3);
      EXPECT_LE(row["quantiles"]["q05"].get<double>(), row["quantiles"]["q95"].get<double>());
      if (rest.find("[pos") == std::string::npos) {
        EXPECT_EQ(row["from"], single[0].at(std::to_string(i))["from"]);
        EXPECT_EQ(row["to"], single[0].at(std::to_string(i))["to"]);
      } else {
        EXPECT_NE(row["to"].get<std::string>().find("pos=-1"), std::string::npos) << "from the end: " << row;
      }
    }
    EXPECT_EQ(all["each"].size(), 3 * all["rows"].size());
    EXPECT_EQ(all["each"][0]["value"], single[0].at("0")["value"]);
  }
}

TEST_F(PathData, one_prompt_is_the_single_question_bit_for_bit) {
  const std::string rest = " --estimate --over pos --from 'blocks.*.attn.z' --to 'blocks.1.attn.k,logits'";
  const auto rows = by_pair(over(rest, 1)), single = by_pair(alone(kPathPrompts[0], rest));
  ASSERT_EQ(rows.size(), single.size());
  for (const auto& [pair, row] : single) {
    EXPECT_EQ(rows.at(pair)["value"], row["value"]) << pair;
    EXPECT_EQ(rows.at(pair)["estimate"], row["estimate"]) << pair;
    EXPECT_TRUE(rows.at(pair)["stderr"].is_null()) << "one number has no spread";
  }
}

TEST_F(PathData, parts_join_to_the_whole_and_tables_say_all) {
  const std::string rest = " --from 'blocks.0.attn.z' --to 'blocks.1.attn.q,logits'";
  const Json whole = over(rest);
  std::string parts;
  for (const std::string shard : {"1/2", "2/2"}) {
    const std::string path = folder_ / ("part" + shard.substr(0, 1) + ".json");
    ASSERT_EQ(cli("path model:storyteller --measure logit_diff --data " + file() + rest + " --shard " +
                  shard + " --out " + path)
                  .exit_code,
              0);
    parts += " " + path;
  }
  const Ran merged = cli("merge" + parts + " --out " + (folder_ / "all.json"));
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  const Json joined = Json::parse(read_text(folder_ / "all.json"));
  EXPECT_EQ(joined["rows"], whole["rows"]);
  EXPECT_EQ(joined["base"], whole["base"]);
  ASSERT_EQ(cli("path model:storyteller --measure logit_diff --data " + file() + rest +
                " --edit 'blocks.0.mlp.out=0' --quantiles --out " + (folder_ / "t.csv"))
                .exit_code,
            0);
  const std::string table = read_text(folder_ / "t.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "from,to,value,stderr,n,q05,q25,q50,q75,q95,clean,edits,run");
  const std::string path = folder_ / "whole.json";
  std::ofstream(path) << whole.dump();
  EXPECT_EQ(cli("rerun " + path).exit_code, 0);
}

TEST_F(PathData, refusals) {
  const std::string command = "path model:storyteller --measure logit_diff --data " + file();
  expect_refused(command + " --most 2", 1, "--most");
  expect_refused(command + " --over pos", 1, "line 3");
  expect_refused(command + " --text x", 1, "--data");
  expect_refused("path model:storyteller --text 'The cat' --measure 'logit:cat' --each", 1, "--data");
  std::ofstream(folder_ / "bad.jsonl") << R"({"text": "The cat", "answer": "xyzzy", "wrong": "cat"})"
                                       << "\n";
  expect_refused("path model:storyteller --measure logit_diff --data " + (folder_ / "bad.jsonl"), 1,
                 "line 1");
}

}  // namespace
}  // namespace attnscope
