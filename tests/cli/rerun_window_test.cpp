// Graphs, and answers as the window saves them: the session that made them is in their run.
#include <filesystem>
#include <utility>
#include <vector>

#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kWindowStory = " model:storyteller --text 'The cat was tired. So the'";

// Makes a session, of a circuit that is kept.
void keep_a_circuit(const std::string& session) {
  const Ran made =
      cli("circuit model:storyteller --data task:storyteller --limit 2 --measure logit_diff --best 1 "
          "--name one --into " +
          session);
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

TEST(RerunWindow, a_graph_is_computed_again) {
  const TempFolder folder;
  const std::string graph = folder / "g.json";
  for (const char* rest : {"", " --qk --least 0.05 --edit 'blocks.0.mlp.out=0'"}) {
    ASSERT_EQ(cli("attribute" + kWindowStory + " --measure 'logit_diff: cat, mat' --graph " + graph + rest)
                  .exit_code,
              0);
    const Ran again = cli("rerun " + graph);
    EXPECT_EQ(again.exit_code, 0) << again.err;
    Json changed = Json::parse(read_text(graph));
    changed["links"][0]["weight"] = double(changed["links"][0]["weight"]) + 0.5;
    std::ofstream(graph) << changed;
    const Ran other = cli("rerun " + graph);
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.err.find("/links/0/weight"), std::string::npos) << other.err;
  }
}

// A figure's data and a graph with the words of the window: "session" stands for what is in the run.
TEST(RerunWindow, an_answer_with_its_session_is_computed_again) {
  const TempFolder folder;
  const std::string session = folder / "s.attnscope", answer = folder / "a.json", graph = folder / "g.json";
  keep_a_circuit(session);
  const auto of_window = [&](const std::string& file, const Json& command, bool kept) {
    Json out = Json::parse(read_text(file));
    Json& run = out.contains("run") ? out["run"] : out["metadata"]["attnscope"]["run"];
    run["command"] = command;
    if (kept) run["session"] = Json::parse(read_text(session));
    if (command.is_null()) run.erase("command");
    std::ofstream(file) << out;
  };
  ASSERT_EQ(cli("figure " + session + " --view attention -o " + answer).exit_code, 0);
  of_window(answer, {"figure", "session", "--view", "attention"}, true);
  const Ran again = cli("rerun " + answer);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  Json half = Json::parse(read_text(answer));
  half["run"]["complete"] = false;
  std::ofstream(folder / "half.json") << half;
  const Ran refused = cli("rerun " + (folder / "half.json"));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("before its answer was complete"), std::string::npos) << refused.err;
  ASSERT_EQ(cli("attribute " + session + " --measure 'logit:cat' --least 0.004 --graph " + graph).exit_code,
            0);
  of_window(graph, {"attribute", "session", "--measure", "logit:cat", "--least", "0.004"}, true);
  const Ran drawn = cli("rerun " + graph);
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_NE(entry.path().filename().string().front(), '.') << "nothing is left behind";
  of_window(graph, nullptr, false);
  expect_refused("rerun " + graph, 1, "no command");
}

// Earlier versions wrote data with flags of pictures in their command.
TEST(RerunWindow, data_with_flags_of_pictures_are_computed_again) {
  const TempFolder folder;
  const std::string file = folder / "f.json";
  ASSERT_EQ(cli("figure" + kWindowStory + " --view attention -o " + file).exit_code, 0);
  Json answer = Json::parse(read_text(file));
  for (const char* word : {"--size", "800x600", "--paper", "--no-caption", "--theme", "dark"})
    answer["run"]["command"].push_back(word);
  std::ofstream(file) << answer;
  const Ran again = cli("rerun " + file);
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

// A page of Ask whose answer is a table: what its session says is computed again, without writing a file, so
// that an answer in a folder that cannot be written to works, too.
TEST(RerunWindow, a_page_of_ask_is_computed_again) {
  const TempFolder folder;
  const std::string file = folder / "s.attnscope", answer = folder / "a.json";
  keep_a_circuit(file);
  Json session = Json::parse(read_text(file));
  const std::vector<std::pair<std::string, Json>> pages{
      {"heads", {{"heads_by", "entropy"}, {"heads_largest", false}}},
      {"paths", {{"attention", "flow"}}},
      {"graph", {{"graph_qk", true}, {"graph_share", 0.1}}},
      {"probes", Json::object()}};
  for (const auto& [page, choices] : pages) {
    session["look"] = {{"ask", {{"page", page}, {"measure", "logit_diff:cat,mat"}}}};
    session["look"]["ask"].update(choices);
    std::ofstream(file) << session;
    ASSERT_EQ(cli("figure " + file + " --view ask -o " + answer).exit_code, 0) << page;
    Json made = Json::parse(read_text(answer));
    ASSERT_EQ(made["parts"][0]["id"], page);
    made["run"]["command"] = {"figure", "session", "--view", "ask"}, made["run"]["session"] = session;
    std::ofstream(answer) << made;
    const std::filesystem::file_time_type before = std::filesystem::last_write_time(folder.path());
    const Ran again = cli("rerun " + answer + " --json");
    ASSERT_EQ(again.exit_code, 0) << page << again.err;
    EXPECT_EQ(again.json()["largest_difference"], 0);
    EXPECT_GT(again.json()["numbers"], 5) << "cells of a table are compared as numbers";
    EXPECT_EQ(std::filesystem::last_write_time(folder.path()), before) << "no file came or went";
    std::string& cell = made["parts"][0]["cells"][0].back().get_ref<std::string&>();
    cell = "123";
    std::ofstream(answer) << made;
    const Ran other = cli("rerun " + answer);
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.err.find("/parts/0/cells/0/"), std::string::npos) << other.err;
  }
}

// Calculator and Check in every form of data, of a model and of a session with what was chosen there.
TEST(RerunWindow, calculator_and_check_are_computed_again) {
  const TempFolder folder;
  const std::string file = folder / "s.attnscope";
  for (const char* view : {"calculator --page flops", "calculator --page parameters", "check"})
    for (const char* form : {".json", ".csv", ".npz", ".safetensors"}) {
      const std::string answer = folder / (std::string("a") + form);
      ASSERT_EQ(cli("figure" + kWindowStory + " --view " + view + " -o " + answer).exit_code, 0) << view;
      const Ran again = cli("rerun " + answer + " --json");
      ASSERT_EQ(again.exit_code, 0) << view << form << again.err;
      EXPECT_GT(again.json()["numbers"], 10) << view << form;
    }
  keep_a_circuit(file);
  Json session = Json::parse(read_text(file));
  session["look"] = {
      {"view", "calculator"},
      {"views", {{"calculator", {{"pane", "cache"}, {"preset", "gpt2"}, {"seq", 100}, {"dtype", "f32"}}}}}};
  std::ofstream(file) << session;
  const Ran shown = cli("figure " + file + " --format json -o -");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.json()["parts"][0]["cells"][0][1], std::to_string(2 * 12 * 768 * 100 * 4));
  const Json calc = cli("calc gpt2 --seq 100 --dtype f32 --json").json();
  EXPECT_EQ(shown.json()["parts"][0]["cells"][0][1], std::to_string(std::int64_t{calc["kv_cache"]["own"]}));
}

// The linear twin by token: the directions of the row that was chosen, those of attribute --directions.
TEST(RerunWindow, the_directions_of_a_twin_are_those_of_the_command) {
  const TempFolder folder;
  const std::string file = folder / "s.attnscope", answer = folder / "a.json";
  keep_a_circuit(file);
  Json session = Json::parse(read_text(file));
  session["look"] = {
      {"ask",
       {{"page", "parts"}, {"sum", "twin_token"}, {"twin_row", 2}, {"measure", "logit_diff:cat,mat"}}}};
  std::ofstream(file) << session;
  ASSERT_EQ(cli("figure " + file + " --view ask -o " + answer).exit_code, 0);
  const Ran again = cli("rerun " + answer);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const Json parts = Json::parse(read_text(answer))["parts"];
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1]["id"], "directions");
  const std::string asked =
      "attribute " + file + " --measure logit_diff:cat,mat --linear --json --directions 2";
  const Json rows = cli(asked).json()["rows"];
  EXPECT_EQ(cli(asked + " --by token").json()["rows"], rows);
  expect_refused(asked + " --by head", 1, "--by head");
  ASSERT_EQ(parts[1]["values"].size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(double(parts[1]["values"][i][0]), double(rows[i]["singular"]), 1e-6);
    EXPECT_NEAR(double(parts[1]["values"][i][3]), double(rows[i]["value"]), 1e-6);
  }
}

// What a session does not hold is said.
TEST(RerunWindow, a_page_of_ask_says_what_is_missing) {
  const TempFolder folder;
  const std::string file = folder / "s.attnscope";
  keep_a_circuit(file);
  Json session = Json::parse(read_text(file));
  const std::vector<std::pair<Json, std::string>> asked{
      {{{"page", "texts"}}, "no data set"},
      {{{"page", "circuit"}}, "no data set"},
      {{{"page", "steer"}}, "No edit adds a vector"},
      {{{"page", "patch"}}, "the other prompt"},
      {{{"page", "graph"}, {"graph_file", "other.json"}}, "read from the file"}};
  for (const auto& [ask, said] : asked) {
    session["look"]["ask"] = ask;
    session["look"]["ask"]["measure"] = "logit:cat";
    std::ofstream(file) << session;
    expect_refused("figure " + file + " --view ask -o " + (folder / "f.json"), 1, said);
  }
}

// Data of a lab have no model, and a command all the same.
TEST(RerunWindow, a_lab_is_computed_again) {
  const TempFolder folder;
  for (const char* form : {"json", "csv", "npz"}) {
    const std::string file = folder / (std::string("lab.") + form);
    ASSERT_EQ(cli("figure --view labs --page sqrt --set d_k=64 -o " + file).exit_code, 0);
    const Ran again = cli("rerun " + file);
    EXPECT_EQ(again.exit_code, 0) << form << again.err;
  }
}

// A direction is an answer, too, as the arrays that it is written into and as JSON beside them.
TEST(RerunWindow, a_direction_is_computed_again) {
  const TempFolder folder;
  const std::string data = folder / "d.jsonl", file = folder / "v.npz", printed = folder / "v.json";
  std::ofstream(data) << R"({"text": "The cat was tired."})"
                      << "\n";
  const std::string ask =
      "direction model:storyteller --data " + data + " --against task:storyteller --limit 2 -o ";
  ASSERT_EQ(cli(ask + file).exit_code, 0);
  std::ofstream(printed) << cli(ask + (folder / "w.npz") + " --json").out;
  for (const std::string& answer : {file, printed}) {
    const Ran again = cli("rerun " + answer);
    EXPECT_EQ(again.exit_code, 0) << again.err;
  }
}

}  // namespace
}  // namespace attnscope
