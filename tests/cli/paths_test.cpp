// path, circuits, why and attribute --linear from the outside: the numbers of the Storyteller that an
// independent recomputation in float64 gave, sums that close, tables that read back, and refusals.
#include <cmath>
#include <fstream>

#include "core/base/agreement.h"
#include "core/io/npy.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kPathStory =
    "model:storyteller --text \"The cat sat on the mat because it was tired. So the\"";
const std::string kPathMeasure = " --measure \"logit_diff: cat, mat\"";

Json one_path(const std::string& kind) {
  return cli("path " + kPathStory + kPathMeasure +
             " --from 'blocks.0.attn.z[head=2]' --to 'blocks.1.attn.q[head=3]' --json --kind " + kind)
      .json();
}

TEST(PathCommand, HeadTwoWritesTheQueryOfHeadThree) {
  const Json direct = one_path("direct"), total = one_path("total");
  ASSERT_EQ(direct["rows"].size(), 1u);
  EXPECT_EQ(direct["rows"][0]["from"], "blocks.0.attn.z[head=2]");
  EXPECT_EQ(direct["rows"][0]["to"], "blocks.1.attn.q[head=3]");
  EXPECT_NEAR(direct["base"]["clean"].get<double>(), 10.4786, 1e-3);
  EXPECT_NEAR(direct["rows"][0]["value"].get<double>(), 10.33, 5e-3);
  EXPECT_NEAR(total["rows"][0]["value"].get<double>(), 1.70, 5e-3);
  // The edit is the same cut.
  const Json edited = cli("ablate " + kPathStory + kPathMeasure +
                          " --steps 'blocks.1.attn.z[head=0]' --json --edit "
                          "'blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]=0'")
                          .json();
  EXPECT_EQ(edited["base"]["clean"], direct["rows"][0]["value"]);
  EXPECT_EQ(edited["edits"][0], "blocks.0.attn.z[head=2]->blocks.1.attn.q[head=3]=0");
}

TEST(PathCommand, PlacesThatAreNoEndsOfAPathAreNamed) {
  const TempFolder folder;
  const std::string ask = kPathMeasure + " --from 'blocks.0.attn.z,blocks.0.attn.pattern' --to " +
                          "'blocks.1.attn.q,blocks.1.mlp.post' --json",
                    file = folder / "p.txt";
  std::ofstream(file) << "The cat was tired. So the\n";
  for (const std::string& of : {kPathStory, "model:storyteller --data " + file}) {
    const Ran ran = cli("path " + of + ask);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("blocks.0.attn.pattern"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("blocks.1.mlp.post"), std::string::npos) << ran.err;
    const Json left_out = ran.json()["run"]["left_out"];
    EXPECT_EQ(left_out["from"], Json({"blocks.0.attn.pattern"}));
    EXPECT_EQ(left_out["to"], Json({"blocks.1.mlp.post"}));
  }
  const Ran usual = cli("path " + kPathStory + kPathMeasure + " --most 1 --json");
  EXPECT_EQ(usual.err, "");
  EXPECT_FALSE(usual.json()["run"].contains("left_out"));
}

TEST(PathCommand, GridsAndTables) {
  const Json grid = cli("path " + kPathStory + kPathMeasure +
                        " --from 'blocks.*.attn.z' --to 'blocks.*.attn.q' --estimate --json")
                        .json();
  EXPECT_EQ(grid["rows"].size(), 16u);
  EXPECT_EQ(grid["without_path"], 48);
  for (const Json& row : grid["rows"]) EXPECT_TRUE(row.contains("estimate"));
  const Json most = cli("path " + kPathStory + kPathMeasure + " --most 2 --json").json();
  int exact = 0;
  for (const Json& row : most["rows"]) exact += row.contains("value") ? 1 : 0;
  EXPECT_EQ(exact, 2);
  const TempFolder folder;
  const Ran csv = cli("path " + kPathStory + kPathMeasure +
                      " --from 'blocks.0.attn.z' --to logits --over pos --out " + (folder / "a.csv"));
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  const std::string text = read_text(folder / "a.csv");
  EXPECT_TRUE(text.starts_with("from,to,value,clean,run\n")) << text.substr(0, 40);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 4 * 14);
}

TEST(PathCommand, SaysHowEstimatesGoWithExactValues) {
  const std::string command = "path " + kPathStory + kPathMeasure + " --estimate";
  const Json grid = cli(command + " --json").json();
  Agreement wanted;
  for (const Json& row : grid["rows"]) wanted.add(row["estimate"].get<double>(), row["value"].get<double>());
  EXPECT_EQ(wanted.n(), 110);
  EXPECT_NEAR(grid["estimate_r"].get<double>(), wanted.r().value(), 1e-12);
  EXPECT_NEAR(grid["estimate_r"].get<double>(), 0.47, 5e-3) << "as the handbook says";
  EXPECT_NE(cli(command).out.find("r = 0.47. The answer does not follow a straight line"), std::string::npos);
  EXPECT_FALSE(cli("path " + kPathStory + kPathMeasure + " --json").json().contains("estimate_r"));
  EXPECT_FALSE(cli(command + " --json --shard 1/2").json().contains("estimate_r")) << "of a part";
  const std::string sweep = "ablate " + kPathStory + kPathMeasure + " --over head --json ";
  EXPECT_GT(cli(sweep + "--estimate --how scale:0.99").json()["estimate_r"].get<double>(), 0.99);
  EXPECT_FALSE(cli(sweep + "--only-estimate").json().contains("estimate_r")) << "nothing else was computed";
}

TEST(PathCommand, SeveralMeasuresAreReadOffTheSameRuns) {
  const std::string one =
                        "path " + kPathStory + " --from 'blocks.0.attn.z' --to 'blocks.1.attn.q' --estimate",
                    first = "logit_diff:cat,mat", second = "prob:cat";
  for (const std::string kind : {"direct", "total"}) {
    const std::string command = one + " --kind " + kind;
    const Json both = cli(command + " --json --measure " + first + " --measure " + second).json();
    EXPECT_EQ(both["measures"], Json({first, second}));
    Json rows = Json::array();
    for (const std::string& measure : {first, second}) {
      const Json alone = cli(command + " --json --measure " + measure).json();
      EXPECT_EQ(both["base"][measure], alone["base"]);
      for (Json row : alone["rows"]) {
        row["measure"] = measure;
        rows.push_back(row);
      }
    }
    EXPECT_EQ(both["rows"], rows);
    EXPECT_EQ(both["run"]["measures"].size(), 2u);
  }
  const TempFolder folder;
  const std::string of_both = one + " --measure " + first + " --measure " + second;
  ASSERT_EQ(cli(of_both + " --out " + (folder / "a.csv")).exit_code, 0);
  const std::string text = read_text(folder / "a.csv");
  EXPECT_TRUE(text.starts_with("from,to,value,estimate,clean,measure,run\n")) << text.substr(0, 60);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 2 * 16);
  expect_refused(of_both + " --shard 1/2", 1, "--shard takes one --measure");
  // Over a data set each measure has the means that it has alone.
  const std::string data =
      "path model:storyteller --data task:storyteller --limit 3 --from 'blocks.0.attn.z' "
      "--to 'blocks.1.attn.q' --json --each";
  const Json over = cli(data + " --measure logit_diff --measure logit").json();
  for (const char* measure : {"logit_diff", "logit"}) {
    const Json alone = cli(data + " --measure " + measure).json();
    EXPECT_EQ(over["base"][measure], alone["base"]);
    Json rows = Json::array(), each = Json::array();
    for (Json row : over["rows"])
      if (row["measure"] == measure) row.erase("measure"), rows.push_back(row);
    for (Json row : over["each"])
      if (row["measure"] == measure) row.erase("measure"), each.push_back(row);
    EXPECT_EQ(rows, alone["rows"]);
    EXPECT_EQ(each, alone["each"]);
  }
}

// No exact value was computed: none is written, in any form.
TEST(AblateCommand, EstimatesAloneAreNoValues) {
  const TempFolder folder;
  const std::string ask = "ablate " + kPathStory + kPathMeasure + " --over head",
                    data =
                        "ablate model:storyteller --data task:storyteller --limit 3 --measure logit_diff "
                        "--over head --each";
  for (const std::string& command : {ask, data}) {
    const Json exact = cli(command + " --estimate --json").json(),
               alone = cli(command + " --only-estimate --json").json();
    ASSERT_EQ(alone["rows"].size(), exact["rows"].size());
    for (std::size_t i = 0; i < alone["rows"].size(); ++i) {
      EXPECT_FALSE(alone["rows"][i].contains("value"));
      EXPECT_EQ(alone["rows"][i]["estimate"], exact["rows"][i]["estimate"]);
    }
    for (const Json& one : alone.value("each", Json::array())) {
      EXPECT_FALSE(one.contains("value"));
      EXPECT_TRUE(one["estimate"].is_number());
    }
    std::ofstream(folder / "alone.json") << alone;
    const Ran again = cli("rerun " + (folder / "alone.json"));
    EXPECT_EQ(again.exit_code, 0) << again.err;
  }
  ASSERT_EQ(cli(ask + " --only-estimate --out " + (folder / "a.csv")).exit_code, 0);
  EXPECT_TRUE(read_text(folder / "a.csv").starts_with("step,head,estimate,clean,run\n"));
  EXPECT_EQ(cli("rerun " + (folder / "a.csv")).exit_code, 0);
  ASSERT_EQ(cli(ask + " --only-estimate --out " + (folder / "a.npz")).exit_code, 0);
  const auto arrays = *read_npz(folder / "a.npz");
  EXPECT_EQ(arrays->find("blocks.0.attn.z[head]"), nullptr);
  EXPECT_NE(arrays->find("blocks.0.attn.z[head].estimate"), nullptr);
  // Parts of it join to the same, in every form.
  const Json whole = cli(ask + " --only-estimate --json").json();
  for (const std::string form : {".json", ".csv", ".npz"}) {
    std::string parts;
    for (const std::string part : {"1/2", "2/2"}) {
      const std::string file = folder / ("p" + part.substr(0, 1) + form);
      ASSERT_EQ(cli(ask + " --only-estimate --shard " + part + " --out " + file).exit_code, 0);
      parts += " " + file;
    }
    const Ran merged = cli("merge" + parts + " --out " + (folder / "whole.json"));
    ASSERT_EQ(merged.exit_code, 0) << form << merged.err;
    const Json joined = Json::parse(read_text(folder / "whole.json"));
    ASSERT_EQ(joined["rows"].size(), whole["rows"].size());
    for (std::size_t i = 0; i < joined["rows"].size(); ++i) {
      EXPECT_FALSE(joined["rows"][i].contains("value")) << form;
      EXPECT_NEAR(joined["rows"][i]["estimate"].get<double>(), whole["rows"][i]["estimate"].get<double>(),
                  1e-5);
    }
  }
}

TEST(PathCommand, RefusesWhatIsNoPath) {
  expect_refused("path " + kPathStory + kPathMeasure + " --from 'blocks.1.attn.z' --to 'blocks.0.attn.q'", 1,
                 "no path");
  expect_refused("path " + kPathStory + kPathMeasure + " --from 'blocks.0.attn.q' --to 'blocks.1.attn.q'", 1,
                 "writes nothing");
  expect_refused("path " + kPathStory + kPathMeasure + " --from 'blocks.0.attn.z' --to 'blocks.1.attn.z'", 1,
                 "cannot be the receiver");
  expect_refused("path " + kPathStory + kPathMeasure + " --out a.txt", 1, "a.txt");
}

TEST(CircuitsCommand, InductionHeadsCopyAndAreWritten) {
  const Json all = cli("circuits model:induction --spectra --json").json();
  ASSERT_EQ(all["heads"].size(), 4u);
  EXPECT_GT(all["heads"][3]["copying"].get<double>(), 0.9);
  EXPECT_LT(all["heads"][0]["copying"].get<double>(), 0.5);
  double square = 0;
  for (const Json& value : all["heads"][3]["ov_singular"])
    square += value.get<double>() * value.get<double>();
  EXPECT_NEAR(std::sqrt(square), all["heads"][3]["ov_norm"].get<double>(), 1e-9);
  ASSERT_EQ(all["composition"].size(), 12u);
  std::string best;
  double score = 0;
  for (const Json& one : all["composition"])
    if (one["score"].get<double>() > score) score = one["score"], best = one["kind"];
  EXPECT_EQ(best, "k");
  const Json words = cli("circuits model:induction --head 1.0 --word A --word B --json").json()["words"];
  EXPECT_GT(words["ov"][0][0].get<double>(), words["ov"][0][1].get<double>());  // it copies
  EXPECT_EQ(words["top"][0][0]["token"], "A");
  const TempFolder folder;
  EXPECT_EQ(cli("circuits model:induction --table composition --out " + (folder / "c.csv")).exit_code, 0);
  EXPECT_EQ(read_text(folder / "c.csv").substr(0, 53),
            "kind,from_block,from_head,to_block,to_head,score,run\n");
}

TEST(CircuitsCommand, SaysWhatItLeavesOut) {
  const Ran bert = cli("circuits " + model_path("vit") + " --json");
  EXPECT_EQ(bert.exit_code, 0) << bert.err;
  EXPECT_EQ(bert.json()["left_out"].size(), 1u);
  EXPECT_FALSE(bert.json()["heads"][0].contains("copying"));
  expect_refused("circuits model:induction --head 1.0", 1, "--word");
  expect_refused("circuits model:induction --head 9.0 --word A", 1, "head 0 in block 9");
  expect_refused("circuits model:induction --head x --word A", 1, "names no head");
}

TEST(WhyCommand, ClosesDownToTokens) {
  const std::string cell = " --cell 'blocks.1.attn.pattern[head=3,query=-1,key=2]' --json";
  double total = 0;
  std::size_t rows = 0;
  for (const std::string by : {"part", "head", "token"}) {
    const Json why = cli("why " + kPathStory + cell + " --by " + by).json();
    double sum = why["rest"];
    for (const Json& row : why["rows"]) sum += row["value"].get<double>();
    EXPECT_NEAR(sum, why["total"].get<double>(), 1e-9);
    EXPECT_NEAR(why["rest"].get<double>(), 0, 1e-4);
    EXPECT_GT(why["rows"].size(), rows);
    rows = why["rows"].size();
    total = why["total"];
  }
  const Json loadings = cli("why " + kPathStory + cell + " --loadings").json();
  EXPECT_NE(cli("why " + kPathStory + cell + " --loadings").out.find("direction"), std::string::npos)
      << "columns have names";
  double sum = loadings["bias"];
  for (const Json& row : loadings["rows"]) sum += row["value"].get<double>();
  EXPECT_NEAR(sum, total, 1e-4);
  expect_refused("why " + kPathStory + " --cell 'blocks.1.attn.pattern[head=3]'", 1, "not one score");
}

// With patterns held head 0.2 counts against the answer that fails without it; followed through queries and
// keys it counts for it, along an edge into the query of 1.3 that says so.
TEST(GraphCommand, FollowsQueriesAndKeys) {
  const TempFolder folder;
  const auto graph = [&](const std::string& flags) {
    const std::string path = folder / "g.json";
    const Ran ran = cli("attribute " + kPathStory + kPathMeasure + " --graph " + path + flags);
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(ran.err.find("taking that write out alone by") != std::string::npos, !flags.empty()) << ran.err;
    return Json::parse(read_text(path));
  };
  const auto of_head = [](const Json& all, const std::string& name) {
    double sum = 0;
    for (const Json& node : all["nodes"])
      if (node["clerp"] == name) sum += node["attnscope"]["value"].get<double>();
    return sum;
  };
  const Json held = graph(""), followed = graph(" --qk");
  EXPECT_LT(of_head(held, "head 0.2"), 0);
  EXPECT_GT(of_head(followed, "head 0.2"), 1);
  EXPECT_FALSE(held["links"][0].contains("attnscope"));
  bool found = false;
  for (const Json& link : followed["links"])
    if (link["source"] == "0_2_13" && link["target"] == "1_3_13" && link["attnscope"]["side"] == "q") {
      found = true;
      EXPECT_GT(link["weight"].get<double>(), 0.3);
      EXPECT_GT(link["attnscope"]["alone"].get<double>(), 0.3);
    }
  EXPECT_TRUE(found);
  EXPECT_GT(followed["metadata"]["attnscope"]["off"].get<double>(), 0);
  const Json run = followed["metadata"]["attnscope"]["run"];
  EXPECT_EQ(run["model"]["fingerprint"], cli("info model:storyteller --json").json()["fingerprint"]);
  EXPECT_EQ(run["measure"]["text"], "logit_diff:cat,mat");
}

TEST(LinearTwinCommand, ClosesInDouble) {
  const Json twin = cli("attribute " + kPathStory + kPathMeasure + " --by token --linear --json").json();
  ASSERT_EQ(twin["rows"].size(), 15u);
  EXPECT_EQ(twin["rows"][14]["step"], "bias");
  double sum = 0;
  for (const Json& row : twin["rows"]) sum += row["value"].get<double>();
  EXPECT_NEAR(sum, twin["base"]["total"].get<double>(), 1e-10 * 10.4786);
  EXPECT_NEAR(twin["base"]["total"].get<double>(), twin["base"]["run"].get<double>(), 1e-4);
  EXPECT_FALSE(twin["held"].empty());
}

// What a token adds in the twin, by the directions of its matrix; and the same again.
TEST(LinearTwinCommand, TheMatrixOfATokenByItsDirections) {
  const TempFolder folder;
  const std::string asked = "attribute " + kPathStory + kPathMeasure + " --linear", file = folder / "d.json";
  const Json twin = cli(asked + " --by token --json").json();
  ASSERT_EQ(cli(asked + " --directions 2 --out " + file).exit_code, 0);
  const Json found = Json::parse(read_text(file));
  ASSERT_EQ(found["rows"].size(), 64u);
  EXPECT_NEAR(found["total"].get<double>(), twin["rows"][2]["value"].get<double>(), 1e-9);
  double sum = 0;
  for (const Json& row : found["rows"]) sum += row["value"].get<double>();
  EXPECT_NEAR(sum, found["total"].get<double>(), 1e-9);
  EXPECT_EQ(found["rows"][0]["likelier"].size(), 5u);
  EXPECT_EQ(cli("rerun " + file).exit_code, 0);
  EXPECT_EQ(cli(asked + " --directions -1 --json").json()["at"]["pos"], 13);
  expect_refused(asked + " --directions 14", 1, "not among the 14 rows");
  expect_refused(asked + " --directions 2 --by head", 1, "--by head");
  expect_refused("attribute " + kPathStory + kPathMeasure + " --directions 2", 2, "--linear");
}

}  // namespace
}  // namespace attnscope
