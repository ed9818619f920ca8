// Every command of attnscope-cli from the outside: what it prints, what it writes, how it fails.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/step/catalog.h"
#include "core/step/place.h"
#include "tests/cli/program.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

const std::string kScene = source_path("assets/scenes/nine_steps.json");

Tensor load(const TensorSource& source, const std::string& name) {
  auto tensor = source.load(name);
  EXPECT_TRUE(tensor) << name;
  return tensor ? *tensor : Tensor();
}

TEST(Cli, help_everywhere) {
  for (const char* command : {"", "steps", "trace", "generate", "tokenize", "info", "bench", "train",
                              "ablate", "patch", "attribute", "compare", "merge"}) {
    const Ran ran = cli(std::string(command) + " --help");
    EXPECT_EQ(ran.exit_code, 0) << command;
    EXPECT_NE(ran.out.find("--help"), std::string::npos) << command;
    EXPECT_NE(ran.out.find("attnscope-cli"), std::string::npos) << command;
  }
  EXPECT_NE(cli("bench --help").out.find("random:gpt2-small"), std::string::npos);
}

TEST(Cli, usage_errors_are_2) {
  expect_refused("", 2, "A command is missing.");
  expect_refused("frobnicate", 2, "There is no command \"frobnicate\"");
  expect_refused("trace", 2, "MODEL is missing.");
  expect_refused("trace x --frob", 2, "not understood: \"--frob\".");
  expect_refused("generate x --ids 1", 2, "--max-new-tokens");
  expect_refused("generate x --ids 1 --max-new-tokens soon", 2, "--max-new-tokens");
  for (const char* bad : {"-1", "nan", "inf", "-inf", "1e999", "warm"})
    expect_refused("generate x --ids 1 --max-new-tokens 3 --temperature=" + std::string(bad), 2,
                   "--temperature");
  for (const char* bad : {"nan", "-0.1", "1.1"})
    expect_refused("generate x --ids 1 --max-new-tokens 3 --top-p=" + std::string(bad), 2, "--top-p");
  for (const char* bad : {"-1", "1.5", "0x10", "1e", "18446744073709551616"})
    expect_refused("generate x --ids 1 --max-new-tokens 3 --seed=" + std::string(bad), 2, "--seed");
  expect_refused("train sorter --out x --rate nan", 2, "--learning-rate: it takes a number from");
  expect_refused("train sorter --out x --seed=-1", 2, "--seed");
  expect_refused("trace x --gradients --target=-2", 2, "--target: it takes a whole number from 0");
  expect_refused("info x --memory-limit ''", 2, "--memory-limit");
  expect_refused("info x --memory-limit nan", 2, "--memory-limit: it takes an amount of memory");
  expect_refused("trace x --ids 1 --out ''", 2, "--out: it takes a value");
  expect_refused("trace x --ids ''", 2, "--ids: it takes a value");
  expect_refused("bench x --tokens 0", 2, "--tokens");
  expect_refused("tokenize x", 1, "--text or --file");
  expect_refused("train sorter --data x --out y", 2, "does not go with");
  expect_refused("train sorter --out y --order up", 2, "\"up\" is none of pre, post");
  expect_refused("train NO_SUCH_TASK", 1, "NO_SUCH_TASK");
  expect_refused("train sorter", 2, "--out is missing");
  expect_refused("lab sqrt --set keys=0", 1, "keys");
}

TEST(Cli, steps_is_the_catalog) {
  const Json rows = cli("steps --json").json()["rows"];
  ASSERT_EQ(rows.size(), catalog().size());
  std::map<std::string, Json> by_name;
  for (const Json& row : rows) by_name[row["name"]] = row;
  EXPECT_EQ(by_name["blocks.L.attn.pattern"]["axes"], Json({"head", "query", "key"}));
  EXPECT_EQ(by_name["blocks.L.attn.pattern"]["derived"], true);
  EXPECT_EQ(by_name["blocks.L.attn.pattern"]["aliases"], Json::array({"attn.hook_pattern"}));
  EXPECT_EQ(by_name["logits"]["axes"], Json({"pos", "vocab"}));
  const Ran lines = cli("steps");
  EXPECT_EQ(lines.exit_code, 0);
  EXPECT_NE(lines.out.find("blocks.L.mlp.post"), std::string::npos);
}

TEST(Cli, trace_writes_both_sequences_of_the_scene) {
  const TempFolder folder;
  for (const std::string& model : {kScene, std::string("scene:nine_steps")}) {
    const Ran ran = cli("trace " + model + " --out " + (folder / "t.safetensors"));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "");
    const auto file = *open_safetensors(folder / "t.safetensors");
    EXPECT_EQ(load(*file, "blocks.0.attn.pattern").sizes(), (std::vector<std::int64_t>{2, 4, 4}));
    EXPECT_EQ(load(*file, "seq1.blocks.0.attn.out").sizes(), (std::vector<std::int64_t>{4, 2}));
    EXPECT_NEAR(load(*file, "blocks.0.attn.q").at(0, 0), 0.03462059423327446, 1e-6);
    EXPECT_EQ(file->find("tokens"), nullptr);  // its input is rows of numbers
    for (const TensorInfo& info : file->infos()) EXPECT_EQ(info.dtype, DType::f32) << info.name;
  }
}

// The program itself says which models travel in it; each opens from any folder.
TEST(Cli, shipped_models_open_by_name) {
  const Ran asked = cli("info model:frob");
  EXPECT_EQ(asked.exit_code, 1);
  EXPECT_NE(asked.err.find("There is no shipped model \"model:frob\""), std::string::npos) << asked.err;
  std::string names = asked.err.substr(asked.err.find("\".") + 2);
  for (std::size_t at = names.find("model:"); at != std::string::npos; at = names.find("model:", at)) {
    const std::size_t end = names.find_first_of(",.", at);
    const std::string name = names.substr(at, end - at);
    const Json info = cli("info " + name + " --json").json();
    EXPECT_EQ(info["path"], name);
    EXPECT_EQ(info["notes"], Json::array()) << name;
    EXPECT_TRUE(info["tokenizer"].is_number()) << name;
    at = end;
  }
}

TEST(Cli, trace_agrees_with_the_reference) {
  const TempFolder folder;
  const auto expected = *open_safetensors(model_path("llama") + "/expected.safetensors");
  const auto ids = *expected->load_ints("input_ids");
  std::string text;
  for (std::size_t i = 0; i < 11; ++i) text += (i ? "," : "") + std::to_string(ids[i]);
  const Ran ran = cli("trace " + model_path("llama") + " --ids " + text + " --out " + (folder / "t.npz"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const auto file = *read_npz(folder / "t.npz");
  EXPECT_EQ(*file->load_ints("tokens"), std::vector<std::int64_t>(ids.begin(), ids.begin() + 11));
  EXPECT_LE(max_abs_difference(load(*file, "logits"), load(*expected, "logits").select(0, 0)), 1e-4);
  EXPECT_LE(
      max_abs_difference(load(*file, "blocks.1.attn.pattern"), load(*expected, "attentions.1").select(0, 0)),
      1e-4);
  EXPECT_NE(file->find("probs"), nullptr);
  EXPECT_NE(file->find("blocks.2.attn.scores"), nullptr);
}

TEST(Cli, trace_selects_steps_and_keeps_the_order_of_sequences) {
  const TempFolder folder;
  const Ran ran =
      cli("trace " + model_path("gpt2") +
          " --ids 1,2,3 --ids 4,5 --steps 'blocks.0-1.attn.pattern,logits' --out " + (folder / "t.json"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json file = Json::parse(read_text(folder / "t.json"));
  EXPECT_EQ(file["tokens"]["values"], Json({1, 2, 3}));
  EXPECT_EQ(file["seq1.tokens"]["values"], Json({4, 5}));
  EXPECT_EQ(file["seq1.logits"]["shape"], Json({2, 199}));
  EXPECT_TRUE(file.contains("blocks.1.attn.pattern"));
  EXPECT_FALSE(file.contains("blocks.2.attn.pattern"));
  EXPECT_FALSE(file.contains("blocks.0.attn.q"));
}

// The fixture's tokenizer beside the fixture's model: its ids run beyond the small vocabulary, short texts
// stay inside.
TEST(Cli, text_and_ids_mix_in_the_order_given) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  fs::copy(model_path("llama"), folder / "model");
  fs::copy(source_path("tests/golden/tokenizers/bytelevel_bpe/tokenizer.json"),
           folder / "model/tokenizer.json");
  const Json a = cli("tokenize " + (folder / "model") + " --text '!' --json").json();
  const Json c = cli("tokenize " + (folder / "model") + " --text '#$' --json").json();
  const Ran ran = cli("trace " + (folder / "model") +
                      " --text '!' --ids 7,8 --text '#$' --ids 9 --steps embed --out " + (folder / "t.json"));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json file = Json::parse(read_text(folder / "t.json"));
  EXPECT_EQ(file["tokens"]["values"], a["ids"]);
  EXPECT_EQ(file["seq1.tokens"]["values"], Json({7, 8}));
  EXPECT_EQ(file["seq2.tokens"]["values"], c["ids"]);
  EXPECT_EQ(file["seq3.tokens"]["values"], Json({9}));
  expect_refused("trace " + (folder / "model") + " --text ''", 1, "The text is empty");
}

TEST(Cli, trace_sums_up) {
  for (const char* extra : {"", " --summary"}) {
    const Ran ran = cli("trace " + kScene + std::string(extra) + " --steps '*.pattern,*.q'");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 5) << ran.out;
    EXPECT_NE(ran.out.find("seq1.blocks.0.attn.pattern"), std::string::npos);
    EXPECT_NE(ran.out.find("(2, 4, 4)"), std::string::npos);
  }
}

TEST(Cli, trace_refuses_in_one_sentence) {
  const std::string model = model_path("gpt2");
  expect_refused("trace nowhere --ids 1", 1, "nowhere");
  expect_refused("trace scene:frob", 1, "scene:nine_steps");
  expect_refused("trace " + model, 1, "no input");
  expect_refused("trace " + model + " --text hello", 1, "no tokenizer");
  expect_refused("trace " + model + " --ids 1,2,x", 1, "\"1,2,x\" is not a list");
  expect_refused("trace " + model + " --ids ,", 1, "is not a list");
  expect_refused("trace " + model + " --ids 1,,2", 1, "is not a list");
  expect_refused("trace " + model + " --ids 99999999999999", 1, "is not a list");
  expect_refused("trace " + model + " --ids 1,199", 1,
                 "Token id 199 at position 1 is outside the vocabulary of 199");
  expect_refused("trace " + model + " --ids=-1", 1, "Token id -1");
  std::string long_input = "0";
  for (int i = 0; i < 64; ++i) long_input += ",0";
  expect_refused("trace " + model + " --ids " + long_input, 1, "positions for 64");
  expect_refused("trace " + model + " --ids 1 --steps '*.patern'", 1, "*.patern");
  expect_refused("trace " + model + " --ids 1 --steps attn.frob", 1, "attn.frob");
  expect_refused("trace " + model + " --ids 1 --steps ,", 1, "empty part");
  expect_refused("trace " + model + " --ids 1 --out t.xyz", 1, "t.xyz");
  expect_refused("trace " + model + " --ids 1 --out /nowhere/t.npz", 1, "/nowhere");
  expect_refused("trace " + kScene + " --ids 1", 1, "rows of numbers");
  expect_refused("trace " + source_path("README.md"), 1, "README.md");
  expect_refused("trace " + source_path("tests/golden/nine_step_attention.json"), 1,
                 "nine_step_attention.json");
}

// A head of a long run is exported without the step that it is a part of.
TEST(Cli, trace_takes_parts_of_steps) {
  const TempFolder folder;
  const std::string run =
      "trace " + model_path("gpt2") + " --ids 1,2,3,4 --gradients --out " + (folder / "t.json") + " --steps ";
  const Ran whole = cli(run + "blocks.1.attn.pattern,logits,blocks.1.attn.split_k");
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Json all = Json::parse(read_text(folder / "t.json"));
  const Ran ran =
      cli(run +
          "'blocks.1.attn.pattern[head=1],blocks.*.attn.hook_pattern[head=1,query=3],logits[pos=2],"
          "logits[pos=2,vocab=5],*.split_k[head=2,pos=1]'");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const Json file = Json::parse(read_text(folder / "t.json"));
  const Json pattern = all["blocks.1.attn.pattern"]["values"], logits = all["logits"]["values"];
  EXPECT_EQ(file["blocks.1.attn.pattern[head=1]"]["axes"], Json({"query", "key"}));
  EXPECT_EQ(file["blocks.1.attn.pattern[head=1]"]["values"], pattern[1]);
  EXPECT_EQ(file["blocks.1.attn.pattern[head=1,query=3]"]["values"], pattern[1][3]);
  EXPECT_EQ(file["logits[pos=2]"]["values"], logits[2]);
  EXPECT_NEAR(file["logits[pos=2,vocab=5]"]["values"][0].get<double>(), logits[2][5].get<double>(), 1e-6);
  EXPECT_EQ(file["blocks.1.attn.split_k[head=2,pos=1]"]["values"],
            all["blocks.1.attn.split_k"]["values"][2][1]);
  EXPECT_EQ(file["blocks.1.attn.pattern.grad[head=1]"]["values"],
            all["blocks.1.attn.pattern.grad"]["values"][1]);
  EXPECT_FALSE(file.contains("blocks.1.attn.pattern"));
  expect_refused("trace " + model_path("gpt2") + " --ids 1 --steps 'logits[head=0]'", 1, "no axis \"head\"");
  expect_refused("trace " + model_path("gpt2") + " --ids 1 --steps 'logits[pos=1]'", 1, "there is no pos 1");
}

TEST(Cli, generate_is_greedy_by_default) {
  const auto expected = *open_safetensors(model_path("gpt2") + "/expected.safetensors");
  const auto ids = *expected->load_ints("greedy");
  std::string prompt;
  for (std::size_t i = 0; i < 11; ++i) prompt += (i ? "," : "") + std::to_string(ids[i]);
  const Json made =
      cli("generate " + model_path("gpt2") + " --ids " + prompt + " --max-new-tokens 8 --json").json();
  EXPECT_EQ(made["ids"], Json(std::vector<std::int64_t>(ids.begin() + 11, ids.end())));
  EXPECT_TRUE(made["text"].is_string());
  const std::string hot =
      "generate " + model_path("gpt2") + " --ids 5 --max-new-tokens 20 --temperature 3 --json --seed ";
  EXPECT_EQ(cli(hot + "1").out, cli(hot + "1").out);
  EXPECT_NE(cli(hot + "1").out, cli(hot + "2").out);
  const Ran plain = cli("generate " + model_path("gpt2") + " --ids " + prompt + " --max-new-tokens 2");
  EXPECT_EQ(plain.out, std::to_string(ids[11]) + "," + std::to_string(ids[12]) + "\n");
}

TEST(Cli, generate_refuses_in_one_sentence) {
  const std::string model = model_path("gpt2");
  expect_refused("generate " + model + " --max-new-tokens 3", 1, "one sequence");
  expect_refused("generate " + model + " --ids 1 --ids 2 --max-new-tokens 3", 1, "one sequence");
  expect_refused("generate " + kScene + " --ids 1 --max-new-tokens 3", 1, "cannot generate");
}

TEST(Cli, tokenize_gives_ids_tokens_and_byte_spans) {
  const TempFolder folder;
  std::ofstream(folder / "text.txt") << "hello wörld";
  const std::string tokenizer = source_path("tests/golden/tokenizers/bytelevel_bpe/tokenizer.json");
  Json from_text = cli("tokenize " + tokenizer + " --text 'hello wörld' --json").json();
  Json from_file = cli("tokenize " + source_path("tests/golden/tokenizers/bytelevel_bpe") + " --file " +
                       (folder / "text.txt") + " --json")
                       .json();
  EXPECT_NE(from_text["run"], from_file["run"]) << "each says its own command";
  from_text.erase("run"), from_file.erase("run");
  EXPECT_EQ(from_text, from_file);
  EXPECT_EQ(from_text["ids"].size(), from_text["tokens"].size());
  EXPECT_EQ(from_text["ids"].size(), from_text["spans"].size());
  EXPECT_EQ(from_text["spans"].back(), Json({11, 12}));  // bytes: ö has two
  EXPECT_EQ(cli("tokenize " + tokenizer + " --text '' --json").json()["ids"], Json::array());
  EXPECT_EQ(cli("tokenize " + tokenizer + " --text hello").exit_code, 0);
  std::ofstream(folder / "nothing.txt");
  EXPECT_EQ(cli("tokenize " + tokenizer + " --file " + (folder / "nothing.txt") + " --json").json()["ids"],
            Json::array());
  expect_refused("tokenize " + model_path("gpt2") + " --text x", 1, "tokenizer.json");
  expect_refused("tokenize nowhere --text x", 1, "nowhere");
  Json doubles = Json::parse(read_text(tokenizer));
  const Json twice = {{"type", "Replace"}, {"pattern", {{"String", "l"}}}, {"content", "ll"}};
  doubles["normalizer"] = {{"type", "Sequence"}, {"normalizers", Json::array()}};
  for (int i = 0; i < 40; ++i) doubles["normalizer"]["normalizers"].push_back(twice);
  std::ofstream(folder / "doubles.json") << doubles.dump();
  expect_refused("tokenize " + (folder / "doubles.json") + " --text hello", 1,
                 "doubles.json\": The tokenizer");
  expect_refused("tokenize " + tokenizer + " --file " + (folder / "none.txt"), 1, "none.txt");
}

// Whatever `info` opens has its tokens told.
TEST(Cli, tokenize_opens_what_info_opens) {
  const TempFolder folder;
  const Json info = cli("info scene:tiny_gpt --json").json();
  ASSERT_FALSE(info.empty());
  expect_refused("tokenize model:frob --text x", 1, "no shipped model");
  expect_refused("tokenize scene:frob --text x", 1, "no shipped scene");
  expect_refused("tokenize scene:nine_steps --text x", 1, "has no tokenizer");
  expect_refused("tokenize " + kScene + " --text x", 1, "nine_steps");
  ASSERT_EQ(cli("trace " + kScene + " --out " + (folder / "run.npz")).exit_code, 0);
  expect_refused("tokenize " + (folder / "run.npz") + " --text x", 1, "run.npz\" has no tokenizer");
  const Ran shipped = cli("info model:storyteller --json");
  if (shipped.exit_code != 0) GTEST_SKIP() << "built without models";
  const Json made = cli("tokenize model:storyteller --text 'The cat sat' --json").json();
  EXPECT_EQ(made["tokens"], Json({"<bos>", "The", "cat", "sat"}));
}

// The model without a checkpoint is one wherever a model is asked for; it takes seconds to make, so once.
TEST(Cli, the_random_model_opens_everywhere) {
  const Ran ran = cli("trace random:gpt2-small --ids 1,2 --steps 'logits[pos=1,vocab=7]'");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("logits[pos=1,vocab=7]"), std::string::npos) << ran.out;
}

TEST(Cli, places_that_take_no_files_are_called_so) {
  const std::string run = "trace scene:nine_steps --out ";
  expect_refused(run + "/proc/t.npz", 1, "Read-only");
  expect_refused(run + "/proc/nowhere/t.npz", 1, "No such file");
  expect_refused("train sorter --steps 1 --out /proc/nowhere/model", 1,
                 "The folder \"/proc/nowhere/model\" cannot");
}

// What a file or an argument says never speaks to the terminal, and never fills it.
TEST(Cli, messages_are_printable_and_short) {
  const TempFolder folder;
  const std::string shout = "\x1b]0;owned\x07" + std::string(60'000, 'x');
  std::ofstream(folder / "shout") << shout;
  std::ofstream(folder / "model.json")
      << Json{{"format", "attnscope-scene"}, {"config", {{"order", shout}}}}.dump();
  std::filesystem::create_directory(folder / "model");
  std::ofstream(folder / "model/config.json") << Json{{"model_type", shout}}.dump();
  const std::string argument = "\"$(head -c 50000 " + (folder / "shout") + ")\"";
  for (const std::string& arguments :
       {"info " + argument, "info " + (folder / "model.json"), "info " + (folder / "model"), argument,
        "trace scene:tiny_gpt --steps " + argument, "trace scene:tiny_gpt --text " + argument,
        "trace scene:tiny_gpt --ids 1 --mask " + argument, "trace scene:tiny_gpt --ids " + argument,
        "trace scene:tiny_gpt --ids 1,2 --spans " + argument, "generate scene:tiny_gpt --seed " + argument,
        "train " + argument + " --out x", "tokenize model:" + argument + " --text a",
        "info x --memory-limit " + argument, "trace scene:tiny_gpt --ids 1 --out " + argument}) {
    const Ran ran = cli(arguments);
    EXPECT_NE(ran.exit_code, 0) << arguments;
    EXPECT_EQ(ran.err.find_first_of("\x1b\x07"), std::string::npos) << arguments;
    EXPECT_LT(ran.err.size(), 4000u) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
}

// Errors say which file they are about, whoever finds them.
TEST(Cli, messages_name_the_file) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  const std::string broken = folder / "broken";
  fs::copy(model_path("llama"), broken);
  Json config = Json::parse(read_text(broken + "/config.json"));
  const auto refused = [&](const Json& changed) {
    std::ofstream(broken + "/config.json") << changed.dump();
    expect_refused("info " + broken, 1, broken);
  };
  for (const char* key : {"hidden_size", "num_hidden_layers", "intermediate_size", "vocab_size"}) {
    Json changed = config;
    changed[key] = 7;
    refused(changed);
    changed.erase(key);
    refused(changed);
    changed[key] = "many";
    refused(changed);
  }
  refused(Json::array());
  for (const char* name : {"empty.json", "empty.npz", "empty.safetensors", "empty.gguf"}) {
    std::ofstream(folder / name);
    expect_refused("info " + (folder / name), 1, name);
  }
  std::ofstream(folder / "scene.json") << R"({"format": "attnscope-scene", "config": {"d_model": 0}})";
  expect_refused("info " + (folder / "scene.json"), 1, folder / "scene.json");
}

TEST(Cli, info_tells_what_a_model_is_made_of) {
  const Json info = cli("info " + model_path("llama3") + " --json").json();
  EXPECT_EQ(info["architecture"], "Llama");
  EXPECT_EQ(info["layers"], 2);
  EXPECT_EQ(info["attention"]["kv_heads"], 2);
  EXPECT_EQ(info["positions"]["scaling"], "llama3");
  EXPECT_EQ(info["dtype"], "BF16");
  EXPECT_EQ(info["context_length"], 256);
  EXPECT_EQ(info["head"]["tied"], true);
  std::int64_t sum = 0;
  for (const auto& [part, count] : info["parameters"]["by_part"].items()) sum += count.get<std::int64_t>();
  EXPECT_EQ(info["parameters"]["total"], sum);
  EXPECT_EQ(info["bytes"].get<std::int64_t>(), 2 * sum);  // tied: the table is counted and stored once
  EXPECT_EQ(info["weight_health"]["nan"], 0);
  EXPECT_EQ(cli("info " + model_path("gpt2") + " --json").json()["parameters"]["by_part"]["embedding"],
            (199 + 64) * 48);
  EXPECT_NE(cli("info " + kScene).out.find("Nine steps"), std::string::npos);
  expect_refused("info nowhere", 1, "nowhere");
}

TEST(Cli, bench_measures_beside_the_machine) {
  const Json measured = cli("bench " + model_path("llama") + " --tokens 16 --json").json();
  EXPECT_GT(measured["prefill"]["ms"].get<double>(), 0);
  EXPECT_GT(measured["prefill"]["sgemm_peak_gflop_per_s"].get<double>(), 1);
  EXPECT_GT(measured["prefill"]["fma_peak_gflop_per_s"].get<double>(), 1);
  EXPECT_GT(measured["packed_weight_bytes"].get<std::int64_t>(), 0);
  EXPECT_GT(measured["decode"]["memory_bandwidth_gb_per_s"].get<double>(), 1);
  EXPECT_NEAR(measured["prefill"]["share_of_sgemm_peak"].get<double>(),
              measured["prefill"]["gflop_per_s"].get<double>() /
                  measured["prefill"]["sgemm_peak_gflop_per_s"].get<double>(),
              1e-9);
  // 3 blocks: 48x48 q and out, 48x16 k and v, three 48x88; the head for one row; causal pairs of 6 heads of 8
  const double flops = 2.0 * 16 * 3 * (2 * 48 * 48 + 2 * 48 * 16 + 3 * 48 * 88) + 2.0 * 48 * 199 +
                       3 * 4.0 * (16 * 17 / 2) * 48;
  EXPECT_NEAR(measured["prefill"]["gflop"].get<double>() * 1e9, flops, 1);
  expect_refused("bench " + kScene, 1, "no language model");
  expect_refused("bench " + model_path("gpt2") + " --tokens 65", 1, "positions for 64");
}

TEST(Cli, output_that_cannot_be_written_is_an_error) {
  const Ran ran = cli("steps > /dev/full");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("could not be written"), std::string::npos);
}

// A model whose config names fewer layers than the file has.
TEST(Cli, what_a_config_leaves_unused_is_said) {
  const TempFolder folder;
  const std::string model = folder / "m";
  std::filesystem::copy(model_path("gpt2"), model);
  Json config = Json::parse(read_text(model + "/config.json"));
  config["n_layer"] = 1;
  std::ofstream(model + "/config.json") << config;
  const Json info = cli("info " + model + " --json").json();
  ASSERT_EQ(info["warnings"].size(), 1u);
  EXPECT_NE(info["warnings"][0].get<std::string>().find("transformer.h.1"), std::string::npos)
      << info["warnings"];
  EXPECT_GT(info["unused"].size(), 10u);
  EXPECT_NE(cli("info " + model).out.find("warning          The config leaves"), std::string::npos);
  for (const std::string& command : {"trace " + model + " --ids 1,2 --steps logits",
                                     "generate " + model + " --ids 1,2 --max-new-tokens 1"}) {
    const Ran ran = cli(command);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_NE(ran.err.find("transformer.h.1"), std::string::npos) << command;
    EXPECT_EQ(ran.out.find("unused"), std::string::npos) << "stdout holds the results alone";
  }
  const Ran whole = cli("trace " + model_path("gpt2") + " --ids 1,2 --steps logits");
  EXPECT_EQ(whole.err, "");
  EXPECT_TRUE(cli("info " + model_path("gpt2") + " --json").json()["warnings"].empty());
}

}  // namespace
}  // namespace attnscope
