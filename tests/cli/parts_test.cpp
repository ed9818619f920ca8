// Parts of one answer in any form: what merge joins is the whole answer, to the last bit.
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kPartsClean = "'The cat was tired. So the'", kPartsCorrupt = "'The cat was soft. So the'";

class Parts : public ::testing::Test {
 protected:
  /// Two parts of a question, in these forms (".csv"), joined as JSON.
  Json joined(const std::string& question, const std::string& first, const std::string& second) {
    const std::string one = folder_ / ("1" + first), two = folder_ / ("2" + second),
                      all = folder_ / "all.json";
    const Ran a = cli(question + " --shard 1/2 --out " + one),
              b = cli(question + " --shard 2/2 --out " + two);
    EXPECT_EQ(a.exit_code + b.exit_code, 0) << a.err << b.err;
    const Ran ran = cli("merge " + two + " " + one + " --out " + all);
    EXPECT_EQ(ran.exit_code, 0) << question << first << second << ran.err;
    Json out = Json::parse(read_text(all), nullptr, false);
    out.erase("run");
    return out;
  }
  Json whole(const std::string& question) {
    Json out = cli(question + " --json").json();
    out.erase("run");
    return out;
  }
  const TempFolder folder_;
};

// Members beside the rows, too: the measure, both ends, which rows match, pieces that are no words.
TEST_F(Parts, of_every_form_are_the_whole_answer) {
  const std::string patch =
                        "patch model:storyteller --measure 'logit_diff: cat, mat' --over pos --estimate " +
                        ("--clean " + kPartsClean) + " --corrupt " + kPartsCorrupt,
                    ablate =
                        "ablate model:storyteller --data task:storyteller --limit 3 --measure logit_diff "
                        "--over head";
  for (const std::string& question : {patch, ablate, ablate + " --normalise"}) {
    const Json expected = whole(question);
    for (const char* form : {".csv", ".npz", ".json"})
      EXPECT_EQ(joined(question, form, form), expected) << question << form;
    EXPECT_EQ(joined(question, ".csv", ".npz"), expected);
    EXPECT_EQ(joined(question, ".json", ".csv"), expected);
  }
  for (const char* form : {".csv", ".json"})
    EXPECT_EQ(joined(ablate + " --quantiles", form, form), whole(ablate + " --quantiles")) << form;
}

TEST_F(Parts, of_paths_are_the_whole_answer) {
  const std::string ends = " --from 'embed,blocks.0.attn.z' --to 'blocks.1.attn.q,logits' ",
                    one = "path model:storyteller --measure 'logit_diff: cat, mat' --text " + kPartsClean +
                          ends,
                    many = "path model:storyteller --measure logit_diff --data task:storyteller --limit 3" +
                           ends;
  for (const std::string& question :
       {one, one + "--estimate --edit 'blocks.0.mlp.out=0'", many + "--quantiles"}) {
    const Json expected = whole(question);
    EXPECT_EQ(joined(question, ".csv", ".csv"), expected) << question;
    EXPECT_EQ(joined(question, ".csv", ".json"), expected) << question;
    EXPECT_EQ(joined(question, ".json", ".json"), expected) << question;
  }
}

TEST_F(Parts, missing_rows_are_computed_beside_a_csv) {
  const std::string question =
      "ablate model:storyteller --measure 'logit_diff: cat, mat' --over head --text " + kPartsClean;
  for (const char* form : {".csv", ".npz"}) {
    const std::string part = folder_ / (std::string("p") + form), out = folder_ / "m.json";
    ASSERT_EQ(cli(question + " --shard 2/3 --out " + part).exit_code, 0);
    const Ran ran = cli("rerun --missing " + part + " --out " + out);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(Json::parse(read_text(out))["rows"], whole(question)["rows"]) << form;
  }
}

// There are more parts than rows: a CSV of none is a header alone.
TEST_F(Parts, without_rows_are_no_obstacle) {
  for (const std::string question :
       {"ablate model:storyteller --measure 'logit_diff: cat, mat' --over head --steps blocks.0.attn.z",
        "path model:storyteller --measure 'logit_diff: cat, mat' --from blocks.0.attn.z --to "
        "'blocks.1.attn.q[head=3]'"}) {
    const std::string asked = question + " --text " + kPartsClean;
    std::string parts;
    for (int i = 1; i <= 5; ++i) {
      parts += " " + (folder_ / (std::to_string(i) + ".csv"));
      ASSERT_EQ(cli(asked + " --shard " + std::to_string(i) + "/5 --out" + parts.substr(parts.rfind(' ')))
                    .exit_code,
                0);
    }
    ASSERT_EQ(cli("merge" + parts + " --out " + (folder_ / "all.json")).exit_code, 0);
    EXPECT_EQ(Json::parse(read_text(folder_ / "all.json"))["rows"], whole(asked)["rows"]);
    expect_refused("merge " + (folder_ / "5.csv") + " --out " + (folder_ / "x.json"), 1, "no part");
  }
}

TEST_F(Parts, with_a_row_for_each_prompt_are_refused_before_anything_is_computed) {
  expect_refused(
      "ablate model:storyteller --data task:storyteller --measure logit_diff --over head --each "
      "--shard 1/2 --out " +
          (folder_ / "e.csv"),
      1, "--each");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "e.csv"));
}

}  // namespace
}  // namespace attnscope
