// circuit from the outside: kept parts and the curve over a data set, tables, a session that keeps a circuit,
// the same bits again, refusals.
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kCircuitAsk =
    "circuit model:storyteller --data task:storyteller --limit 12 --measure logit_diff";

TEST(CircuitCommand, TheCurveEndsAtTheWholeModelAndItsBestPartsAreTheCircuit) {
  const Json curve = cli(kCircuitAsk + " --curve --json").json();
  ASSERT_EQ(curve["rows"].size(), 11u);
  EXPECT_EQ(curve["all"], 10);
  EXPECT_EQ(curve["rows"][0]["kept"], 0);
  EXPECT_EQ(curve["rows"][0]["value"], curve["base"]["none"]);
  EXPECT_EQ(curve["rows"][10]["value"], curve["base"]["full"]);
  EXPECT_EQ(curve["rows"][10]["recovered"], 1);
  for (std::size_t i = 2; i < 11; ++i)
    EXPECT_LE(std::abs(curve["rows"][i]["effect"].get<double>()),
              std::abs(curve["rows"][i - 1]["effect"].get<double>()));
  std::string keep;
  for (std::size_t i = 1; i <= 3; ++i)
    keep += (i > 1 ? "," : "") + curve["rows"][i]["part"].get<std::string>();
  const Json kept = cli(kCircuitAsk + " --json --keep '" + keep + "'").json();
  ASSERT_EQ(kept["rows"].size(), 1u);
  EXPECT_EQ(kept["rows"][0]["value"], curve["rows"][3]["value"]) << "the same bits";
  EXPECT_EQ(kept["rows"][0]["recovered"], curve["rows"][3]["recovered"]);
  EXPECT_EQ(kept["rows"][0]["n"], 12);
  EXPECT_EQ(kept["keep"].size(), 3u);
  // The effects are those of ablate over the same data.
  const Json ablated = cli("ablate model:storyteller --data task:storyteller --limit 12 --measure logit_diff "
                           "--steps 'blocks.*.attn.z,blocks.*.mlp.out' --over 'head?' --how mean --json")
                           .json();
  for (std::size_t i = 1; i < 11; ++i)
    for (const Json& row : ablated["rows"]) {
      const std::string place =
          row["step"].get<std::string>() +
          (row["at"].contains("head") ? "[head=" + row["at"]["head"].dump() + "]" : std::string());
      if (place != curve["rows"][i]["part"].get<std::string>()) continue;
      EXPECT_NEAR(row["value"].get<double>() - ablated["base"]["clean"].get<double>(),
                  curve["rows"][i]["effect"].get<double>(), 1e-9);
    }
}

TEST(CircuitCommand, SaysWhoseValuesEveryPromptTook) {
  const std::string ask = " --how resample --seed 5 --json";
  const Json circuit = cli(kCircuitAsk + " --best 1" + ask).json();
  const Json ablated =
      cli("ablate model:storyteller --data task:storyteller --limit 12 --measure logit_diff --over head" +
          ask)
          .json();
  EXPECT_EQ(circuit["run"]["seed"], 5);
  EXPECT_FALSE(circuit["run"]["resampled"].empty());
  EXPECT_EQ(circuit["run"]["resampled"], ablated["run"]["resampled"]);
  EXPECT_FALSE(cli(kCircuitAsk + " --best 1 --json").json()["run"].contains("seed"));
}

TEST(CircuitCommand, ASessionKeepsItAndAnswersAreRunAgain) {
  const TempFolder folder;
  const std::string session = folder / "s.attnscope";
  const Ran made = cli(kCircuitAsk + " --best 3 --json --name story --into " + session);
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Json best = made.json();
  const std::string ask =
      "circuit " + session + " --data task:storyteller --limit 12 --measure logit_diff --json";
  const Json again = cli(ask + " --circuit story").json();
  EXPECT_EQ(again["rows"][0]["value"], best["rows"][3]["value"]);
  const std::string short_ask =
      "circuit " + session + " --data task:storyteller --limit 12 --json --circuit ";
  const Json remembered = cli(short_ask + "story").json();
  EXPECT_EQ(remembered["measure"], "logit_diff") << "what it was found by";
  EXPECT_EQ(remembered["rows"], again["rows"]);
  expect_refused(ask + " --circuit other", 1, "story");
  // Another circuit beside it.
  const std::string edge = "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]";
  ASSERT_EQ(cli(ask + " --how zero --keep '" + edge + "' --name edge --into " + session).exit_code, 0);
  const Json edges = cli(ask + " --how zero --circuit edge").json();
  EXPECT_EQ(edges["parts"], "edges");
  EXPECT_EQ(edges["keep"], Json::array({edge}));
  EXPECT_EQ(cli(ask + " --circuit story").json()["rows"], again["rows"]);
  const std::string file = folder / "a.json";
  std::ofstream(file) << best.dump();
  EXPECT_EQ(cli("rerun " + file).exit_code, 0);
  ASSERT_EQ(cli(kCircuitAsk + " --best 2 --by attribution --out " + (folder / "c.csv")).exit_code, 0);
  const std::string table = read_text(folder / "c.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "kept,part,effect,value,stderr,n,recovered,full,none,run");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
}

TEST(CircuitCommand, Refusals) {
  expect_refused(kCircuitAsk, 1, "--keep");
  expect_refused("circuit model:storyteller --curve", 1, "--measure");
  expect_refused(kCircuitAsk + " --curve --keep embed", 1, "--keep");
  expect_refused(kCircuitAsk + " --keep blocks.9.mlp.out", 1, "blocks.9.mlp.out");
  expect_refused(kCircuitAsk + " --best 1 --name x", 1, "--into");
  expect_refused(kCircuitAsk + " --circuit x", 1, "keeps none");
  expect_refused(kCircuitAsk + " --curve --how nothing", 1, "nothing");
  expect_refused(kCircuitAsk + " --curve --out a.txt", 1, "a.txt");
}

}  // namespace
}  // namespace attnscope
