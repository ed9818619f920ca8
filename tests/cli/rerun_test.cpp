// Every answer says what was run, and runs again; a session is opened wherever a model is.
#include <fstream>

#include "core/arch/shipped.h"
#include "core/io/npy.h"
#include "core/session/document.h"
#include "core/session/prompt_list.h"
#include "core/session/session_file.h"
#include "core/trace/edit.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kText = "'The cat sat on the mat because it was tired. So the'",
                  kOther = "'The cat sat on the mat because it was soft. So the'";

class Rerun : public ::testing::Test {
 protected:
  std::string answer(const std::string& command) {
    const Ran ran = cli(command + " --json");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const std::string path = folder_ / ("answer" + std::to_string(++count_) + ".json");
    std::ofstream(path) << ran.out;
    return path;
  }
  const TempFolder folder_;
  int count_ = 0;
};

TEST_F(Rerun, every_answer_says_what_was_run_and_runs_again) {
  const std::string story = " model:storyteller";
  for (const std::string& command :
       {"ablate" + story + " --over head --measure logit_diff:cat,mat --text " + kText,
        "patch" + story + " --over pos --measure logit_diff:cat,mat --clean " + kText + " --corrupt " +
            kOther,
        "attribute" + story + " --measure logit:cat --text " + kText,
        "heads" + story + " --measure logit:cat --text " + kText, "rollout" + story + " --text " + kText,
        "probe" + story + " --texts 40",
        "compare" + story + " model:storyteller-deep --tolerance 100 --text " + kText,
        "ablate" + story +
            " --over head --measure logit_diff --how resample --seed 3 --data task:storyteller --limit 9"}) {
    const std::string path = answer(command);
    const Json run = Json::parse(read_text(path))["run"];
    EXPECT_EQ(run["model"]["name"], "model:storyteller") << command;
    EXPECT_EQ(run["model"]["fingerprint"].get<std::string>().size(), 16u) << command;
    EXPECT_FALSE(run["version"].get<std::string>().empty());
    const Ran again = cli("rerun " + path);
    EXPECT_EQ(again.exit_code, 0) << command << again.err;
    EXPECT_NE(again.out.find("largest difference 0"), std::string::npos) << again.out;
  }
}

TEST_F(Rerun, what_an_answer_says_of_its_run_is_compared_too) {
  const std::string path = answer(
      "ablate model:storyteller --over head --measure logit_diff --how resample --seed 3 --data "
      "task:storyteller --limit 9");
  const Json whole = Json::parse(read_text(path));
  const auto changed = [&](const char* place, const Json& value) {
    Json other = whole;
    other[Json::json_pointer(place)] = value;
    std::ofstream(path) << other;
    const Ran ran = cli("rerun " + path);
    EXPECT_EQ(ran.exit_code, 1) << place;
    EXPECT_NE(ran.err.find(place), std::string::npos) << ran.err;
  };
  changed("/run/seed", 4);
  changed("/run/resampled/0", 99);
  changed("/run/method/how", "zero");
  const std::string text = answer("ablate model:storyteller --measure logit:cat --text " + kText);
  Json other = Json::parse(read_text(text));
  other["run"]["inputs"]["text"]["text"] = "The dog sat";
  std::ofstream(text) << other;
  const Ran ran = cli("rerun " + text);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("/run/inputs/text/text"), std::string::npos) << ran.err;
}

TEST_F(Rerun, the_place_that_is_named_is_the_one_beyond_the_tolerance) {
  const std::string path = answer("ablate model:storyteller --over head --measure logit:cat --text " + kText);
  Json other = Json::parse(read_text(path));
  other["rows"][2]["value"] = other["rows"][2]["value"].get<double>() + 0.5;
  std::ofstream(path) << other;
  const Ran ran = cli("rerun " + path);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("0.5"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("/rows/2/value"), std::string::npos) << ran.err;
}

// Of every line the same columns; what was run stands in the first one alone.
void expect_says_what_was_run(const std::string& csv, const std::string& command) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool inside = false;
  for (const char c : csv) {
    inside = inside != (c == '"');
    if (c == ',' && !inside)
      rows.back().emplace_back();
    else if (c == '\n' && !inside)
      rows.push_back({""});
    else
      rows.back().back() += c;
  }
  ASSERT_EQ(rows.back(), std::vector<std::string>{""}) << "ends with a line";
  rows.pop_back();
  ASSERT_GT(rows.size(), 1u) << command;
  EXPECT_EQ(rows[0].back(), "run") << command;
  EXPECT_NE(rows[1].back().find("fingerprint"), std::string::npos) << command;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), rows[0].size()) << command << " line " << i;
    if (i > 1) {
      EXPECT_EQ(rows[i].back(), "") << command;
    }
  }
}

TEST_F(Rerun, tables_and_arrays_say_what_was_run_and_run_again) {
  const std::string story = " model:storyteller", asked = " --measure logit_diff:cat,mat --text " + kText;
  const std::string over = " --measure logit_diff --data task:storyteller --limit 4";
  for (const std::string& command :
       {"ablate" + story + " --over head" + asked, "ablate" + story + " --over head --each" + over,
        "ablate" + story + " --over head --measure logit" + over,
        "path" + story + " --from 'blocks.0.attn.z' --to 'blocks.1.attn.q'" + asked, "circuits" + story,
        "why" + story + " --cell 'blocks.1.attn.scaled[head=3,query=13,key=2]' --text " + kText,
        "figure" + story + " --view attention --layer 1 --head 3 --text " + kText}) {
    const std::string path = folder_ / "t.csv";
    const Ran made = cli(command + " --out " + path);
    ASSERT_EQ(made.exit_code, 0) << command << made.err;
    const std::string csv = read_text(path);
    expect_says_what_was_run(csv, command);
    const Ran again = cli("rerun " + path);
    EXPECT_EQ(again.exit_code, 0) << command << again.err;
    EXPECT_NE(again.out.find("largest difference 0"), std::string::npos) << again.out;
    std::string other = csv;  // another number in the last line
    const std::size_t digit = other.rfind('.') - 1;
    other[digit] = other[digit] == '9' ? '3' : '9';
    std::ofstream(folder_ / "o.csv") << other;
    EXPECT_EQ(cli("rerun " + (folder_ / "o.csv")).exit_code, 1) << command << other.substr(digit);
  }
  for (const std::string& command :
       {"ablate" + story + " --over head" + asked, "ablate" + story + " --over head" + over,
        "trace" + story + " --steps 'blocks.*.attn.pattern' --text " + kText,
        "figure" + story + " --view attention --layer 1 --head 3 --text " + kText}) {
    const std::string path = folder_ / "a.npz";
    ASSERT_EQ(cli(command + " --out " + path).exit_code, 0) << command;
    const Ran again = cli("rerun " + path);
    EXPECT_EQ(again.exit_code, 0) << command << again.err;
    EXPECT_NE(again.out.find("largest difference 0"), std::string::npos) << again.out;
  }
}

TEST_F(Rerun, a_trace_in_any_form_is_computed_again) {
  for (const char* form : {"t.json", "t.safetensors", "t.npz"}) {
    const std::string path = folder_ / form;
    const std::string words = "trace model:storyteller --steps 'blocks.*.attn.pattern' --text ";
    ASSERT_EQ(cli(words + kText + " --out " + path).exit_code, 0) << form;
    const Ran again = cli("rerun " + path);
    EXPECT_EQ(again.exit_code, 0) << form << again.err;
    EXPECT_NE(again.out.find("largest difference 0"), std::string::npos) << form << again.out;
  }
  std::string other = read_text(folder_ / "t.json");
  const std::size_t digit = other.find("0.", other.find("blocks.1.attn.pattern")) + 3;
  other[digit] = other[digit] == '9' ? '3' : '9';
  std::ofstream(folder_ / "o.json") << other;
  const Ran changed = cli("rerun " + (folder_ / "o.json"));
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_NE(changed.err.find("blocks.1.attn.pattern"), std::string::npos) << changed.err;
}

TEST_F(Rerun, generated_texts_tokens_and_figures_say_what_was_run) {
  const std::string story = " model:storyteller";
  for (const std::string& command :
       {"generate" + story + " --max-new-tokens 4 --temperature 1 --seed 7 --text " + kText,
        "generate" + story + " --max-new-tokens 3 --beams 2 --edit 'blocks.1.attn.z[head=3]=0' --text " +
            kText,
        "tokenize" + story + " --text " + kText}) {
    const std::string path = answer(command);
    const Json told = Json::parse(read_text(path));
    EXPECT_EQ(told["run"]["model"]["fingerprint"].get<std::string>().size(), 16u) << command;
    const Ran again = cli("rerun " + path);
    EXPECT_EQ(again.exit_code, 0) << command << again.err;
    EXPECT_NE(again.out.find("largest difference 0"), std::string::npos) << again.out;
    Json other = told;
    other["ids"][0] = other["ids"][0].get<int>() + 1;
    std::ofstream(folder_ / "other.json") << other;
    EXPECT_EQ(cli("rerun " + (folder_ / "other.json")).exit_code, 1) << command;
  }
  const std::string figure = folder_ / "f.json", npz = folder_ / "f.npz",
                    drawn =
                        "figure" + story + " --view attention --layer 1 --head 3 --text " + kText + " -o ";
  ASSERT_EQ(cli(drawn + figure).exit_code, 0);
  Json told = Json::parse(read_text(figure));
  EXPECT_EQ(told["run"]["inputs"][0]["tokens"][2]["text"], "cat");
  EXPECT_EQ(told["run"]["model"]["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_EQ(cli("rerun " + figure).exit_code, 0);
  told["parts"][0]["values"][0][0] = 5;
  std::ofstream(folder_ / "other.json") << told;
  EXPECT_EQ(cli("rerun " + (folder_ / "other.json")).exit_code, 1);
  ASSERT_EQ(cli(drawn + npz).exit_code, 0);
  const auto file = read_npz(npz);
  ASSERT_TRUE(file);
  const auto bytes = (*file)->load_ints("run");
  ASSERT_TRUE(bytes) << bytes.error().text();
  EXPECT_EQ(Json::parse(std::string(bytes->begin(), bytes->end()))["model"],
            Json::parse(read_text(figure))["run"]["model"]);
}

TEST_F(Rerun, a_run_names_tokens_with_their_positions_and_a_patch_both) {
  const Json out = Json::parse(read_text(answer(
      "patch model:storyteller --over pos --steps blocks.0.resid_pre --measure logit_diff:cat,mat --clean " +
      kText + " --corrupt " + kOther)));
  const Json& clean = out["run"]["inputs"]["clean"];
  EXPECT_EQ(clean["tokens"][2], Json({{"pos", 2}, {"id", clean["ids"][2]}, {"text", "cat"}}));
  EXPECT_EQ(out["run"]["inputs"]["corrupt"]["tokens"][10]["text"], "soft");
  EXPECT_EQ(out["run"]["measure"]["text"], "logit_diff:cat,mat");
  EXPECT_EQ(out["run"]["method"]["direction"], "denoise");
  const Json& row = out["rows"][10];
  EXPECT_EQ(row["into"], Json({{"pos", 10}, {"token", "soft"}}));
  EXPECT_EQ(row["from"], Json({{"pos", 10}, {"token", "tired"}}));
}

TEST_F(Rerun, a_difference_another_model_and_other_data_are_told) {
  const std::string data = folder_ / "d.jsonl";
  const auto write = [&](const std::string& text) {
    std::ofstream(data) << Json{{"text", text}, {"answer", "cat"}, {"wrong", "mat"}}.dump() << "\n";
  };
  write("The cat sat on the mat because it was tired. So the");
  const std::string path = answer("ablate model:storyteller --over head --measure logit_diff --data " + data);
  EXPECT_EQ(cli("rerun " + path).exit_code, 0);
  const Json whole = Json::parse(read_text(path));
  const auto changed = [&](const Json& other) {
    std::ofstream(folder_ / "changed.json") << other;
    return folder_ / "changed.json";
  };
  Json other = whole;
  other["rows"][3]["value"] = other["rows"][3]["value"].get<double>() + 0.01;
  expect_refused("rerun " + changed(other), 1, "/rows/3/value");
  EXPECT_EQ(cli("rerun --tolerance 0.1 " + changed(other)).exit_code, 0);
  other = whole;
  other["rows"].erase(2);
  expect_refused("rerun " + changed(other), 1, "/rows");
  other = whole;
  other["run"]["model"]["fingerprint"] = "0123456789abcdef";
  expect_refused("rerun " + changed(other), 1, "0123456789abcdef");
  other = whole;
  other["run"]["command"][1] = "/no/such/model";
  expect_refused("rerun " + changed(other), 1, "/no/such/model");
  other["run"]["command"] = {"train", "storyteller"};
  expect_refused("rerun " + changed(other), 1, "does not say what was run");
  other["run"]["command"] = {"ablate", "model:storyteller", "--what"};
  expect_refused("rerun " + changed(other), 1, "--what");
  write("The cat sat on the mat because it was lazy. So the");
  expect_refused("rerun " + path, 1, "other prompts");
  std::filesystem::remove(data);
  expect_refused("rerun " + path, 1, "d.jsonl");
  expect_refused("rerun " + source_path("README.md"), 1, "README.md");
}

// Whatever is missing: parts of --shard, lines of a study that was stopped, rows in between.
TEST_F(Rerun, an_answer_with_a_member_more_is_another_one) {
  const Ran ran =
      cli("ablate model:storyteller --text 'The cat was tired. So the' --measure 'logit: cat' --json");
  Json answer = ran.json();
  answer["run"]["command"].push_back("--edit");
  answer["run"]["command"].push_back("blocks.0.attn.z=0");
  const TempFolder folder;
  std::ofstream(folder / "a.json") << answer;
  const Ran again = cli("rerun " + (folder / "a.json"));
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_NE(again.err.find("/edits"), std::string::npos) << again.err;
}

TEST_F(Rerun, what_is_missing_of_an_answer_is_computed) {
  const std::string story = " model:storyteller",
                    data = " --data task:storyteller --limit 5 --measure logit_diff";
  for (const std::string& command :
       {"ablate" + story + " --over head,pos --measure logit_diff:cat,mat --text " + kText,
        "patch" + story + " --over pos --measure logit_diff:cat,mat --clean " + kText + " --corrupt " +
            kOther,
        "path" + story + " --from blocks.0.attn.z --to blocks.1.attn.q --measure logit_diff:cat,mat --text " +
            kText,
        "ablate" + story + data + " --over head --each --quantiles"}) {
    const std::string whole = read_text(answer(command));
    const std::string odd = answer(command + " --shard 1,4-5/6"), last = answer(command + " --shard 6/6");
    const Ran ran = cli("rerun --missing " + odd + " " + last);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(Json::parse(ran.out), Json::parse(whole)) << command;
    EXPECT_NE(ran.err.find("are missing"), std::string::npos) << ran.err;
    const std::string lines = folder_ / "study.jsonl", out = folder_ / "all.json";
    std::ofstream(lines) << Json::parse(read_text(odd)).dump() << "\n"
                         << Json::parse(read_text(last)).dump().substr(0, 40);
    const Ran study = cli("rerun --missing " + lines + " --out " + out);
    EXPECT_EQ(study.exit_code, 0) << study.err;
    EXPECT_NE(study.err.find("breaks off"), std::string::npos) << study.err;
    EXPECT_EQ(Json::parse(read_text(out)), Json::parse(whole)) << command;
    std::ofstream(lines) << Json::parse(read_text(odd)).dump() << "\n"
                         << Json::parse(read_text(last)).dump() << "\n";
    expect_refused("merge " + lines + " --out " + out, 1, "a part is missing");
    EXPECT_EQ(cli("merge " + lines + " " + answer(command + " --shard 2,3/6") + " --out " + out).exit_code,
              0);
    EXPECT_EQ(Json::parse(read_text(out)), Json::parse(whole)) << command;
    const Ran none = cli("rerun --missing " + answer(command + " --shard 1-6/6") + " " + odd);
    EXPECT_EQ(none.exit_code, 1) << none.out;
  }
  const std::string ask = "ablate" + story + " --over head --measure logit_diff:cat,mat --text " + kText;
  const std::string empty = answer(ask + " --shard 30/40");  // more parts than rows
  EXPECT_EQ(Json::parse(cli("rerun --missing " + empty).out), Json::parse(read_text(answer(ask))));
  expect_refused("rerun --missing " + empty + " " +
                     answer("ablate" + story + " --over head --shard 1/2 --measure kl --text " + kText),
                 1, "different sweeps");
  expect_refused("rerun --missing " + answer(ask), 1, "no part of a sweep");
  expect_refused("rerun " + empty + " " + empty, 1, "One answer at a time");
  for (const char* shard : {"1-/3", "3-1/3", "1,1/3", "1-2,2/3", ",/3", "1,/3", "-2/3", "1-4/3"})
    expect_refused(ask + " --shard=" + shard, 1, "--shard");
}

TEST_F(Rerun, reads_what_lies_beside_the_answer_alone) {
  namespace fs = std::filesystem;
  const TempFolder elsewhere;
  fs::copy(source_path("tests/golden/models/gpt2"), elsewhere / "gpt2", fs::copy_options::recursive);
  fs::copy(source_path("tests/golden/models/gpt2"), folder_ / "gpt2", fs::copy_options::recursive);
  const std::string ask = " --ids 1,2,7 --measure logit:#3 --over head";
  const std::string inside = answer("ablate " + (folder_ / "gpt2") + ask);
  EXPECT_EQ(cli("rerun " + inside).exit_code, 0);
  const std::string outside = answer("ablate " + (elsewhere / "gpt2") + ask);
  expect_refused("rerun " + outside, 1, "--allow-outside");
  EXPECT_EQ(cli("--allow-outside rerun " + outside).exit_code, 0);
  std::ofstream(elsewhere / "text.txt") << "The cat sat";
  const std::string told =
      answer("ablate model:storyteller --measure logit:cat --over head --text @" + (elsewhere / "text.txt"));
  expect_refused("rerun " + told, 1, "text.txt");
  // The model is looked at before anything is computed: with another one no run is made, whatever its words
  // are.
  Json other = Json::parse(read_text(inside));
  other["run"]["model"]["fingerprint"] = "0123456789abcdef";
  other["run"]["command"] = {"ablate", folder_ / "gpt2", "--ids", "99999999", "--measure", "logit:#3"};
  std::ofstream(folder_ / "other.json") << other;
  expect_refused("rerun " + (folder_ / "other.json"), 1, "0123456789abcdef");
}

TEST_F(Rerun, every_answer_is_one_object_with_rows_and_older_ones_are_understood) {
  const std::string text = " model:storyteller --json --text " + kText;
  for (const auto& [command, older] :
       {std::pair<std::string, std::string>("heads" + text, "heads"),
        {"rollout" + text, "blocks"},
        {"probe model:storyteller --json --texts 40", "depths"},
        {"compare model:storyteller model:storyteller --json --text " + kText, "steps"},
        {"path" + text + " --measure logit:cat --from 'blocks.0.attn.z' --to logits --estimate", ""},
        {"why" + text + " --cell 'blocks.1.attn.pattern[head=3,query=13,key=2]'", ""}}) {
    Json told = cli(command).json();
    ASSERT_TRUE(told["rows"].is_array()) << command;
    EXPECT_FALSE(told["rows"].empty()) << command;
    if (!older.empty()) {
      EXPECT_EQ(told["rows"], told[older]) << command;
      told.erase("rows");
    }
    told.erase("estimate_r");
    std::ofstream(folder_ / "older.json") << told;
    const Ran again = cli("rerun " + (folder_ / "older.json"));
    EXPECT_EQ(again.exit_code, 0) << command << again.err;
  }
}

// The inputs and edits of the session are there first; what is given stands in their place.
TEST_F(Rerun, a_session_is_opened_wherever_a_model_is) {
  Document document = new_document(std::make_shared<const OpenedModel>(*open_shipped("model:storyteller")));
  ASSERT_TRUE(set_text(document, 0, "The cat sat on the mat because it was tired. So the"));
  document.edits.push_back(*parse_edit("blocks.0.attn.z[head=2]=0"));
  const std::string session = folder_ / "study.attnscope";
  ASSERT_TRUE(save_session(session, document, Json::object()));
  const std::string ask = " --over head --json --measure logit_diff:cat,mat";
  const Json here = cli("ablate " + session + ask).json();
  const Json model =
      cli("ablate model:storyteller --edit 'blocks.0.attn.z[head=2]=0' --text " + kText + ask).json();
  EXPECT_EQ(here["rows"], model["rows"]);
  EXPECT_EQ(here["edits"], Json({"blocks.0.attn.z[head=2]=0"}));
  EXPECT_EQ(here["run"]["model"]["fingerprint"], model["run"]["model"]["fingerprint"]);
  const Json soft = cli("ablate " + session + ask + " --text " + kOther).json();
  EXPECT_EQ(soft["rows"],
            cli("ablate model:storyteller --edit 'blocks.0.attn.z[head=2]=0' --text " + kOther + ask)
                .json()["rows"]);
  for (const char* command : {"trace", "heads", "rollout", "generate --max-new-tokens 1", "probe --texts 40"})
    EXPECT_EQ(cli(std::string(command) + " " + session).exit_code, 0) << command;
  EXPECT_EQ(cli("attribute " + session + " --measure logit:cat").exit_code, 0);
  EXPECT_EQ(cli("compare " + session + " " + session).exit_code, 0);
  // Its text is read by the other model, patched, and cut into tokens.
  const Ran other = cli("compare " + session + " model:storyteller --tolerance 1000 --json");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.json()["run"]["inputs"][0]["ids"], model["run"]["inputs"]["text"]["ids"]);
  EXPECT_EQ(other.json()["steps"][0]["max_abs"], 0) << "the same tokens";
  EXPECT_EQ(cli("compare model:storyteller " + session).exit_code, 1) << "the edit is the session's alone";
  const std::string patch =
      " --measure logit_diff:cat,mat --over pos --steps blocks.0.resid_pre --json --corrupt " + kOther;
  EXPECT_EQ(cli("patch " + session + patch).json()["base"]["clean"], here["base"]["clean"]);
  expect_refused("patch model:storyteller" + patch, 1, "--clean-text");
  EXPECT_EQ(cli("tokenize " + session + " --json").json()["ids"],
            cli("tokenize model:storyteller --json --text " + kText).json()["ids"]);
  expect_refused("tokenize model:storyteller", 1, "--text");
  const std::string path = answer("ablate " + session + " --over head --measure logit_diff:cat,mat");
  EXPECT_EQ(cli("rerun " + path).exit_code, 0);
  expect_refused("ablate " + (folder_ / "none.attnscope") + ask, 1, "none.attnscope");
  Json info = cli("info " + session + " --json").json(),
       of_model = cli("info model:storyteller --json").json();
  EXPECT_EQ(info["run"]["model"]["name"], session);
  EXPECT_EQ(info["run"]["model"]["fingerprint"], of_model["run"]["model"]["fingerprint"]);
  info.erase("run"), of_model.erase("run");
  EXPECT_EQ(info, of_model);
}

// One shape for all: what was run, and rows.
TEST_F(Rerun, every_answer_has_rows_and_says_what_was_run) {
  const std::vector<std::string> again{
      "steps",
      "lab",
      "lab sqrt --set d_k=64",
      "info model:induction",
      "calc gpt2",
      "calc model:induction",
      "try model:induction",
      "tokenize model:storyteller --text 'The cat sat'",
      "generate model:storyteller --text 'The cat' --max-new-tokens 3",
      "generate model:storyteller --text 'The cat' --max-new-tokens 3 --beams 2",
      "lesson list"};
  for (const std::string& command : again) {
    const Json answer = cli(command + " --json").json();
    ASSERT_TRUE(answer.is_object()) << command;
    ASSERT_TRUE(answer.contains("rows") && answer["rows"].is_array() && !answer["rows"].empty()) << command;
    for (const Json& row : answer["rows"]) ASSERT_TRUE(row.is_object()) << command;
    EXPECT_FALSE(answer["run"]["version"].get<std::string>().empty()) << command;
    EXPECT_EQ(answer["run"]["command"][0], command.substr(0, command.find(' '))) << command;
    if (command.find("model:") != std::string::npos) {
      EXPECT_EQ(answer["run"]["model"]["fingerprint"].get<std::string>().size(), 16u) << command;
    }
    const std::string file = folder_ / "answer.json";
    std::ofstream(file) << answer;
    const Ran same = cli("rerun " + file);
    EXPECT_EQ(same.exit_code, 0) << command << same.err;
  }
  const Json tokens = cli("tokenize model:storyteller --text 'The cat sat' --json").json();
  for (std::size_t i = 0; i < tokens["ids"].size(); ++i) {
    EXPECT_EQ(tokens["rows"][i]["id"], tokens["ids"][i]);
    EXPECT_EQ(tokens["rows"][i]["text"], tokens["tokens"][i]);
    EXPECT_EQ(tokens["rows"][i]["begin"], tokens["spans"][i][0]);
  }
  const Json words = cli("generate model:storyteller --text 'The cat' --max-new-tokens 3 --json").json();
  ASSERT_EQ(words["rows"].size(), words["ids"].size());
  EXPECT_EQ(words["rows"][0]["pos"], words["prompt_ids"].size());
  EXPECT_EQ(words["rows"][0]["id"], words["ids"][0]);
}

TEST_F(Rerun, what_was_measured_is_no_answer_to_compute_again) {
  for (const std::string command :
       {"bench model:induction --tokens 8", "calc gpt2 --machine this", "lab heads"}) {
    const std::string file = folder_ / "times.json";
    const Json answer = cli(command + " --json").json();
    EXPECT_FALSE(answer["rows"].empty()) << command;
    std::ofstream(file) << answer;
    expect_refused("rerun " + file, 1, "measured");
  }
}

// Weights of a session are those under its edits, as a folder that they were saved in has them.
TEST_F(Rerun, questions_about_weights_are_about_the_edited_ones) {
  const std::string edit = "blocks.0.attn.v.weight[in=3]*=5", saved = folder_ / "saved",
                    session = folder_ / "edited.attnscope";
  Document document = new_document(std::make_shared<const OpenedModel>(*open_shipped("model:storyteller")));
  document.edits = {*parse_edit(edit), *parse_edit("blocks.1.attn.z[head=3]=0")};
  ASSERT_TRUE(save_session(session, document, Json::object()));
  ASSERT_EQ(cli("save model:storyteller --edit '" + edit + "' -o " + saved).exit_code, 0);
  for (const std::string& ask : {std::string("circuits "), std::string("weights ")}) {
    const std::string end =
        ask == "weights " ? " --of 'blocks.0.attn.*' --json" : " --head 0.1 --word cat --json";
    Json here = cli(ask + session + end).json(), there = cli(ask + saved + end).json();
    EXPECT_EQ(here["edits"], Json::array({edit})) << ask;
    Json plain = cli(ask + "model:storyteller" + end).json();
    for (Json* one : {&here, &there, &plain}) one->erase("run"), one->erase("edits");
    EXPECT_EQ(here, there) << ask;
    EXPECT_NE(here, plain) << ask;
  }
  // Probes are fitted to runs under all of them.
  document.edits = {*parse_edit("blocks.1.resid_post=0")};
  ASSERT_TRUE(save_session(session, document, Json::object()));
  const Json probed = cli("probe " + session + " --texts 30 --json").json();
  EXPECT_EQ(probed["edits"], Json::array({"blocks.1.resid_post=0"}));
  EXPECT_LT(probed["rows"][2]["fitted"], 0.5) << "nothing is left to read off";
  EXPECT_GT(probed["rows"][1]["fitted"], 0.9);
}

// A figure of a page of Ask is drawn as that page again.
TEST_F(Rerun, the_page_of_ask_that_a_session_was_left_at_is_asked_again) {
  Document document = new_document(std::make_shared<const OpenedModel>(*open_shipped("model:storyteller")));
  ASSERT_TRUE(set_text(document, 0, "The cat sat on the mat because it was tired. So the"));
  const std::string session = folder_ / "ask.attnscope", file = folder_ / "ask.json";
  const auto left_at = [&](const std::string& page) {
    const Json look{{"view", "ask"},
                    {"ask",
                     {{"page", page},
                      {"measure", "logit_diff:cat,mat"},
                      {"patch", "residual"},
                      {"other", "The cat sat on the mat because it was soft. So the"}}}};
    EXPECT_TRUE(save_session(session, document, look));
  };
  left_at("patch");
  ASSERT_EQ(cli("figure " + session + " -o " + file).exit_code, 0);
  Json drawn = Json::parse(read_text(file));
  ASSERT_EQ(drawn["parts"][1]["id"], "value");
  const Json rows = cli("patch model:storyteller --over pos --measure logit_diff:cat,mat --json --clean " +
                        kText + " --corrupt " + kOther + " --direction denoise")
                        .json()["rows"];
  for (const Json& row : rows) {
    const int block = row["step"] == "blocks.0.resid_pre" ? 0 : 1;
    EXPECT_NEAR(drawn["parts"][1]["values"][block][row["at"]["pos"].get<int>()].get<double>(),
                row["value"].get<double>(), 1e-4);
  }
  left_at("parts");
  ASSERT_EQ(cli("figure " + session + " -o " + file).exit_code, 0);
  drawn = Json::parse(read_text(file));
  EXPECT_EQ(drawn["parts"][0]["id"], "parts");
  // And the figure carries the page: drawn from it, it is the same page, the same file.
  left_at("patch");
  const std::string first = folder_ / "a.svg", again = folder_ / "b.svg";
  ASSERT_EQ(cli("figure " + session + " -o " + first).exit_code, 0);
  ASSERT_EQ(cli("figure " + first + " -o " + again).exit_code, 0);
  EXPECT_EQ(read_text(first), read_text(again));
  ASSERT_EQ(cli("figure " + first + " -o " + file).exit_code, 0);
  EXPECT_EQ(Json::parse(read_text(file))["parts"][1]["id"], "value");
  left_at("heads");
  ASSERT_EQ(cli("figure " + session + " -o " + file).exit_code, 0);
  EXPECT_EQ(Json::parse(read_text(file))["parts"][0]["cells"].size(), 8u);
}

// A study over prompts that was begun in the window: the session carries them, and its edits hold for each.
TEST_F(Rerun, the_data_set_of_a_session_is_asked_by_name) {
  const std::string file = folder_ / "two.jsonl";
  std::ofstream(file) << Json{{"text", "The cat sat on the mat because it was tired. So the"},
                              {"answer", "cat"},
                              {"wrong", "mat"}}
                      << "\n"
                      << Json{{"text", "The dog lay on the rug because it was soft. So the"},
                              {"answer", "rug"},
                              {"wrong", "dog"}}
                      << "\n";
  Document document = new_document(std::make_shared<const OpenedModel>(*open_shipped("model:storyteller")));
  document.edits.push_back(*parse_edit("blocks.0.attn.z[head=2]=0"));
  put_prompts(document, *held_prompts({file, {}, 0, 0}, std::atomic<bool>(false)));
  const std::string session = folder_ / "data.attnscope", ask = " --measure logit_diff --over head --json";
  ASSERT_TRUE(save_session(session, document, Json::object()));
  const Json here = cli("ablate " + session + " --data session" + ask).json();
  EXPECT_EQ(
      here["rows"],
      cli("ablate model:storyteller --edit 'blocks.0.attn.z[head=2]=0' --data " + file + ask).json()["rows"]);
  EXPECT_EQ(here["run"]["data"]["prompts"], 2);
  expect_refused("ablate model:storyteller --data session" + ask, 1, "carries no data set");
  expect_refused("ablate " + session + " --data session --limit 1" + ask, 1, "--limit");
}

}  // namespace
}  // namespace attnscope
