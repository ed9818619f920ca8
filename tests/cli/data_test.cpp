// Questions over a data set from the outside: means against single runs, values of other prompts against what
// they hold, files that are no data sets.
#include <cmath>
#include <fstream>
#include <map>
#include <thread>

#include "core/base/text.h"
#include "core/io/npy.h"
#include "core/io/writers.h"
#include "core/session/asking.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kStoryteller = "model:storyteller", kHeads = " --steps 'blocks.*.attn.z' --over head";

struct Prompt {
  std::string text, answer, wrong;
};
const std::vector<Prompt> kPrompts{
    {"The cat sat on the mat because it was tired. So the", "cat", "mat"},
    {"The dog lay on the rug because it was soft. So the", "rug", "dog"},
    {"The fox stood on the bench because it was lazy. So the", "fox", "bench"}};

std::string lines_of(const std::vector<Prompt>& prompts) {
  std::string out;
  for (const Prompt& one : prompts)
    out +=
        Json{{"text", one.text}, {"answer", one.answer}, {"wrong", one.wrong}, {"kind", one.answer}}.dump() +
        "\n";
  return out;
}

std::string place_in_data(const Json& row) { return row["step"].get<std::string>() + row["at"].dump(); }

std::map<std::string, Json> rows_of(const Json& answer, const char* list = "rows") {
  std::map<std::string, Json> out;
  for (const Json& row : answer[list]) out[place_in_data(row)] = row;
  EXPECT_EQ(out.size(), answer[list].size());
  return out;
}

class Data : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string prompts() const { return file("prompts.jsonl", lines_of(kPrompts)); }
  static Json alone(const std::string& command, const Prompt& one, const std::string& rest) {
    return cli(command + " " + kStoryteller + " --json --measure 'logit_diff:" + one.answer + "," +
               one.wrong + "' --text '" + one.text + "'" + rest)
        .json();
  }
  Json over(const std::string& command, const std::string& rest) const {
    const Ran ran =
        cli(command + " " + kStoryteller + " --json --measure logit_diff --data " + prompts() + rest);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.json();
  }
  const TempFolder folder_;
};

TEST_F(Data, a_row_is_the_mean_of_the_same_row_of_each_prompt) {
  for (const std::string& rest : {kHeads, kHeads + ",pos"}) {
    const Json all = over("ablate", rest);
    std::vector<std::map<std::string, Json>> single;
    double base = 0;
    for (const Prompt& one : kPrompts) {
      const Json answer = alone("ablate", one, rest);
      single.push_back(rows_of(answer));
      base += answer["base"]["clean"].get<double>() / 3;
    }
    EXPECT_NEAR(all["base"]["clean"], base, 1e-9);
    const auto rows = rows_of(all);
    ASSERT_EQ(rows.size(), single[0].size());
    for (const auto& [where, row] : rows) {
      double mean = 0, squares = 0;
      for (const auto& one : single) mean += one.at(where)["value"].get<double>() / 3;
      for (const auto& one : single) squares += std::pow(one.at(where)["value"].get<double>() - mean, 2);
      EXPECT_NEAR(row["value"], mean, 1e-9) << where;
      EXPECT_NEAR(row["stderr"], std::sqrt(squares / 2 / 3), 1e-9) << where;
      EXPECT_EQ(row["n"], 3);
    }
  }
}

// Estimates too, and whatever the prompts of the same file are.
TEST_F(Data, one_prompt_is_the_single_question_bit_for_bit) {
  for (const char* command : {"ablate", "attribute"}) {
    const std::string rest = command == std::string("ablate") ? kHeads + ",pos --estimate" : " --by head",
                      list = command == std::string("ablate") ? "rows" : "parts";
    const Json one = over(command, rest + " --where kind=rug");
    const Json single = alone(command, kPrompts[1], rest);
    const auto rows = rows_of(one, list.c_str());
    for (const auto& [where, row] : rows_of(single, list.c_str())) {
      EXPECT_EQ(rows.at(where)["value"], row["value"]) << where;
      EXPECT_EQ(rows.at(where).value("estimate", Json()), row.value("estimate", Json())) << where;
      EXPECT_EQ(rows.at(where)["n"], 1);
      EXPECT_TRUE(rows.at(where).value("stderr", Json(0)).is_null()) << "one number has no spread";
    }
  }
}

TEST_F(Data, mean_is_one_vector_per_place_over_all_prompts_and_positions) {
  std::vector<double> sum(16, 0);
  std::int64_t count = 0;
  for (const Prompt& one : kPrompts) {
    const std::string npz = folder_ / "z.npz";
    ASSERT_EQ(cli("trace " + kStoryteller + " --steps 'blocks.0.attn.z[head=2]' --text '" + one.text +
                  "' --out " + npz)
                  .exit_code,
              0);
    const auto values = (*read_npz(npz))->load("blocks.0.attn.z[head=2]")->values();
    for (std::size_t i = 0; i < values.size(); ++i) sum[i % 16] += static_cast<double>(values[i]);
    count += static_cast<std::int64_t>(values.size()) / 16;
  }
  std::vector<float> mean;
  for (const double one : sum) mean.push_back(static_cast<float>(one / static_cast<double>(count)));
  const std::string vector = folder_ / "mean.npz";
  ASSERT_TRUE(write_npz(vector, {{"mean", Tensor::from(mean, {{Axis::d_head, 16}})}}, {}));
  double wanted = 0;
  for (const Prompt& one : kPrompts)
    wanted += alone("ablate", one,
                    kHeads + " --edit 'blocks.0.attn.z[head=2]=@" + vector + ":mean'")["base"]["clean"]
                  .get<double>() /
              3;
  const auto rows = rows_of(over("ablate", kHeads + " --how mean"));
  EXPECT_NEAR(rows.at("blocks.0.attn.z{\"head\":2}")["value"], wanted, 1e-5);
}

TEST_F(Data, mean_by_position_needs_one_length) {
  const auto rows = rows_of(over("ablate", kHeads + " --how mean:pos --limit 2"));
  const Json first = over("ablate", kHeads + " --how mean:pos --limit 1");
  for (const auto& [where, row] : rows_of(first))
    EXPECT_NEAR(row["value"], first["base"]["clean"], 1e-4) << "the mean of one prompt is that prompt";
  EXPECT_EQ(rows.size(), 8u);
  const std::string uneven =
      file("uneven.jsonl", lines_of({kPrompts[0], {"The cat sat. So the", "cat", "mat"}}));
  for (const char* rest : {" --how mean:pos", ",pos"})
    expect_refused("ablate " + kStoryteller + " --measure logit_diff --data " + uneven + kHeads + rest, 1,
                   "line 2");
}

// The same numbers as an edit that every prompt is run under: its run is the swept cell's.
TEST_F(Data, edits_take_the_mean_or_another_prompt_of_the_data_set) {
  const std::string place = "blocks.1.attn.z[head=3]";
  for (const std::string how : {"mean", "resample"}) {
    const std::string seed = how == "resample" ? " --seed 5" : "";
    const Json swept = over("ablate", " --steps '" + place + "' --over head --each --how " + how + seed),
               edited = over("ablate", " --steps 'blocks.0.attn.z[head=0]' --over head --each --edit '" +
                                           place + "=" + how + "'" + seed);
    ASSERT_EQ(swept["each"].size(), kPrompts.size());
    ASSERT_EQ(edited["each"].size(), kPrompts.size());
    for (std::size_t i = 0; i < kPrompts.size(); ++i) {
      EXPECT_EQ(edited["each"][i]["clean"], swept["each"][i]["value"]) << how << i;
      EXPECT_NE(edited["each"][i]["clean"], swept["each"][i]["clean"]) << how << i;
      EXPECT_EQ(edited["each"][i]["prompt"], i + 1);
    }
  }
  const std::string over_positions =
      cli("ablate " + kStoryteller + " --json --measure logit_diff:cat,mat --text '" + kPrompts[0].text +
          "' --steps 'blocks.0.attn.z[head=0]' --over head --edit '" + place + "=mean'")
          .out;
  EXPECT_NE(over_positions.find(place + "=mean\""), std::string::npos) << over_positions;
  expect_refused("trace " + kStoryteller + " --steps embed --text 'The cat' --edit '" + place + "=resample'",
                 1, "data set");
}

// A scene names a data set as a session carries one.
TEST_F(Data, a_scene_brings_its_own) {
  const TempFolder folder;
  Json scene = Json::parse(read_text(source_path("assets/scenes/tiny_gpt.json")));
  scene["data"] = "p.jsonl";
  const std::string path = folder / "s.json", prompts = folder / "p.jsonl";
  std::ofstream(path) << scene;
  const std::string ask = "ablate " + path + " --json --measure logit_diff" + kHeads + " --data ";
  expect_refused(ask + "session", 1, "p.jsonl");
  std::ofstream(prompts) << Json{{"ids", {1, 2, 3}}, {"answer", "#4"}, {"wrong", "#5"}}.dump() << "\n"
                         << Json{{"ids", {2, 3, 1}}, {"answer", "#4"}, {"wrong", "#6"}}.dump() << "\n";
  const Json own = cli(ask + "session").json(), named = cli(ask + prompts).json();
  EXPECT_EQ(own["rows"], named["rows"]);
  EXPECT_EQ(own["rows"][0]["n"], 2);
  expect_refused(ask + "session --limit 1", 1, "--limit");
  expect_refused("ablate scene:tiny_gpt --measure logit_diff --data session", 1, "no data set");
}

// Lines are those of the file, whichever prompts stay.
TEST_F(Data, lines_are_counted_in_one_way) {
  const TempFolder folder;
  const std::string path = folder / "p.jsonl";
  std::ofstream file(path);
  for (const char* text : {"The cat was tired. So the", "The cat sat", "The dog was tired. So the"})
    file << Json{{"text", text}, {"answer", "cat"}, {"wrong", "mat"}}.dump() << "\n";
  file.close();
  const Json all = cli("ablate " + kStoryteller + " --json --measure logit_diff" + kHeads + " --data " +
                       path + " --how resample --seed 5 --each")
                       .json();
  EXPECT_EQ(all["run"]["resampled_into"], Json({1, 3})) << "the second has no other prompt of its length";
  EXPECT_EQ(all["run"]["resampled"], Json({3, 1}));
  for (const Json& row : all["each"]) EXPECT_EQ(row["line"], row["prompt"] == 1 ? 1 : 3);
}

TEST_F(Data, resample_takes_what_the_drawn_prompt_holds) {
  const Json all = over("ablate", kHeads + " --how resample --seed 5 --each");
  EXPECT_EQ(all["run"]["seed"], 5);
  ASSERT_EQ(all["run"]["resampled"].size(), 3u);
  for (std::size_t i = 0; i < kPrompts.size(); ++i) {
    const auto line = all["run"]["resampled"][i].get<std::size_t>();
    EXPECT_NE(line, i + 1) << "another prompt";
    EXPECT_EQ(all["run"]["resampled_into"][i], i + 1);
    const Prompt &own = kPrompts[i], &other = kPrompts[line - 1];
    const Json patched =
        cli("patch " + kStoryteller + " --json --measure 'logit_diff:" + own.answer + "," + own.wrong +
            "' --direction denoise --clean '" + other.text + "' --corrupt '" + own.text + "'" + kHeads)
            .json();
    const auto wanted = rows_of(patched);
    int seen = 0;
    for (const Json& row : all["each"]) {
      if (row["prompt"] != i + 1) continue;
      ++seen;
      EXPECT_EQ(row["value"], wanted.at(place_in_data(row))["value"]) << place_in_data(row);
    }
    EXPECT_EQ(seen, 8);
  }
  EXPECT_EQ(over("ablate", kHeads + " --how resample --seed 5")["rows"], all["rows"]);
}

TEST_F(Data, pairs_are_patched_and_have_a_scale) {
  std::string lines;
  const std::vector<std::pair<std::string, std::string>> pairs{{"tired", "soft"}, {"lazy", "cozy"}};
  for (const auto& [reason, other] : pairs)
    lines += Json{{"clean", "The cat sat on the mat because it was " + reason + ". So the"},
                  {"corrupt", "The cat sat on the mat because it was " + other + ". So the"},
                  {"answer", "cat"},
                  {"wrong", "mat"}}
                 .dump() +
             "\n";
  const std::string data = file("pairs.jsonl", lines), rest = " --steps blocks.1.attn.z --over head";
  for (const char* direction : {" --direction denoise", " --direction noise"}) {
    const Ran ran = cli("patch " + kStoryteller + " --json --normalise --measure logit_diff --data " + data +
                        rest + direction);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const Json all = ran.json();
    std::map<std::string, double> mean;
    double clean = 0, corrupt = 0;
    for (const auto& [reason, other] : pairs) {
      const auto text = [](const std::string& word) {
        return "'The cat sat on the mat because it was " + word + ". So the'";
      };
      const Json one = cli("patch " + kStoryteller + " --json --measure logit_diff:cat,mat --clean " +
                           text(reason) + " --corrupt " + text(other) + rest + direction)
                           .json();
      for (const Json& row : one["rows"]) mean[place_in_data(row)] += row["value"].get<double>() / 2;
      clean += one["base"]["clean"].get<double>() / 2, corrupt += one["base"]["corrupt"].get<double>() / 2;
    }
    EXPECT_NEAR(all["base"]["clean"], clean, 1e-9);
    EXPECT_NEAR(all["base"]["corrupt"], corrupt, 1e-9);
    for (const Json& row : all["rows"]) {
      EXPECT_NEAR(row["value"], mean.at(place_in_data(row)), 1e-9);
      EXPECT_NEAR(row["normalised"], (mean.at(place_in_data(row)) - corrupt) / (clean - corrupt), 1e-9);
    }
  }
}

TEST_F(Data, positions_from_the_end_belong_together) {
  const std::string uneven = file(
      "uneven.jsonl",
      lines_of({kPrompts[0], {"Today the dog lay on the rug because it was soft. So the", "rug", "dog"}}));
  const Json all = cli("ablate " + kStoryteller + " --json --measure logit_diff --data " + uneven +
                       " --steps 'blocks.1.attn.z[pos=-1]' --over head")
                       .json();
  ASSERT_EQ(all["rows"].size(), 4u);
  for (const Json& row : all["rows"]) {
    EXPECT_EQ(row["at"]["pos"], -1);
    EXPECT_EQ(row["n"], 2);
  }
}

TEST_F(Data, ids_csv_txt_and_a_pipe_are_the_same_prompts) {
  const Json lines = over("ablate", kHeads);
  std::string csv = "text,answer,wrong,note\n", txt, ids;
  for (const Prompt& one : kPrompts) {
    csv += "\"" + one.text + "\"," + one.answer + "," + one.wrong + ",\"two\nlines, \"\"quoted\"\"\"\r\n";
    txt += one.text + "\n\n";
  }
  for (const Json& prompt : {Json::array({0, 4, 13, 63, 64, 5, 26, 8, 25, 9, 75})})
    ids += Json{{"ids", prompt}, {"answer", "#13"}, {"wrong", "#26"}}.dump() + "\n";
  const std::string ask = "ablate " + kStoryteller + " --json --measure logit_diff" + kHeads + " --data ";
  EXPECT_EQ(cli(ask + file("a.csv", csv)).json()["rows"], lines["rows"]);
  EXPECT_EQ(cli(ask + "/dev/stdin < " + prompts()).json()["rows"], lines["rows"]);
  EXPECT_EQ(cli("ablate " + kStoryteller + " --json --how mean --measure logit_diff" + kHeads +
                " --data /dev/stdin < " + prompts())
                .json()["rows"],
            over("ablate", kHeads + " --how mean")["rows"])
      << "read twice";
  const Json numbered = cli(ask + file("i.jsonl", ids)).json();
  const Json named = cli("ablate " + kStoryteller + " --json --measure logit_diff:#13,#26" + kHeads +
                         " --ids 0,4,13,63,64,5,26,8,25,9,75")
                         .json();
  for (std::size_t i = 0; i < named["rows"].size(); ++i)
    EXPECT_EQ(numbered["rows"][i]["value"], named["rows"][i]["value"]);
  const Json texts = cli("ablate " + kStoryteller + " --json --measure logit_diff:cat,mat" + kHeads +
                         " --data " + file("t.txt", txt))
                         .json();
  EXPECT_EQ(texts["run"]["data"]["prompts"], 3);
}

TEST_F(Data, a_task_gives_prompts_that_its_model_answers) {
  for (const char* name :
       {"storyteller", "storyteller-llama", "induction", "sorter", "translator", "gap-filler", "pilot"}) {
    const Ran ran =
        cli(std::string("ablate model:") + name + " --json --measure logit_diff --data task:" + name +
            " --limit 20 --steps '*blocks.0.attn.z'");
    ASSERT_EQ(ran.exit_code, 0) << name << ran.err;
    const Json out = ran.json();
    EXPECT_GT(out["base"]["clean"], 2.0) << name;
    EXPECT_EQ(out["rows"][0]["n"], 20) << name;
  }
  const std::string ask =
      "patch model:storyteller --json --measure logit_diff --data task:storyteller --limit 20 "
      "--steps 'blocks.1.attn.z' --over head";
  const Json first = cli(ask).json();
  EXPECT_LT(first["base"]["corrupt"], -2.0);
  EXPECT_EQ(cli(ask).json(), first);
  EXPECT_NE(cli(ask + " --seed 1").json()["rows"], first["rows"]);
  // The same picture with the words for another thing: the hand goes there, in one language as in the other.
  const Json seen = cli("patch model:pilot --json --measure logit_diff --data task:pilot --limit 20 "
                        "--where language=ko --steps 'blocks.*.attn.z' --over head,pos")
                        .json();
  EXPECT_GT(seen["base"]["clean"], 2.0);
  EXPECT_LT(seen["base"]["corrupt"], -2.0);
  EXPECT_EQ(seen["rows"].size(), 2u * 4u * 20u);
  expect_refused("ablate model:storyteller --measure logit_diff --data task:pilot", 1, "picture");
}

TEST_F(Data, a_file_of_the_answer_has_one_row_per_place_or_per_prompt) {
  const std::string ask =
      "ablate " + kStoryteller + " --measure logit_diff --data " + prompts() + kHeads + " --out ";
  ASSERT_EQ(cli(ask + (folder_ / "m.csv") + " --quantiles").exit_code, 0);
  const auto lines = split(read_text(folder_ / "m.csv"), '\n');
  EXPECT_EQ(lines[0], "step,head,value,stderr,n,q05,q25,q50,q75,q95,clean,run");
  EXPECT_EQ(lines.size(), 10u);
  ASSERT_EQ(cli(ask + (folder_ / "e.csv") + " --each").exit_code, 0);
  const auto each = split(read_text(folder_ / "e.csv"), '\n');
  EXPECT_EQ(each[0], "prompt,line,step,head,value,clean,run");
  EXPECT_EQ(each.size(), 26u);
  ASSERT_EQ(cli(ask + (folder_ / "m.npz")).exit_code, 0);
  const auto npz = *read_npz(folder_ / "m.npz");
  EXPECT_EQ(npz->load("blocks.0.attn.z[head].stderr")->count(), 4);
  EXPECT_EQ(*npz->load_ints("blocks.1.attn.z[head].n"), (std::vector<std::int64_t>{3, 3, 3, 3}));
  std::string parts;
  for (const char* part : {"1/2", "2/2"}) {
    const std::string out = folder_ / (std::string(1, *part) + ".json");
    ASSERT_EQ(cli(ask + out + " --shard " + part).exit_code, 0);
    parts += " " + out;
  }
  ASSERT_EQ(cli(ask + (folder_ / "whole.json")).exit_code, 0);
  ASSERT_EQ(cli("merge" + parts + " --out " + (folder_ / "merged.json")).exit_code, 0);
  EXPECT_EQ(read_text(folder_ / "merged.json"), read_text(folder_ / "whole.json"));
}

TEST_F(Data, several_measures_are_read_off_the_same_runs) {
  for (const std::string& command : {std::string("ablate") + " " + kStoryteller + kHeads + " --estimate",
                                     "patch " + kStoryteller + " --steps 'blocks.*.resid_pre[pos=-1]'"}) {
    const std::string ask = command + " --json --data task:storyteller --limit 3 --measure ";
    const Json both = cli(ask + "logit_diff --measure logit").json();
    EXPECT_EQ(both["measures"], Json({"logit_diff", "logit"}));
    Json rows = Json::array();
    for (const char* measure : {"logit_diff", "logit"}) {
      const Json one = cli(ask + measure).json();
      EXPECT_EQ(both["base"][measure], one["base"]);
      EXPECT_EQ(both["base_stderr"][measure], one["base_stderr"]);
      for (Json row : one["rows"]) {
        row["measure"] = measure;
        rows.push_back(row);
      }
    }
    EXPECT_EQ(both["rows"], rows) << command;
  }
  const std::string ask = std::string("ablate ") + kStoryteller + kHeads +
                          " --data task:storyteller --limit 3 --measure logit_diff --measure prob --out ";
  ASSERT_EQ(cli(ask + (folder_ / "m.csv")).exit_code, 0);
  const auto lines = split(read_text(folder_ / "m.csv"), '\n');
  EXPECT_EQ(lines[0], "step,head,value,stderr,n,clean,measure,run");
  EXPECT_EQ(lines.size(), 18u);
  EXPECT_TRUE(lines[16].ends_with(",prob,")) << lines[16];
  expect_refused(ask + (folder_ / "m.npz"), 1, "one --measure");
  expect_refused(ask + (folder_ / "m.json") + " --shard 1/2", 1, "one --measure");
}

TEST_F(Data, probes_read_rows_or_a_column_of_a_data_set) {
  const std::string ask = "probe " + kStoryteller + " --data task:storyteller --limit 60 --json --what ";
  for (const char* what : {"token", "position", "answer", "form"}) {
    const Json out = cli(ask + what).json();
    EXPECT_EQ(out["what"], what);
    EXPECT_EQ(out["run"]["data"]["prompts"], 60);
    const std::int64_t rows = std::string(what) == "answer" || std::string(what) == "form" ? 1 : 4;
    EXPECT_EQ(out["fitted_rows"], 45 * rows) << what;
    EXPECT_EQ(out["held_out_rows"], 15 * rows) << what;
    if (rows == 4) {
      EXPECT_GT(out["depths"][0]["held_out"], out["guessing"]) << what;
    }
  }
  EXPECT_EQ(cli(ask + "token").out, cli(ask + "token").out);
  expect_refused(ask + "banana", 1, "banana");
  expect_refused(ask + "answer --at 40", 1, "row 40");
  expect_refused("probe " + kStoryteller + " --what answer", 1, "--data");
  expect_refused("probe " + kStoryteller + " --data task:storyteller --limit 3", 1, "every fourth");
}

TEST_F(Data, a_single_prompt_has_no_error_of_its_mean) {
  const std::string ask = std::string("ablate ") + kStoryteller + kHeads +
                          " --data task:storyteller --limit 1 --measure logit_diff";
  const Json row = cli(ask + " --json").json()["rows"][0];
  EXPECT_TRUE(row.contains("stderr") && row["stderr"].is_null()) << row;
  EXPECT_EQ(row["n"], 1);
  ASSERT_EQ(cli(ask + " --out " + (folder_ / "one.csv")).exit_code, 0);
  EXPECT_EQ(split(read_text(folder_ / "one.csv"), '\n')[0], "step,head,value,stderr,n,clean,run");
  for (const char* kind : {".json", ".csv", ".npz"}) {
    std::string parts;
    for (const char* part : {"1/2", "2/2"}) {
      const std::string out = folder_ / (std::string(1, *part) + kind);
      ASSERT_EQ(cli(ask + " --shard " + part + " --out " + out).exit_code, 0);
      parts += " " + out;
    }
    EXPECT_EQ(cli("merge" + parts + " --out " + (folder_ / "joined.csv")).exit_code, 0) << kind;
    if (std::string(kind) == ".json") {
      EXPECT_EQ(read_text(folder_ / "joined.csv"), read_text(folder_ / "one.csv"));
    }
  }
}

TEST_F(Data, what_is_wrong_is_said_with_line_and_column) {
  const std::string ask = "ablate " + kStoryteller + " --json --measure logit_diff" + kHeads + " --data ";
  const std::string good = lines_of({kPrompts[0]});
  const auto refused = [&](const std::string& name, const std::string& text, const std::string& why) {
    expect_refused(ask + file(name, text), 1, why);
  };
  refused("ragged.csv", "text,answer,wrong\nThe cat,cat,mat\nThe cat,cat\n", "line 3, column 9");
  refused("quote.csv", "text,answer,wrong\n\"The cat\"x,cat,mat\n", "line 2, column 10");
  refused("open.csv", "text,answer,wrong\n\"The cat,cat,mat\n", "quote is not closed");
  refused("header.csv", "prompt,answer\nThe cat,cat\n", "line 1");
  refused("no.jsonl", good + "{\"text\": nonsense}\n", "line 2, column 11");
  refused("list.jsonl", "[1,2]\n", "line 1");
  refused("answer.jsonl", good + R"({"text": "The cat sat", "answer": "unhappiness", "wrong": "mat"})",
          "line 2, column 35");
  refused("lacks.jsonl", good + R"({"text": "The cat sat", "answer": "cat"})", "wrong");
  refused("ids.jsonl", R"({"ids": [0, 1.5], "answer": "cat", "wrong": "mat"})", "column 9");
  refused("far.jsonl", R"({"ids": [0, 99999], "answer": "cat", "wrong": "mat"})", "line 1, column 9");
  refused("empty.jsonl", "", "has no prompts");
  refused("blank.txt", "\n  \n", "has no prompts");
  expect_refused(ask + prompts() + " --where kind=nothing", 1, "kind=nothing");
  expect_refused(ask + prompts() + " --where kind", 1, "COLUMN=VALUE");
  expect_refused(ask + (folder_ / "nowhere.jsonl"), 1, "nowhere.jsonl");
  expect_refused(ask + prompts() + " --text 'The cat'", 1, "data set");
  expect_refused("ablate " + kStoryteller + " --measure logit_diff --how resample --text 'The cat'" + kHeads,
                 1, "--data");
  expect_refused("ablate " + kStoryteller + " --measure logits --data " + prompts(), 1, "logits");
  const std::string out = folder_ / "out.json";
  EXPECT_EQ(cli(ask + file("half.jsonl", good + "{}\n") + " --out " + out).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(out)) << "nothing half-written";
  const Ran closed = cli(ask + prompts() + " | head -c 10");
  EXPECT_EQ(closed.out.size(), 10u);
}

// What the window shows (core/session/asking.h) is what the command prints.
TEST_F(Data, the_window_has_the_rows_of_the_command_to_the_bit) {
  const std::pair<AskHow, const char*> hows[] = {
      {AskHow::zero, "zero"}, {AskHow::mean, "mean"}, {AskHow::resample, "resample"}};
  for (const auto& [how, word] : hows) {
    Session session;
    Asking asking;
    session.open(source_path("assets/models/storyteller"));
    session.wait();
    session.open_data({"task:storyteller", {}, 16, 3});
    session.wait();
    asking.settings.over = AskOver::mean, asking.settings.how = how;
    const auto settle = [&] {
      for (int quiet = 0; quiet < 3; ++quiet) {
        asking.follow(session.workers(), session.result(), 0);
        while (session.workers().any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    settle();
    asking.start(session.workers());
    settle();
    ASSERT_TRUE(asking.answer() && asking.answer()->data);
    const Json out = cli("ablate model:storyteller --data task:storyteller --limit 16 --seed 3 --json "
                         "--measure logit_diff --steps '*blocks.*.z' --over head --how " +
                         std::string(word))
                         .json();
    const std::vector<DataCell>& cells = asking.answer()->data->cells();
    ASSERT_EQ(cells.size(), out["rows"].size()) << word;
    EXPECT_EQ(asking.answer()->base(), out["base"]["clean"].get<double>()) << word;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Json& row = out["rows"][i];
      EXPECT_EQ(cells[i].step, row["step"].get<std::string>());
      EXPECT_EQ(asking.answer()->values[i], row["value"].get<double>()) << word << " " << row;
      EXPECT_EQ(cells[i].value.standard_error(), row["stderr"].get<double>()) << word << " " << row;
      EXPECT_EQ(cells[i].value.n(), row["n"].get<std::int64_t>());
    }
  }
}

// The linear twin of each prompt, and not the plain sum in its place.
TEST_F(Data, the_linear_twin_is_that_of_each_prompt) {
  const std::string rest = " --by token --linear";
  const Json mean = over("attribute", rest);
  std::map<std::string, double> sums;
  for (const Prompt& one : kPrompts)
    for (const auto& [place, row] : rows_of(alone("attribute", one, rest)))
      sums[place] += row["value"].get<double>() / static_cast<double>(kPrompts.size());
  const auto rows = rows_of(mean);
  ASSERT_EQ(rows.size(), sums.size());
  for (const auto& [place, row] : rows)
    EXPECT_NEAR(row["value"].get<double>(), sums.at(place), 1e-9) << place;
  EXPECT_EQ(mean["run"]["method"]["linear"], true);
  expect_refused("attribute " + kStoryteller + " --measure logit_diff --graph g.json --data " + prompts(), 1,
                 "--graph");
}

// With --each, "clean" is the measure of the clean run, whichever of the two is patched.
TEST_F(Data, the_clean_value_of_a_patched_pair_is_that_of_the_clean_run) {
  const std::string pairs =
      file("pairs.jsonl", Json{{"clean", kPrompts[0].text},
                               {"corrupt", "The cat sat on the mat because it was soft. So the"},
                               {"answer", "cat"},
                               {"wrong", "mat"}}
                                  .dump() +
                              "\n");
  const Json answer =
      cli("patch " + kStoryteller + " --json --data " + pairs + " --measure logit_diff --each" + kHeads)
          .json();
  ASSERT_FALSE(answer["each"].empty());
  for (const Json& one : answer["each"]) EXPECT_EQ(one["clean"], answer["base"]["clean"]);
  EXPECT_GT(answer["base"]["clean"].get<double>(), answer["base"]["corrupt"].get<double>());
}

// As of one pair: what has no partner is left out, and counted.
TEST_F(Data, positions_without_a_partner_in_the_other_text_are_counted) {
  const std::string longer = "The cat sat on the mat because it was very soft. So the";
  const std::string pairs = file(
      "pairs.jsonl",
      Json{{"clean", kPrompts[0].text}, {"corrupt", longer}, {"answer", "cat"}, {"wrong", "mat"}}.dump() +
          "\n");
  const std::string rest = " --json --measure ", over = " --over pos";
  const Json one = cli("patch " + kStoryteller + rest + "logit_diff:cat,mat --clean '" + kPrompts[0].text +
                       "' --corrupt '" + longer + "'" + over)
                       .json();
  const Ran ran = cli("patch " + kStoryteller + rest + "logit_diff --data " + pairs + over);
  EXPECT_NE(ran.err.find("1 of clean texts, 2 of corrupt ones"), std::string::npos) << ran.err;
  const Json alone = ran.json()["run"]["without_partner"];
  EXPECT_EQ(alone["pairs"], 1);
  EXPECT_EQ(alone["clean"], one["alignment"][0]["alone_from"].size());
  EXPECT_EQ(alone["corrupt"], one["alignment"][0]["alone_into"].size());
  const Json noise =
      cli("patch " + kStoryteller + rest + "logit_diff --direction noise --data " + pairs + over).json();
  EXPECT_EQ(noise["run"]["without_partner"], alone);
}

// A prompt that is alone with its length has no other whose rows are its own: it is left out, and counted.
TEST_F(Data, values_of_other_prompts_come_from_those_of_the_same_length) {
  const std::string data =
      file("lengths.jsonl",
           lines_of(kPrompts) + Json{{"text", "The cat"}, {"answer", "cat"}, {"wrong", "mat"}}.dump() + "\n");
  const std::string ask =
      "ablate " + kStoryteller + " --measure logit_diff --json --how resample --seed 3" + kHeads;
  const Ran ran = cli(ask + " --data " + data);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("left out: 1"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.json()["run"]["data"]["left_out"], 1);
  EXPECT_EQ(ran.json()["rows"], cli(ask + " --data " + prompts()).json()["rows"]);
}

// A word that many prompts share is said once.
TEST_F(Data, an_unknown_word_of_many_prompts_is_said_once) {
  std::string lines;
  for (const char* animal : {"cat", "dog", "fox"})
    lines +=
        Json{{"text", std::string("The ") + animal + " saw a gryphon"}, {"answer", "cat"}, {"wrong", "mat"}}
            .dump() +
        "\n";
  const Ran ran =
      cli("ablate " + kStoryteller + " --measure logit_diff --over head --data " + file("g.jsonl", lines));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_NE(ran.err.find("gryphon"), std::string::npos) << ran.err;
}

// Both sides read other tokens: only asked for, and the count is said.
TEST_F(Data, runs_of_other_tokens_are_compared_where_that_is_asked_for) {
  const std::string record = folder_ / "rec.npz";
  ASSERT_EQ(cli("trace " + kStoryteller + " --text \"The cat sat\" --out " + record).exit_code, 0);
  const std::string ask =
      "compare " + kStoryteller + " " + record + " --text \"The cat lay\" --tolerance 1e9";
  const Ran refused = cli(ask);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--allow-different-tokens"), std::string::npos) << refused.err;
  const Ran ran = cli(ask + " --allow-different-tokens");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.err.find("1 of 4 tokens"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace attnscope
