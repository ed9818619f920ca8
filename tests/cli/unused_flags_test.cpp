// A flag that would change nothing is refused, in words.
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(UnusedFlags, are_refused) {
  const TempFolder folder;
  const std::string file = folder / "p.jsonl";
  std::ofstream(file) << R"({"text": "The cat was tired. So the", "answer": "cat", "wrong": "mat"})"
                         "\n"
                      << R"({"text": "The dog was tired. So the", "answer": "dog", "wrong": "mat"})"
                         "\n";
  const std::string story = " model:storyteller", data = " --data " + file + " --measure logit_diff",
                    text = " --text 'The cat was tired. So the'", ask = "ablate" + story + data;
  expect_refused(ask + " --seed 3", 2, "--seed");
  expect_refused(
      "direction" + story + " --data " + file + " --against " + file + " --seed 3 -o " + (folder / "v.npz"),
      2, "--seed");
  EXPECT_EQ(cli(ask + " --seed 3 --how resample").exit_code, 0);
  EXPECT_EQ(cli(ask + " --seed 3 --edit 'blocks.0.mlp.out=resample'").exit_code, 0);
  EXPECT_EQ(
      cli("ablate" + story + " --data task:storyteller --limit 2 --measure logit_diff --seed 3").exit_code,
      0);
  const std::string kept = "circuit" + story + data + " --keep 'blocks.0.attn.z[head=2]'";
  expect_refused(kept + " --by attribution", 2, "--keep does not go with --by");
  EXPECT_EQ(cli(kept).exit_code, 0);
  expect_refused("trace" + story + text + " --summary --pad-side left", 1, "--pad-to");
  expect_refused("trace" + story + " --data " + file + " --summary --pad-side left", 1, "--pad-to");
  expect_refused(ask + " --each", 1, "--json");
  expect_refused(ask + " --quantiles --out " + (folder / "q.npz"), 1, "--json");
  expect_refused("path" + story + data + " --quantiles", 1, "--json");
  expect_refused("path" + story + data + " --each --out " + (folder / "e.csv"), 1, "one row for each pair");
  expect_refused("circuits" + story + " --spectra", 1, "--spectra");
  expect_refused("circuits" + story + " --table composition", 2, "--out");
  expect_refused("strongest" + story + " --of 'blocks.1.attn.z[head=3]' --table histogram", 2, "--out");
  expect_refused("heads" + story + text + " --against-edit 'blocks.0.mlp.out=0'", 1, "--against-text");
  expect_refused("trace" + story + text + " --summary --loss-rows all", 2, "--gradients");
  expect_refused("trace" + story + text + " --summary --target 3", 2, "--gradients");
  expect_refused("figure" + story + " -o " + (folder / "f.json") + " --a-text 'The dog'", 1, "--compare");
  expect_refused("figure" + story + " -o " + (folder / "f.json") + " --compare --a-edit 'blocks.0.mlp.out=0'",
                 1, "--a-text");
  const std::string figure = "figure" + story + " -o " + (folder / "f.json");
  expect_refused(figure + " --view attention --words cat,mat", 1, "--words");
  expect_refused(figure + " --view steps --temperature 2", 1, "--temperature");
  expect_refused(figure + " --view residual --page first", 1, "--page");
  expect_refused(figure + " --view attention --page first", 1, "triangle");
  for (const char* look :
       {"size 800x600", "scale 2", "transparent", "paper", "theme light", "no-caption", "present"})
    for (const std::string& form : {std::string("f.json"), std::string("f.csv"), std::string("-")})
      expect_refused(
          "figure" + story + " --view attention --" + look + " -o " + (form == "-" ? form : folder / form), 1,
          "data and text are the same");
  EXPECT_EQ(
      cli("figure" + story + " --view attention --paper --size 400x300 -o " + (folder / "f.svg")).exit_code,
      0);
  const std::string weights = "weights" + story + " --of ln_final.weight --bins 4";
  expect_refused(weights, 1, "--bins");
  expect_refused(weights + " --out " + (folder / "w.csv"), 1, "--bins");
  EXPECT_EQ(cli(weights + " --json").json()["rows"][0]["histogram"]["counts"].size(), 4u);
}

// Names of positions do nothing by themselves; the answer stands, and stderr says so.
TEST(UnusedFlags, spans_that_no_mask_names_are_told) {
  const std::string run =
      "trace model:storyteller --text 'The cat was tired.' --steps logits --spans a=2,b=4";
  const Ran told = cli(run);
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_NE(told.err.find("(a, b)"), std::string::npos) << told.err;
  const Ran used = cli(run + " --mask 'causal & !(b>a)'");
  EXPECT_EQ(used.exit_code, 0) << used.err;
  EXPECT_EQ(used.err.find("--spans"), std::string::npos) << used.err;
}

TEST(UnusedFlags, a_token_that_begins_a_text_twice_is_told) {
  const Ran doubled = cli("tokenize model:storyteller --text '<bos>The cat'");
  EXPECT_NE(doubled.err.find("<bos>"), std::string::npos) << doubled.out << doubled.err;
  EXPECT_EQ(cli("tokenize model:storyteller --text 'The cat'").err, "");
}

}  // namespace
}  // namespace attnscope
