// attnscope-cli trace --gradients: gradients of steps and of weights under their names.
#include <cmath>

#include "tests/cli/program.h"

namespace attnscope::testing {
namespace {

TEST(Gradients, StandBesideTheStepsUnderTheirNames) {
  const TempFolder folder;
  const Ran ran =
      cli("trace " + model_path("gpt2") +
          " --ids 1,2,3 --gradients --steps '*.attn.q,*.attn.pattern,logits' --out " + (folder / "t.json"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json file = Json::parse(read_text(folder / "t.json"));
  for (const char* name : {"logits", "blocks.0.attn.q", "blocks.2.attn.pattern"})
    EXPECT_EQ(file[std::string(name) + ".grad"]["shape"], file[name]["shape"]) << name;
  EXPECT_EQ(file["blocks.0.attn.q.weight.grad"]["shape"], Json({48, 48}));
  EXPECT_FALSE(file.contains("blocks.0.mlp.out.grad"));
  // Each counted row of p - target sums to 0, the last row is asked by nobody.
  double first = 0, last = 0;
  const Json& values = file["logits.grad"]["values"];
  const Json& rows = values.front().is_array() ? values : file["logits.grad"];
  const auto at = [&](std::size_t row, std::size_t col) {
    return values.front().is_array() ? rows[row][col].get<double>() : values[row * 199 + col].get<double>();
  };
  for (std::size_t col = 0; col < 199; ++col) {
    first += at(0, col);
    last += std::abs(at(2, col));
  }
  EXPECT_NEAR(first, 0.0, 1e-5);
  EXPECT_EQ(last, 0.0);
}

TEST(Gradients, ATargetAsksTheLastRow) {
  const Ran none = cli("trace " + model_path("gpt2") + " --ids 1,2,3 --gradients --steps logits");
  const Ran one = cli("trace " + model_path("gpt2") + " --ids 1,2,3 --gradients --target 7 --steps logits");
  ASSERT_EQ(none.exit_code, 0) << none.err;
  EXPECT_NE(none.out.find("mean of 2 of 3 rows"), std::string::npos) << none.out;
  EXPECT_NE(one.out.find("mean of 3 of 3 rows"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("logits.grad"), std::string::npos);
}

TEST(Gradients, WithoutALossOneSentenceSaysWhy) {
  const Ran token = cli("trace " + model_path("gpt2") + " --ids 1 --gradients");
  EXPECT_EQ(token.exit_code, 1);
  EXPECT_NE(token.err.find("No row has a target"), std::string::npos) << token.err;
  const Ran far = cli("trace " + model_path("gpt2") + " --ids 1,2 --gradients --target 100000");
  EXPECT_EQ(far.exit_code, 1);
  EXPECT_NE(far.err.find("vocabulary"), std::string::npos) << far.err;
}

TEST(Gradients, the_rows_that_count_are_said_and_chosen) {
  const std::string pilot = "trace " + source_path("assets/models/sorter") +
                            " --text \"d a c b a f : a a b c d f\" --gradients --steps logits";
  EXPECT_NE(cli(pilot).out.find("of 6 of 13 rows, as in training"), std::string::npos) << cli(pilot).out;
  EXPECT_NE(cli(pilot + " --loss-rows all").out.find("of 12 of 13 rows\n"), std::string::npos);
  EXPECT_NE(cli(pilot + " --loss-rows last").out.find("of 1 of 13 rows\n"), std::string::npos);
  expect_refused(pilot + " --loss-rows some", 2, "--loss-rows");
}

TEST(CliGradients, a_loss_that_is_no_number_has_no_sign) {
  const Ran ran = cli(
      "trace model:storyteller --text \"The cat sat\" --steps logits --gradients --edit ln_final.out=3e38");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("loss nan"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("-nan"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace attnscope::testing
