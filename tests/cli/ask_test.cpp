// ablate, patch, attribute, compare and merge from the outside, against what PyTorch hooks say
// (tests/golden/interventions, computed in float64) and against the story that the shipped Storyteller tells.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/base/text.h"
#include "core/io/npy.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

constexpr double kNear = 1e-4;
const std::string kTold = "\"The cat sat on the mat because it was tired. So the\"",
                  kSoft = "\"The cat sat on the mat because it was soft. So the\"",
                  kStory = "model:storyteller --measure \"logit_diff: cat, mat\"";

std::string ids_text(const Json& ids) {
  std::string out;
  for (const int id : ids) out += (out.empty() ? "" : ",") + std::to_string(id);
  return out;
}

std::string place(const Json& row) {
  std::string out = row["step"];
  for (const auto& [axis, index] : row["at"].items()) out += "/" + axis + index.dump();
  return out;
}

std::map<std::string, double> values_of(const Json& rows) {
  std::map<std::string, double> out;
  for (const Json& row : rows) out[place(row)] = row["value"];
  EXPECT_EQ(out.size(), rows.size());
  return out;
}

class Hooks : public ::testing::TestWithParam<const char*> {
 protected:
  Hooks()
      : hooks_(Json::parse(
            std::ifstream(source_path(std::string("tests/golden/interventions/") + GetParam() + ".json")))) {}
  std::string model() const { return source_path(std::string("tests/golden/models/") + GetParam()); }
  std::string measure() const {
    return " --json --measure logit_diff:#" + hooks_["target"].dump() + ",#" + hooks_["distractor"].dump();
  }
  std::string clean() const { return " --ids " + ids_text(hooks_["clean"]); }
  Json answer(const std::string& command, const std::string& rest) const {
    return cli(command + " " + model() + rest + measure()).json();
  }
  Json patched(const std::string& rest) const {
    return answer("patch", " --clean-ids " + ids_text(hooks_["clean"]) + " --corrupt-ids " +
                               ids_text(hooks_["corrupt"]) + rest);
  }
  const Json hooks_;
};

TEST_P(Hooks, knocking_out_heads) {
  for (const auto& [how, wanted] : {std::pair("zero", "ablate"), std::pair("mean", "mean_z")}) {
    const Json out = answer("ablate", clean() + " --over head --how " + how);
    EXPECT_NEAR(out["base"]["clean"], hooks_["base"]["clean"], kNear);
    const auto values = values_of(out["rows"]);
    for (std::size_t layer = 0; layer < hooks_[wanted].size(); ++layer)
      for (std::size_t head = 0; head < hooks_[wanted][layer].size(); ++head)
        EXPECT_NEAR(values.at("blocks." + std::to_string(layer) + ".attn.z/head" + std::to_string(head)),
                    hooks_[wanted][layer][head], kNear)
            << how;
  }
  const auto halved =
      values_of(answer("ablate", clean() + " --steps blocks.*.mlp.out --how scale:0.5")["rows"]);
  for (std::size_t layer = 0; layer < hooks_["scale_mlp"].size(); ++layer)
    EXPECT_NEAR(halved.at("blocks." + std::to_string(layer) + ".mlp.out"), hooks_["scale_mlp"][layer], kNear);
}

TEST_P(Hooks, patching) {
  const Json grid = patched(" --over pos");
  EXPECT_NEAR(grid["base"]["clean"], hooks_["base"]["clean"], kNear);
  EXPECT_NEAR(grid["base"]["corrupt"], hooks_["base"]["corrupt"], kNear);
  const auto residual = values_of(grid["rows"]);
  const auto heads = values_of(patched(" --steps blocks.*.attn.z --over head,pos")["rows"]);
  const auto mlps = values_of(patched(" --steps blocks.*.mlp.out --over pos")["rows"]);
  for (std::size_t layer = 0; layer < hooks_["patch_resid"].size(); ++layer)
    for (std::size_t pos = 0; pos < hooks_["patch_resid"][layer].size(); ++pos) {
      const std::string block = "blocks." + std::to_string(layer), at = "/pos" + std::to_string(pos);
      EXPECT_NEAR(residual.at(block + ".resid_pre" + at), hooks_["patch_resid"][layer][pos], kNear);
      EXPECT_NEAR(mlps.at(block + ".mlp.out" + at), hooks_["patch_mlp"][layer][pos], kNear);
      for (std::size_t head = 0; head < hooks_["patch_z"][layer].size(); ++head)
        EXPECT_NEAR(heads.at(block + ".attn.z/head" + std::to_string(head) + at),
                    hooks_["patch_z"][layer][head][pos], kNear);
    }
}

// What leaves the norm of the embedding is another row than what enters it, and has another name.
TEST(Attribution, the_norm_of_the_embedding_has_its_own_part) {
  const std::string ask =
      "attribute model:gap-filler --text 'The cat [MASK] tired' --measure logit:was --json";
  const auto named = [](const Json& answer, const std::string& step) {
    for (const Json& row : answer["rows"])
      if (row["step"] == step) return true;
    return false;
  };
  const Json direct = cli(ask).json(), twin = cli(ask + " --linear --by token").json();
  EXPECT_TRUE(named(direct, "ln_embed.out")) << direct;
  EXPECT_FALSE(named(direct, "embed"));
  EXPECT_TRUE(named(twin, "embed")) << twin;
}

TEST_P(Hooks, attribution) {
  const Json out = answer("attribute", clean());
  const auto parts = values_of(out["parts"]);
  const Json& dla = hooks_["dla"];
  double sum = out["rest"];
  for (const auto& [name, value] : parts) sum += value;
  EXPECT_NEAR(sum, out["total"], 1e-5);
  EXPECT_LT(std::fabs(double(out["rest"])), kNear);
  EXPECT_NEAR(parts.at("embed"), dla["embed"], kNear);
  const auto of_norms = parts.find("bias");
  EXPECT_NEAR(of_norms == parts.end() ? 0 : of_norms->second, dla["bias"], kNear);
  for (std::size_t layer = 0; layer < dla["mlp"].size(); ++layer) {
    const std::string block = "blocks." + std::to_string(layer);
    EXPECT_NEAR(parts.at(block + ".mlp.out"), dla["mlp"][layer], kNear);
    if (const auto bias = parts.find(block + ".attn.out.bias"); bias != parts.end())
      EXPECT_NEAR(bias->second, dla["attn_bias"][layer], kNear);
    else
      EXPECT_EQ(dla["attn_bias"][layer], 0.0);
    for (std::size_t head = 0; head < dla["heads"][layer].size(); ++head)
      EXPECT_NEAR(parts.at(block + ".attn.z/head" + std::to_string(head)), dla["heads"][layer][head], kNear);
  }
}

INSTANTIATE_TEST_SUITE_P(Ask, Hooks, ::testing::Values("gpt2", "llama", "qwen2"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Ask, the_storyteller_tells_its_story) {
  const Json heads = cli("ablate " + kStory + " --json --over head --text " + kTold).json();
  EXPECT_NEAR(heads["base"]["clean"], 10.479, 1e-3);
  for (const auto& [at, value] : values_of(heads["rows"])) {
    const double lost = 10.479 - value;
    const double told = at.find("0.attn.z/head2") != std::string::npos   ? 8.6
                        : at.find("1.attn.z/head3") != std::string::npos ? 3.4
                                                                         : 0;
    if (told > 0)
      EXPECT_NEAR(lost, told, 0.05) << at;
    else
      EXPECT_LT(std::fabs(lost), 1.11) << at;
  }
  const Json grid =
      cli("patch " + kStory + " --json --over pos --clean " + kTold + " --corrupt " + kSoft).json();
  EXPECT_NEAR(grid["base"]["corrupt"], -9.980, 1e-3);
  const auto rows = values_of(grid["rows"]);
  EXPECT_NEAR(rows.at("blocks.0.resid_pre/pos10"), 10.48, 5e-3);
  EXPECT_NEAR(rows.at("blocks.1.resid_pre/pos13"), 10.08, 5e-3);
  const auto parts = values_of(cli("attribute " + kStory + " --json --text " + kTold).json()["parts"]);
  EXPECT_NEAR(parts.at("blocks.1.mlp.out"), 7.05, 5e-3);
  EXPECT_NEAR(parts.at("blocks.1.attn.z/head3"), 2.11, 5e-3);
  EXPECT_NEAR(parts.at("blocks.0.mlp.out"), 0.82, 5e-3);
  EXPECT_NEAR(parts.at("blocks.1.attn.z/head1"), 0.69, 5e-3);
}

TEST(Ask, patching_a_run_into_itself_changes_nothing) {
  const Json out =
      cli("patch " + kStory + " --json --over pos --steps '*' --clean " + kTold + " --corrupt " + kTold)
          .json();
  ASSERT_GT(out["rows"].size(), 100u);
  for (const Json& row : out["rows"]) EXPECT_EQ(row["value"], out["base"]["clean"]) << row;
}

// "blocks.1.attn.z[head=3]" is one head, and so is what is knocked out over the axes that it leaves open.
TEST(Ask, a_part_of_a_step_is_knocked_out_alone) {
  const std::string all = "ablate " + kStory + " --json --text " + kTold;
  const auto heads = values_of(cli(all + " --over head").json()["rows"]);
  const Json one = cli(all + " --steps 'blocks.*.attn.z[head=3]'").json();
  ASSERT_EQ(one["rows"].size(), 2u);
  for (const auto& [at, value] : values_of(one["rows"])) EXPECT_EQ(value, heads.at(at)) << at;
  const auto rows = values_of(cli(all + " --steps 'blocks.1.attn.z[head=3]' --over pos").json()["rows"]);
  const auto both = values_of(cli(all + " --steps blocks.1.attn.z --over head,pos").json()["rows"]);
  for (const auto& [at, value] : rows) EXPECT_EQ(value, both.at(at)) << at;
  EXPECT_EQ(rows.size(), 14u);
  expect_refused("ablate " + kStory + " --text " + kTold + " --steps 'blocks.*.attn.z[head=9]'", 1,
                 "blocks.0.attn.z has no head 9");
}

TEST(Ask, neurons_are_knocked_out_in_groups) {
  const TempFolder folder;
  const std::string sweep =
      "ablate " + kStory + " --text " + kTold + " --steps 'blocks.1.mlp.post' --over d_mlp:100 --estimate";
  const Json out = cli(sweep + " --json").json();
  ASSERT_EQ(out["rows"].size(), 3u);
  EXPECT_EQ(out["rows"][2]["at"]["d_mlp"], "200-255");
  const Ran edited =
      cli("attribute " + kStory + " --json --text " + kTold + " --edit 'blocks.1.mlp.post[d_mlp=200-255]=0'");
  EXPECT_NEAR(out["rows"][2]["value"], edited.json()["total"], 1e-5);
  for (const char* kind : {".csv", ".npz"}) {
    const std::string whole = folder / (std::string("whole") + kind),
                      merged = folder / (std::string("merged") + kind);
    EXPECT_EQ(cli(sweep + " --out " + whole).exit_code, 0);
    std::string parts;
    for (int i = 1; i <= 2; ++i) {
      parts += " " + (folder / (std::to_string(i) + kind));
      EXPECT_EQ(
          cli(sweep + " --shard " + std::to_string(i) + "/2 --out " + (folder / (std::to_string(i) + kind)))
              .exit_code,
          0);
    }
    const Ran ran = cli("merge" + parts + " --out " + merged);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    if (std::string(kind) == ".csv") {
      EXPECT_EQ(read_text(merged), read_text(whole));
    }
  }
  const auto grid = *read_npz(folder / "merged.npz");
  const auto values = grid->load("blocks.1.mlp.post[d_mlp]")->values();
  ASSERT_EQ(values.size(), 256u) << "each neuron has the value of its group";
  EXPECT_FLOAT_EQ(values[255], static_cast<float>(double(out["rows"][2]["value"])));
  EXPECT_EQ(values[200], values[255]);
  expect_refused("ablate " + kStory + " --text " + kTold + " --over head:0", 1, "d_mlp:64");
  // Of patches, too: two heads at once are the two edits together.
  const Json pairs =
      cli("patch " + kStory + " --json --steps blocks.1.attn.z --over head:2 --estimate --clean " + kTold +
          " --corrupt " + kSoft)
          .json();
  ASSERT_EQ(pairs["rows"].size(), 2u);
  EXPECT_EQ(pairs["rows"][1]["at"]["head"], "2-3");
  EXPECT_NE(double(pairs["rows"][1]["value"]), double(pairs["rows"][0]["value"]));
  EXPECT_TRUE(pairs["rows"][1]["estimate"].is_number());
}

// What an encoder is asked about is what is hidden, in each of the two texts.
TEST(Ask, a_hidden_token_is_what_is_asked_about) {
  const std::string ask = " model:gap-filler --json --measure logit_diff:cat,mat ",
                    text = " --text \"The cat sat on the mat because it was tired . So the [MASK] slept .\"";
  const Json at = cli("attribute" + ask + text + " --at 14").json(),
             own = cli("attribute" + ask + text).json();
  EXPECT_EQ(at["total"], own["total"]);
  EXPECT_GT(double(own["total"]), 3);
  const Json patched =
      cli("patch" + ask + "--clean" + text.substr(7) +
          " --corrupt \"Today the cat sat on the mat because it was soft . So the [MASK] slept .\"")
          .json();
  EXPECT_EQ(patched["base"]["clean"], own["total"]);
  EXPECT_LT(double(patched["base"]["corrupt"]), double(own["total"]));
}

TEST(Ask, an_empty_text_says_what_is_read) {
  const Ran ran = cli("trace model:storyteller --text \"\" --summary --steps logits");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("The text is empty: <bos> stands alone"), std::string::npos) << ran.err;
  const Ran answer =
      cli("trace model:translator --text \"the cat sleeps\" --decoder-text \"\" --summary --steps logits");
  EXPECT_NE(answer.err.find("The text is empty: <pad> stands alone"), std::string::npos) << answer.err;
  const Ran patched = cli("patch " + kStory + " --clean " + kTold + " --corrupt \"\" --over pos");
  EXPECT_EQ(patched.exit_code, 0) << patched.err;
}

TEST(Ask, the_other_way_and_texts_of_other_lengths) {
  const Json out = cli("patch " + kStory + " --json --over pos --direction noise --clean " + kTold +
                       " --corrupt " + "\"Today the cat sat on the mat because it was soft. So the\"")
                       .json();
  const auto rows = values_of(out["rows"]);
  EXPECT_LT(rows.at("blocks.0.resid_pre/pos10"), 0) << "soft, one token further in the other text";
  EXPECT_NEAR(rows.at("blocks.0.resid_pre/pos5"), out["base"]["clean"], 4) << "mat is mat";
  // Which positions were matched is said: the other text has one word more in front.
  const Json& aligned = out["alignment"][0];
  EXPECT_EQ(aligned["into"], "clean");
  EXPECT_EQ(aligned["from"], "corrupt");
  EXPECT_EQ(aligned["pairs"].size(), 13u) << aligned;
  EXPECT_EQ(aligned["pairs"][4], Json({5, 6}));
  EXPECT_EQ(aligned["alone_into"], Json::array({1})) << "The is not the";
  EXPECT_EQ(aligned["alone_from"], Json::array({1, 2}));
  const Ran text = cli("patch " + kStory + " --over pos --clean " + kTold +
                       " --corrupt \"Today the cat sat on the mat because it was soft. So the\"");
  EXPECT_NE(text.out.find(" <- "), std::string::npos) << text.out;
  EXPECT_EQ(cli("patch " + kStory + " --over pos --clean " + kTold + " --corrupt " + kSoft).out.find(" <- "),
            std::string::npos);
}

TEST(Ask, estimates_stand_beside_the_values) {
  const Json out = cli("ablate " + kStory +
                       " --json --estimate --steps '*mlp.out' --over pos --how scale:0.999 --text " + kTold)
                       .json();
  const double base = out["base"]["clean"];
  for (const Json& row : out["rows"])
    EXPECT_NEAR(double(row["estimate"]) - base, double(row["value"]) - base,
                1e-4 + 0.1 * std::fabs(double(row["value"]) - base))
        << row;
}

TEST(Ask, kl_is_from_the_run_that_is_asked_about) {
  const Json out = cli("ablate model:storyteller --measure kl --json --over head --text " + kTold).json();
  EXPECT_EQ(out["base"]["clean"], 0.0);
  for (const Json& row : out["rows"]) EXPECT_GE(double(row["value"]), 0.0);
  const Json patched =
      cli("patch model:storyteller --measure kl --json --clean " + kTold + " --corrupt " + kSoft).json();
  EXPECT_EQ(patched["base"]["clean"], 0.0);
  EXPECT_GT(double(patched["base"]["corrupt"]), 1.0);
  EXPECT_NEAR(double(patched["rows"][0]["value"]), 0.0, 1e-6)
      << "the whole stream before block 0 is the clean run";
}

TEST(Ask, what_a_part_asks_for_is_bounded_and_its_names_are_escaped) {
  const TempFolder folder;
  const std::string part = folder / "part.csv", out = folder / "out.csv";
  const auto write = [&](const std::string& rows) {
    std::ofstream(part) << "step,pos,value,index,whole\n" << rows;
  };
  write("clean,,1,,\nblocks.0.attn.z,0,0.5,0,2\nblocks.0.attn.z,500000000,0.5,1,2\n");
  expect_refused("merge " + part + " --out " + (folder / "x.npz"), 1, "blocks.0.attn.z");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npz"));
  EXPECT_EQ(cli("merge " + part + " --out " + out).exit_code, 0);
  write("clean,,1,,\nblocks.0.attn.z,0,0.5,0,2\nblocks.0.attn.z,9223372036854775807,0.5,1,2\n");
  expect_refused("merge " + part + " --out " + out, 1, "9223372036854775807");
  const std::string strange = "\"a,\"\"b\"\"\nc\"";  // a,"b" and a second line
  write("clean,,1,,\n" + strange + ",3,-nan,0,1\n");
  expect_refused("merge " + part + " --out " + out, 1, "a,");
  write("clean,,1,,\nblocks.0.attn.z,3,-nan,0,1\n");
  EXPECT_EQ(cli("merge " + part + " --out " + out).exit_code, 0);
  EXPECT_EQ(read_text(out), "step,pos,value,clean\nblocks.0.attn.z,3,nan,1\n");
}

TEST(Ask, shards_of_a_patch_and_of_a_data_set_are_merged_with_all_their_columns) {
  const TempFolder folder;
  const std::string words =
                        "patch model:storyteller --clean 'The cat was tired. So the' --corrupt "
                        "'The cat was soft. So the' --measure 'logit_diff: cat, mat' --over pos",
                    data =
                        "ablate model:storyteller --data task:storyteller --limit 3 --measure logit_diff "
                        "--steps 'blocks.*.attn.z' --over head --quantiles";
  for (const std::string& sweep : {words, data})
    for (const char* kind : {".csv", ".json"}) {
      const std::string whole = folder / (std::string("all") + kind),
                        one = folder / (std::string("1") + kind), two = folder / (std::string("2") + kind),
                        merged = folder / (std::string("m") + kind);
      EXPECT_EQ(cli(sweep + " --out " + whole).exit_code, 0);
      EXPECT_EQ(cli(sweep + " --shard 1/2 --out " + one).exit_code, 0);
      EXPECT_EQ(cli(sweep + " --shard 2/2 --out " + two).exit_code, 0);
      const Ran ran = cli("merge " + two + " " + one + " --out " + merged);
      EXPECT_EQ(ran.exit_code, 0) << ran.err;
      if (std::string(kind) == ".csv") {
        EXPECT_EQ(read_text(merged), read_text(whole)) << sweep;
      } else {
        EXPECT_EQ(Json::parse(read_text(merged))["rows"], Json::parse(read_text(whole))["rows"]) << sweep;
      }
    }
}

// The steps that have the axis, where none are named.
TEST(Ask, heads_and_neurons_are_asked_of_the_steps_that_have_them) {
  const std::string pair = kStory + " --json --clean " + kTold + " --corrupt " + kSoft;
  const auto same = [](const std::string& command, const std::string& steps) {
    const Ran own = cli(command), named = cli(command + " --steps '" + steps + "'");
    EXPECT_EQ(own.exit_code, 0) << own.err;
    EXPECT_EQ(own.json()["rows"], named.json()["rows"]) << command;
  };
  same("patch " + pair + " --over head,pos", "*blocks.*.attn.z");
  same("ablate " + kStory + " --json --text " + kTold + " --over d_mlp:64", "*blocks.*.mlp.post");
  expect_refused("patch " + pair + " --over head --steps 'blocks.*.mlp.out'", 1, "has no axis called head");
}

TEST(Ask, shards_are_merged) {
  const TempFolder folder;
  const std::string sweep = "ablate " + kStory + " --over head --estimate --text " + kTold;
  for (const char* kind : {".csv", ".npz", ".json"}) {
    const std::string whole = folder / (std::string("whole") + kind),
                      merged = folder / (std::string("merged") + kind);
    EXPECT_EQ(cli(sweep + " --out " + whole).exit_code, 0);
    std::string parts;
    for (int i = 1; i <= 3; ++i) {
      const std::string part = folder / (std::to_string(i) + kind);
      EXPECT_EQ(cli(sweep + " --shard " + std::to_string(i) + "/3 --out " + part).exit_code, 0);
      parts = " " + part + parts;
    }
    const Ran ran = cli("merge" + parts + " --out " + merged);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    if (std::string(kind) != ".npz") {
      EXPECT_EQ(read_text(merged), read_text(whole));
    } else {
      const auto a = *read_npz(whole), b = *read_npz(merged);
      ASSERT_EQ(a->infos().size(), b->infos().size());
      for (const TensorInfo& info : a->infos())
        EXPECT_EQ(a->load(info.name)->values(), b->load(info.name)->values()) << info.name;
      EXPECT_EQ(a->find("blocks.0.attn.z[head]")->shape, (std::vector<std::int64_t>{4}));
    }
    expect_refused("merge " + (folder / (std::string("1") + kind)) + " --out " + merged, 1,
                   "a part is missing");
    expect_refused("merge " + parts + " " + (folder / (std::string("1") + kind)) + " --out " + merged, 1,
                   "in two parts");
  }
  expect_refused("merge " + source_path("README.md") + " --out " + (folder / "x.csv"), 1,
                 "is no part of a sweep");
  // What JSON parts become is what would have been written at once, whatever the order of the axes.
  const std::string planes = "ablate " + kStory + " --text " + kTold +
                             " --steps blocks.1.attn.pattern --over query,key --how scale:0.5";
  EXPECT_EQ(cli(planes + " --out " + (folder / "planes.csv")).exit_code, 0);
  std::string parts;
  for (const char* part : {"1/2", "2/2"}) {
    parts += " " + (folder / (std::string(1, *part) + ".part"));
    const Ran ran = cli(planes + " --json --shard " + part);
    std::ofstream(folder / (std::string(1, *part) + ".part")) << ran.out;
  }
  EXPECT_EQ(cli("merge" + parts + " --out " + (folder / "merged_planes.csv")).exit_code, 0);
  const auto numbers = [](std::string csv) {  // what was run has another --json
    const std::size_t run = csv.find("\"{");
    return csv.erase(run, csv.rfind("}\"") + 2 - run);
  };
  EXPECT_EQ(numbers(read_text(folder / "merged_planes.csv")), numbers(read_text(folder / "planes.csv")));
  std::ofstream(folder / "damaged.json")
      << R"({"base": {}, "rows": [{"step": "embed", "at": {"pos": "x"}}]})";
  expect_refused("merge " + (folder / "damaged.json") + " --out " + (folder / "x.csv"), 1, "rows[0].at.pos");
}

TEST(Ask, parts_that_no_sweep_wrote_are_refused) {
  const TempFolder folder;
  const auto merged = [&](const Json& row, const Json& other, const std::string& why) {
    const Json base = {{"clean", 1.0}};
    std::ofstream(folder / "1.json") << Json{{"base", base}, {"rows", Json::array({row})}, {"whole", 2}};
    std::ofstream(folder / "2.json") << Json{{"base", base}, {"rows", Json::array({other})}, {"whole", 2}};
    expect_refused(
        "merge " + (folder / "1.json") + " " + (folder / "2.json") + " --out " + (folder / "x.csv"), 1, why);
  };
  const auto row = [](const std::string& step, const Json& at, std::int64_t index) {
    return Json{{"step", step}, {"at", at}, {"value", 1.0}, {"index", index}};
  };
  const std::string z = "blocks.0.attn.z";
  const Json head0 = row(z, {{"head", 0}}, 0), head1 = row(z, {{"head", 1}}, 1);
  merged(head0, row(z, {{"head", 0}}, 1), "is there twice");
  merged(row(z, {{"pos", 1}}, 0), row(z, {{"query", 1}}, 1), "is there twice");
  merged(head0, row(z, {{"head", 1}}, -1), "has the index -1");
  merged(head0, row(z, {{"head", 1}}, 1000000000000000000), "has the index 1000000000000000000");
  merged(head0, row(z, {{"banana", 1}}, 1), "has no axis \"banana\"");
  merged(head0, row(z, {{"query", 1}}, 1), "by other axes");
  merged(head0, row("blocks.0.attn.zz", {{"head", 1}}, 1), "blocks.0.attn.zz");
  Json nowhere = head1;
  nowhere.erase("at");
  merged(head0, nowhere, "rows[0]");
  std::ofstream(folder / "a.csv") << "step,kind,head,value,index,whole\nclean,base,,1,,2\n"
                                  << z << ",place,0,1,0,2\n"
                                  << z << ",place,1,1,,2\n";
  expect_refused("merge " + (folder / "a.csv") + " --out " + (folder / "x.csv"), 1, "a.csv");
  std::ofstream(folder / "b.csv") << "step,head,value,index,whole\nclean,,1,,1\n" << z << ",0,1,,1\n";
  expect_refused("merge " + (folder / "b.csv") + " --out " + (folder / "x.csv"), 1, "without an index");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.csv"));
}

// One row of names, one kind of value in each column, a row per place and no other.
TEST(Ask, a_csv_is_a_table_as_it_stands) {
  const TempFolder folder;
  const std::string file = folder / "groups.csv";
  ASSERT_EQ(cli("ablate " + kStory + " --text " + kTold +
                " --steps blocks.1.mlp.post --over d_mlp:100 --out " + file)
                .exit_code,
            0);
  const std::vector<std::string> lines = split(read_text(file), '\n');
  EXPECT_EQ(lines[0], "step,d_mlp,d_mlp_last,value,clean,run");
  EXPECT_TRUE(lines[1].starts_with("blocks.1.mlp.post,0,99,")) << lines[1];
  EXPECT_TRUE(lines[3].starts_with("blocks.1.mlp.post,200,255,")) << lines[3];
}

TEST(Ask, steps_and_edits_name_the_same_places) {
  const std::string story = "ablate " + kStory + " --json --text " + kTold;
  const Json some = cli(story + " --steps 'blocks.*.attn.z[head=1-2,pos=3-5]' --over pos").json();
  ASSERT_EQ(some["rows"].size(), 6u);
  EXPECT_EQ(some["rows"][0]["at"], Json({{"head", "1-2"}, {"pos", 3}}));
  const Ran edited = cli(story + " --over head --edit 'blocks.*.attn.z[head=1-2,pos=3-5]=0'");
  ASSERT_EQ(edited.exit_code, 0) << edited.err;
  EXPECT_EQ(edited.json()["edits"],
            Json({"blocks.0.attn.z[head=1-2,pos=3-5]=0", "blocks.1.attn.z[head=1-2,pos=3-5]=0"}));
  const TempFolder folder;
  const std::string npz = folder / "part.npz";
  ASSERT_EQ(cli("trace model:storyteller --text " + kTold +
                " --steps 'blocks.0.attn.z[head=1-2,pos=3]' --out " + npz)
                .exit_code,
            0);
  const auto part = (*read_npz(npz))->load("blocks.0.attn.z[head=1-2,pos=3]");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->rank(), 2);
  EXPECT_EQ(part->size(0), 2);
}

// Python's own reader takes the tables as they are; pandas, where it is there, too.
TEST(Ask, a_table_opens_in_python) {
  if (std::system("python3 -c 'import csv' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const TempFolder folder;
  const std::string table = folder / "table.csv", script = folder / "read.py";
  ASSERT_EQ(cli("ablate " + kStory + " --over head --text " + kTold + " --out " + table).exit_code, 0);
  std::ofstream(script) << R"(
import csv, sys
with open(sys.argv[1], newline="") as file:
    reader = csv.DictReader(file, strict=True)
    rows = list(reader)
    assert reader.fieldnames[0] == "step" and {"value", "clean"} <= set(reader.fieldnames)
assert len(rows) == 8, len(rows)
assert all(None not in row and None not in row.values() for row in rows), "every row has every column"
assert all(int(row["head"]) >= 0 and float(row["value"]) == float(row["value"]) for row in rows)
try:
    import pandas
except ImportError:
    sys.exit(0)
frame = pandas.read_csv(sys.argv[1])
assert len(frame) == len(rows) and frame["value"].dtype.kind == "f", frame.dtypes
)";
  const std::string told = folder / "told";
  const int status = std::system(("python3 " + script + " " + table + " 2>" + told).c_str());
  EXPECT_EQ(status, 0) << read_text(told) << read_text(table).substr(0, 400);
}

TEST(Ask, a_flag_that_would_change_nothing_is_refused) {
  const std::string story = " model:storyteller --text 'The cat sat'", of = " --measure logit:cat";
  for (const char* command : {"ablate", "attribute"})
    for (const char* flag : {"--each", "--quantiles", "--where a=b", "--limit 3", "--seed 4"})
      expect_refused(command + story + of + " " + flag, 2, "--data");
  for (const char* flag : {"--qk", "--least 0.3"})
    expect_refused("attribute" + story + of + " " + flag, 2, "--graph");
  expect_refused("heads" + story + " --at 1", 2, "--measure");
  expect_refused("probe model:storyteller --at 1", 2, "--data");
  expect_refused("probe model:storyteller --data task:storyteller --texts 40", 2, "--data");
  expect_refused("probe model:storyteller --data task:storyteller --what token --at 2", 1, "--at");
  expect_refused("circuit model:storyteller --measure logit_diff --best 2 --to logits", 1, "--parts edges");
  const std::string more = "generate" + story + " --max-new-tokens 2 ";
  for (const char* flag : {"--top-k 2", "--top-p 0.5", "--min-p 0.5", "--seed 4"})
    expect_refused(more + flag, 1, "--temperature");
  expect_refused(more + "--length-penalty 2", 2, "--beams");
  expect_refused(more + "--beams 2 --seed 3", 1, "seed");
  EXPECT_EQ(cli(more + "--temperature 0 --top-k 2").exit_code, 0);
  const std::string pairs = "path" + story + of + " --from blocks.0.attn.z --to blocks.1.attn.q --json";
  EXPECT_EQ(cli(pairs + " --over head").json()["rows"], cli(pairs).json()["rows"])
      << "heads are always alone";
}

TEST(Ask, refusals_say_what_to_do) {
  expect_refused("ablate " + kStory + " --text " + kTold + " --how half", 1, "scale:F");
  expect_refused("ablate " + kStory + " --text " + kTold + " --over neuron", 1, "has no axis called neuron");
  expect_refused("ablate " + kStory + " --text " + kTold + " --steps blocks.9.attn.z", 1,
                 "No step of this run");
  expect_refused("ablate " + kStory + " --text " + kTold + " --steps 'blocks.*.atn.z'", 1, "blocks.*.attn.z");
  expect_refused(
      "trace " + kStory.substr(0, kStory.find(" --")) + " --text " + kTold + " --edit blocks.1.atn.z=0", 1,
      "Nearest: blocks.1.attn.z");
  expect_refused("trace " + kStory.substr(0, kStory.find(" --")) + " --text " + kTold +
                     " --edit 'blocks.0-7.attn.z[head=1]=0'",
                 1, "2 blocks");
  expect_refused("attribute model:storyteller --measure logit:catt --text " + kTold, 1, "\"cat\"");
  for (const char* shard : {"4/3", "0/3", "-1/3", "1/0", "1", "1/3/2", "4294967297/4294967299",
                            "18446744073709551617/3", "1e0/3x", "/", "a/b"})
    expect_refused("ablate " + kStory + " --text " + kTold + " --shard=" + shard, 1, "--shard");
  expect_refused("attribute model:storyteller --measure \"logit:unhappiness\" --text " + kTold, 1,
                 "unhappiness");
  expect_refused("attribute model:storyteller --measure kl --text " + kTold, 1, "logit");
  expect_refused("ablate scene:nine_steps --measure logit:#1 --over head", 1, "no logits");
  expect_refused("patch " + kStory + " --clean " + kTold, 1, "--corrupt-text");
  expect_refused("patch " + source_path("tests/golden/models/gpt2") +
                     " --measure logit:#3 --clean-ids 1,2,7 --corrupt-ids 3,4 --over pos",
                 1, "No token of the two texts belongs together");
}

TEST(Ask, edits_that_make_nan_are_allowed_and_located) {
  const Ran ran =
      cli("ablate model:storyteller --measure logit:cat --over head --text " + kTold +
          " --edit blocks.0.attn.z[head=1,query=3]=3e38 --edit blocks.0.attn.z[head=1,query=3]*=3e38");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("blocks.0.attn.z[head=1,query=3"), std::string::npos) << ran.err;
  EXPECT_NE(ran.out.find("nan"), std::string::npos) << ran.out;
}

TEST(Ask, whatever_is_written_of_an_edited_run_says_so) {
  const TempFolder folder;
  const std::string edit = " --edit 'blocks.1.attn.z[head=3]=0'", story = " --text " + kTold;
  for (const char* kind : {"run.safetensors", "run.npz"}) {
    const std::string file = folder / kind;
    ASSERT_EQ(cli("trace model:storyteller" + story + edit + " --out " + file).exit_code, 0);
    const Ran told = cli("info " + file);
    EXPECT_NE((told.out + told.err).find("blocks.1.attn.z[head=3]=0"), std::string::npos) << told.out;
  }
  const std::string graph = folder / "graph.json";
  EXPECT_EQ(cli("attribute " + kStory + story + edit + " --graph " + graph).exit_code, 0);
  EXPECT_EQ(Json::parse(read_text(graph))["metadata"]["attnscope"]["edits"], "blocks.1.attn.z[head=3]=0");
  const Json edits = Json::array({"blocks.1.attn.z[head=3]=0"});
  EXPECT_EQ(cli("ablate " + kStory + story + edit + " --json --over head").json()["edits"], edits);
  EXPECT_EQ(cli("heads model:storyteller" + story + edit + " --json").json()["edits"], edits);
  EXPECT_EQ(cli("rollout model:storyteller" + story + edit + " --json").json()["edits"], edits);
  const std::string next = "generate model:storyteller --json --max-new-tokens 1";
  EXPECT_EQ(cli(next + story + edit).json()["edits"], edits);
  EXPECT_FALSE(cli(next + story).json().contains("edits"));
}

// In every row of a CSV, as bytes in an .npz, and parts of other edits do not belong together.
TEST(Ask, files_of_answers_say_what_was_edited) {
  const TempFolder folder;
  const std::string sweep = "ablate " + kStory + " --over head --text " + kTold,
                    one = " --edit 'blocks.0.attn.z[head=1,query=3]=0'",
                    two = one + " --edit 'blocks.1.mlp.out*=0.5'";
  for (const std::string kind : {".csv", ".npz"}) {
    const std::string whole = folder / ("whole" + kind), merged = folder / ("merged" + kind),
                      first = folder / ("1" + kind), second = folder / ("2" + kind);
    ASSERT_EQ(cli(sweep + two + " --out " + whole).exit_code, 0);
    ASSERT_EQ(cli(sweep + two + " --shard 1/2 --out " + first).exit_code, 0);
    ASSERT_EQ(cli(sweep + two + " --shard 2/2 --out " + second).exit_code, 0);
    ASSERT_EQ(cli("merge " + first + " " + second + " --out " + merged).exit_code, 0);
    if (kind == ".csv") {
      EXPECT_EQ(read_text(merged), read_text(whole));
      const std::vector<std::string> lines = split(read_text(whole), '\n');
      EXPECT_EQ(lines[0], "step,head,value,clean,edits,run");
      for (std::size_t i = 1; i + 1 < lines.size(); ++i)
        EXPECT_NE(lines[i].find(",\"blocks.0.attn.z[head=1,query=3]=0; blocks.1.mlp.out*=0.5\","),
                  std::string::npos)
            << lines[i];
    } else {
      EXPECT_EQ((*read_npz(merged))->load_ints("edits")->size(), 55u);
    }
    ASSERT_EQ(cli(sweep + one + " --shard 2/2 --out " + second).exit_code, 0);
    expect_refused("merge " + first + " " + second + " --out " + merged, 1, "different sweeps");
  }
  const std::string patched = folder / "patch.csv";
  ASSERT_EQ(cli("patch " + kStory + " --clean " + kTold + " --corrupt " + kTold +
                " --over pos --corrupt-edit 'blocks.0.attn.z[head=1]=0' --out " + patched)
                .exit_code,
            0);
  EXPECT_TRUE(
      read_text(patched).starts_with("step,pos,value,into_token,from_pos,from_token,clean,corrupt,corrupt_"
                                     "edits,run\nblocks.0.resid_pre,0,"));
}

TEST(Ask, heads_of_a_recording_are_ranked_and_its_sweeps_refused) {
  const TempFolder folder;
  const std::string file = folder / "run.safetensors";
  ASSERT_EQ(cli("trace model:storyteller --text " + kTold + " --out " + file).exit_code, 0);
  EXPECT_NE(cli("heads " + file + " --by previous").out.find("blocks.1.attn.pattern[head=3]"),
            std::string::npos);
  EXPECT_NE(cli("rollout " + file).out.find(" key  block "), std::string::npos);
  expect_refused("ablate " + file + " --measure logit:#5 --over head", 1, "recording");
}

TEST(Ask, a_direction_from_a_file_names_its_array) {
  const TempFolder folder;
  const std::string file = folder / "row.npz", ask = "ablate " + kStory + " --json --text " + kTold +
                                                     " --edit blocks.0.resid_post[pos=13]+=@dir:" + file;
  ASSERT_EQ(
      cli("trace model:storyteller --text " + kTold + " --steps blocks.0.resid_post[pos=6] --out " + file)
          .exit_code,
      0);
  expect_refused(ask, 1, "It has \"");
  const double steered = cli(ask + ":blocks.0.resid_post[pos=6]*2").json()["base"]["clean"];
  EXPECT_LT(steered, 0) << "as at the mat";
}

TEST(Ask, a_direction_of_two_runs_leads_from_one_to_the_other) {
  const std::string story = "trace model:storyteller --text " + kTold +
                            " --text \"The cat sat on the mat because it was soft. So the\"";
  const std::string edit = " --edit 'blocks.1.resid_pre+=@dir:run:1-0' --summary --steps blocks.1.resid_pre";
  const Ran moved = cli(story + edit);
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  expect_refused(story + " --edit 'blocks.1.resid_pre+=@dir:run:7'", 1, "7");
  expect_refused(story + " --edit 'blocks.1.resid_pre+=@dir:cat-matt'", 1, "\"matt\"");
}

TEST(Generate, an_edit_without_a_place_is_refused_as_by_trace) {
  for (const char* command : {"trace", "generate --max-new-tokens 2"})
    expect_refused(std::string(command) + " model:storyteller --text cat --edit blocks.0.attn.z[head=9]=0", 1,
                   "has no place for the edit");
  // A position that is only written on the way.
  EXPECT_EQ(cli("generate model:storyteller --text \"The cat\" --max-new-tokens 3 --edit "
                "blocks.0.resid_post[pos=4]=0")
                .exit_code,
            0);
}

TEST(Compare, a_run_and_its_recording_agree_until_one_is_edited) {
  const TempFolder folder;
  const std::string file = folder / "run.safetensors", input = " --text " + kTold;
  ASSERT_EQ(cli("trace model:storyteller" + input + " --out " + file).exit_code, 0);
  const Json same = cli("compare model:storyteller " + file + input + " --json").json();
  EXPECT_EQ(same["first"], nullptr);
  EXPECT_TRUE(same["not_compared"].empty()) << same["not_compared"];
  for (const Json& step : same["steps"]) EXPECT_EQ(step["max_abs"], 0.0) << step;
  const Ran edited =
      cli("compare model:storyteller " + file + input + " --json --edit blocks.1.attn.z[head=2,pos=3]+=0.5");
  EXPECT_EQ(edited.exit_code, 1);
  const Json out = Json::parse(edited.out);
  EXPECT_EQ(out["first"], "blocks.1.attn.z");
  for (const Json& step : out["steps"])
    if (step["step"] == "blocks.1.attn.z") {
      EXPECT_NEAR(double(step["max_abs"]), 0.5, 1e-6);
      EXPECT_EQ(step["at"]["head"], 2);
      EXPECT_EQ(step["at"]["query"], 3);
    }
  EXPECT_NE(edited.err.find("blocks.1.attn.z is the first step"), std::string::npos) << edited.err;
}

TEST(Compare, a_recording_of_another_length_is_compared_where_the_tokens_are_the_same) {
  const TempFolder folder;
  const std::string file = folder / "run.safetensors";
  ASSERT_EQ(cli("trace model:storyteller --text \"The cat sat on the mat\" --out " + file).exit_code, 0);
  const Json out = cli("compare " + file + " model:storyteller --json --text \"The cat sat\"").json();
  EXPECT_TRUE(out["not_compared"].empty()) << out["not_compared"];
  EXPECT_EQ(out["first"], nullptr) << "a causal model does not see what follows";
  EXPECT_EQ(out["tokens_differ"]["pos"], 4) << out["tokens_differ"];
  EXPECT_EQ(out["tokens_differ"]["second"], nullptr) << "the other run has ended";
  EXPECT_EQ(cli("compare " + file + " model:storyteller --text \"The cat sat\"").exit_code, 1);
  EXPECT_EQ(out["steps"][0]["alone"], 3);
}

TEST(Compare, a_recording_of_another_text_names_the_token) {
  const TempFolder folder;
  const std::string file = folder / "run.safetensors";
  ASSERT_EQ(cli("trace model:storyteller --text \"The cat sat on the mat\" --out " + file).exit_code, 0);
  const Ran ran = cli("compare model:storyteller " + file + " --text \"The dog sat on the mat\"");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("tokens[pos=2]"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("\"dog\""), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("\"cat\""), std::string::npos) << ran.err;
  const Ran two = cli("compare model:storyteller " + file +
                      " --text \"The cat sat on the mat\" --text \"The dog\" --json");
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_EQ(Json::parse(two.out)["sequences"], Json({2, 1}));
}

// Tokens of two vocabularies by what they spell, and what has no partner is said.
TEST(Compare, two_vocabularies_are_compared_where_they_spell_the_same) {
  const Ran ran = cli("compare model:storyteller model:gap-filler --text \"The cat sat on the mat\"");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.out.find("without a partner in the other run"), std::string::npos) << ran.out;
  const auto told = [](const Ran& one) {
    std::size_t count = 0;
    for (const std::string& line : split(one.out, '\n'))
      count += line.find("not compared") != std::string::npos;
    return count;
  };
  EXPECT_EQ(told(ran), 1u) << ran.out;
  EXPECT_GT(told(cli("compare model:storyteller model:gap-filler --all --text \"The cat sat on the mat\"")),
            1u);
}

TEST(Compare, models_of_other_sizes_say_what_cannot_be_compared) {
  const Ran ran = cli("compare " + source_path("tests/golden/models/gpt2") + " " +
                      source_path("tests/golden/models/llama") + " --ids 1,2,3 --json");
  EXPECT_EQ(ran.exit_code, 1);
  const Json out = Json::parse(ran.out);
  EXPECT_FALSE(out["not_compared"].empty());
}

}  // namespace
}  // namespace attnscope
