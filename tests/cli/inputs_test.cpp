// What the command line takes as input beside one text: batches with padding, masks as text, decoders,
// images; and recordings.
#include <iterator>
#include <limits>
#include <map>

#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/session/data_set.h"
#include "tests/cli/program.h"
#include "tests/request_sample.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

std::shared_ptr<TensorSource> traced(const TempFolder& folder, const std::string& arguments) {
  const std::string path = folder / "out.safetensors";
  const Ran ran = cli("trace " + arguments + " --out " + path);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto source = open_safetensors(path);
  EXPECT_TRUE(source) << arguments;
  return source ? *source : nullptr;
}

Tensor at(const TensorSource& source, const std::string& name) {
  const auto tensor = source.load(name);
  EXPECT_TRUE(tensor) << name;
  return tensor ? *tensor : Tensor();
}

TEST(CliInputs, a_scene_reads_files_elsewhere_only_where_that_is_allowed) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "given");
  ASSERT_TRUE(write_npz(folder / "numbers.npz", {{"a", Tensor::filled({{Axis::none, 1}}, 2.f)}}, {}));
  std::filesystem::copy(folder / "numbers.npz", folder / "given/numbers.npz");
  const std::string scene = folder / "given/s.json";
  Json all = Json::parse(read_text(source_path("assets/scenes/nine_steps.json")));
  const auto info = [&](const std::string& numbers, const std::string& flag) {
    all["edits"] = {"blocks.0.attn.z=@" + numbers + ":a"};
    std::ofstream(scene) << all;
    return cli("info " + scene + flag);
  };
  EXPECT_EQ(info("numbers.npz", "").exit_code, 0) << "beside the scene, wherever one stands";
  for (const std::string& numbers : {std::string("../numbers.npz"), folder / "numbers.npz"}) {
    const Ran refused = info(numbers, "");
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("--allow-outside"), std::string::npos) << refused.err;
    const Ran allowed = info(numbers, " --allow-outside");
    EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  }
}

TEST(CliInputs, a_scene_of_another_version_is_refused) {
  const TempFolder folder;
  Json scene = Json::parse(read_text(source_path("assets/scenes/tiny_gpt.json")));
  for (const Json& version : {Json(99), Json(4294967297), Json("x")}) {
    scene["version"] = version;
    std::ofstream(folder / "s.json") << scene;
    expect_refused("trace " + folder / "s.json", 1, "version");
  }
  scene.erase("version");
  std::ofstream(folder / "s.json") << scene;
  EXPECT_EQ(cli("trace " + folder / "s.json").exit_code, 0);
}

// 1.1 GB of a file that is nearly all hole: its shape is refused before it is read.
TEST(CliInputs, an_array_that_is_too_large_is_refused_by_its_shape) {
  const TempFolder folder;
  const std::string header =
      R"({"blocks.0.attn.z":{"dtype":"F32","shape":[1024,1024,270],"data_offsets":[0,1132462080]}})";
  const std::string path = folder / "r.safetensors";
  {
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t size = header.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file << header;
  }
  std::filesystem::resize_file(path, 8 + header.size() + 1132462080);
  expect_refused("trace " + path, 1, "283,115,520 numbers");
}

// What is not a number is said as such: no 0 that nobody computed, no sign of a NaN.
TEST(CliInputs, a_run_that_overflows_says_so_in_every_table) {
  const std::string run =
      " --text 'The cat sat' --edit 'blocks.0.mlp.out*=1e30' --edit 'blocks.0.mlp.out*=1e30'";
  const Ran trace = cli("trace model:storyteller" + run + " --summary");
  std::istringstream lines(trace.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("blocks.0.mlp.out", 0) != 0) continue;
    std::istringstream words(line);
    std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
    ASSERT_GE(all.size(), 4u);
    EXPECT_EQ(all[all.size() - 4], "-") << line << ": no mean";
    EXPECT_EQ(all[all.size() - 2], "256") << line << ": all of them infinite";
  }
  EXPECT_NE(trace.out.find("blocks.0.mlp.out"), std::string::npos);
  const Ran why =
      cli("why model:storyteller" + run + " --cell 'blocks.1.attn.pattern[head=3,query=-1,key=2]'");
  EXPECT_EQ(why.out.find("-nan"), std::string::npos) << why.out;
  const Ran heads = cli("heads model:storyteller" + run + " --json");
  EXPECT_EQ(heads.out.find("\"entropy\":0.0"), std::string::npos) << heads.out.substr(0, 600);
  const Ran figure = cli("figure model:storyteller" + run + " --view output --level easy -o -");
  EXPECT_NE(figure.out.find("NaN"), std::string::npos) << figure.out;
  EXPECT_EQ(figure.out.find("likeliest"), std::string::npos) << figure.out;
}

// attnscope takes the same table (tests/app/files_test.cpp).
TEST(CliInputs, every_flag_of_a_run_is_taken) {
  const std::string help = cli("trace --help").out;
  for (const RequestFlag& flag : request_flags()) {
    const std::string name = "--" + std::string(flag.name);
    EXPECT_NE(help.find(name), std::string::npos) << name;
    const Ran ran = cli("trace nowhere " + name + " " + request_sample(flag));
    EXPECT_EQ(ran.exit_code, 1) << name << ": 2 says that the flag is unknown: " << ran.err;
    EXPECT_NE(ran.err.find("nowhere"), std::string::npos) << name;
  }
}

// attnscope takes the same table (tests/app/files_test.cpp).
TEST(CliInputs, every_flag_of_a_data_set_is_taken) {
  for (const char* command : {"ablate", "patch", "attribute", "heads", "trace", "compare"}) {
    const std::string help = cli(std::string(command) + " --help").out;
    for (const DataFlag& flag : data_flags()) {
      EXPECT_NE(help.find(flag.name), std::string::npos) << command << " " << flag.name;
      const std::string second = std::string(command) == "compare" ? " nowhere " : " ";
      const std::string of = std::string(flag.name) == "--data" ? " " : " --data none.jsonl ";
      const Ran ran = cli(std::string(command) + " nowhere" + second + flag.name + " " + flag.sample + of +
                          (std::string(command) == "trace" || std::string(command) == "heads" ||
                                   std::string(command) == "compare"
                               ? ""
                               : " --measure logit"));
      const bool seed = std::string(flag.name) == "--seed";  // nothing is drawn from a file
      EXPECT_EQ(ran.exit_code, seed ? 2 : 1)
          << command << " " << flag.name << ": 2 says that the flag is unknown: " << ran.err;
    }
  }
}

TEST(CliInputs, padding_changes_no_row_that_is_real) {
  const TempFolder folder;
  const std::string model = model_path("gpt2") + " --ids 1,2,3 --steps logits,blocks.2.attn.pattern";
  const Tensor alone = at(*traced(folder, model), "logits");
  for (const bool left : {false, true}) {
    const auto padded = traced(folder, model + " --pad-to 5 --pad-side " + (left ? "left" : "right"));
    const Tensor rows = at(*padded, "logits").slice(0, left ? 2 : 0, left ? 5 : 3);
    EXPECT_LE(max_abs_difference(alone, rows), 1e-5) << left;
    EXPECT_EQ(at(*padded, "blocks.2.attn.pattern").at(0, 4, left ? 0 : 4), 0.f);
  }
  expect_refused("trace " + model_path("gpt2") + " --ids 1,2,3 --pad-to 2", 1, "--pad-to");
}

TEST(CliInputs, masks_as_text_and_as_matrices) {
  const TempFolder folder;
  const std::string model = model_path("llama") + " --ids 4,5,6 --steps blocks.0.attn.mask";
  const Tensor full = at(*traced(folder, model + " --mask full"), "blocks.0.attn.mask");
  EXPECT_EQ(stats(full).min, 1.f);
  const Tensor window = at(*traced(folder, model + " --mask 'causal & window(2)'"), "blocks.0.attn.mask");
  EXPECT_EQ(window.values(), (std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1, 1}));
  const Tensor spans =
      at(*traced(folder, model + " --spans a=1,b=2 --mask 'b>a | a>b'"), "blocks.0.attn.mask");
  EXPECT_EQ(spans.values(), (std::vector<float>{0, 1, 1, 1, 0, 0, 1, 0, 0}));
  std::ofstream(folder / "mask.json") << "[[1,1,0],[0,1,0],[1,1,1]]";
  const Tensor matrix =
      at(*traced(folder, model + " --mask @" + (folder / "mask.json")), "blocks.0.attn.mask");
  EXPECT_EQ(matrix.values(), (std::vector<float>{1, 1, 0, 0, 1, 0, 1, 1, 1}));
  expect_refused("trace " + model + " --mask 'matrix([[1,0],[1,1]])'", 1, "(2, 2)");
  std::ofstream(folder / "twos.json") << "[[1,2,0],[0,1,0],[1,1,1]]";
  expect_refused("trace " + model + " --mask @" + (folder / "twos.json"), 1, "twos.json");
  expect_refused("trace " + model + " --mask 'c>a'", 1, "\"c\"");
  expect_refused("trace " + model + " --spans a=9", 1, "9 tokens");
}

TEST(CliInputs, a_scene_is_traced_with_the_edits_in_its_file) {
  const TempFolder folder;
  Json scene = Json::parse(read_text(source_path("assets/scenes/nine_steps.json")));
  const std::string path = folder / "edited.json";
  const auto pattern = [&](const std::string& more) {
    std::ofstream(path) << scene.dump();
    return at(*traced(folder, path + " --steps blocks.0.attn.pattern" + more), "blocks.0.attn.pattern");
  };
  EXPECT_GT(pattern("").at(0, 2, 0), 0.f);
  scene["edits"] = {{"masks", {{{"of", "main"}, {"cells", {{2, 0, 0}}}}}}};
  EXPECT_EQ(pattern("").at(0, 2, 0), 0.f);
  EXPECT_EQ(pattern("").at(0, 0, 1), 0.f);
  EXPECT_GT(pattern(" --mask full").at(0, 0, 1), 0.f);
  scene["edits"] = {{"masks", {{{"of", "cross"}, {"spec", "full"}}}}};
  std::ofstream(path) << scene.dump();
  expect_refused("trace " + path, 1, "no encoder");
}

TEST(CliInputs, masks_of_the_encoder_and_across) {
  const TempFolder folder;
  const std::string model = model_path("marian") + " --ids 4,5,6 --decoder-ids 0,7";
  const auto run = traced(folder, model +
                                      " --mask enc:causal --mask 'cross:matrix([[1,0,0],[0,1,1]])' "
                                      "--steps '*.mask'");
  EXPECT_EQ(at(*run, "enc.blocks.1.attn.mask").values(), (std::vector<float>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  EXPECT_EQ(at(*run, "dec.blocks.1.cross.mask").values(), (std::vector<float>{1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(at(*run, "dec.blocks.1.attn.mask").values(), (std::vector<float>{1, 0, 1, 1}));
  expect_refused("trace " + model + " --mask 'cross:matrix([[1,0],[1,1]])'", 1, "(2, 3)");
  expect_refused("trace " + model + " --mask vision:full", 1, "no vision tower");
  expect_refused("trace " + model + " --mask enc:", 1, "empty");
  expect_refused("trace " + model_path("gpt2") + " --ids 1,2 --mask enc:full", 1, "no encoder");
}

TEST(CliInputs, encoder_and_decoder) {
  const TempFolder folder;
  const std::string bart = model_path("bart") + " --ids 3,4,5,6";
  const auto both = traced(folder, bart + " --decoder-ids 2,7,8");
  EXPECT_EQ(at(*both, "dec.blocks.1.cross.pattern").sizes(), (std::vector<std::int64_t>{4, 3, 4}));
  EXPECT_EQ(at(*both, "enc.blocks.0.attn.pattern").sizes(), (std::vector<std::int64_t>{4, 4, 4}));
  EXPECT_EQ(*both->load_ints("tokens"), (std::vector<std::int64_t>{2, 7, 8}));
  EXPECT_EQ(*both->load_ints("enc.tokens"), (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(at(*traced(folder, bart + " --steps dec.logits"), "dec.logits").size(0), 1);
  const Json made = cli("generate " + bart + " --max-new-tokens 3 --json").json();
  EXPECT_EQ(made["ids"].size(), 3u);
  expect_refused("trace " + model_path("gpt2") + " --ids 1 --decoder-ids 1", 1, "no decoder");
  expect_refused("trace " + bart + " --decoder-ids 2 --decoder-ids 2", 1, "2 decoder inputs");
  expect_refused("trace " + bart + " --decoder-ids 999", 1, "999");
  expect_refused("generate " + model_path("bert") + " --ids 1,2 --max-new-tokens 1", 1, "cannot generate");
}

TEST(CliInputs, images) {
  const TempFolder folder;
  const std::string picture = source_path("tests/golden/pictures/rgb.png");
  const auto seen = traced(folder, model_path("vit") + " --image " + picture);
  EXPECT_EQ(at(*seen, "patches").sizes(), (std::vector<std::int64_t>{16, 192}));
  EXPECT_EQ(at(*seen, "logits").sizes(), (std::vector<std::int64_t>{1, 7}));
  const auto both = traced(folder, model_path("paligemma_prefix") + " --ids 5,6 --image " + picture);
  EXPECT_EQ(at(*both, "vision.projected").sizes(), (std::vector<std::int64_t>{4, 40}));
  EXPECT_EQ(at(*both, "merged").size(0), 6);
  expect_refused("trace " + model_path("vit"), 1, "no input");
  expect_refused("trace " + model_path("gpt2") + " --ids 1 --image " + picture, 1, "does not look at images");
  expect_refused("trace " + model_path("vit") + " --image " + source_path("README.md"), 1, "README.md");
}

TEST(CliInputs, a_recording_is_summed_up_and_never_run) {
  const TempFolder folder;
  const auto first = traced(folder, model_path("t5") + " --ids 3,4,5 --decoder-ids 0,6");
  ASSERT_TRUE(first);
  const std::string path = folder / "out.safetensors";
  EXPECT_EQ(cli("info " + path + " --json").json()["architecture"], "recording");
  const Ran sums = cli("trace " + path + " --steps dec.logits");
  EXPECT_EQ(sums.exit_code, 0) << sums.err;
  EXPECT_NE(sums.out.find("(2, 199)"), std::string::npos) << sums.out;
  ASSERT_EQ(cli("trace " + path + " --out " + (folder / "again.npz")).exit_code, 0);
  ASSERT_EQ(cli("trace " + (folder / "again.npz") + " --out " + (folder / "twice.npz")).exit_code, 0);
  EXPECT_EQ(
      cli("compare " + (folder / "again.npz") + " " + (folder / "twice.npz") + " --tolerance 0").exit_code,
      0);
  EXPECT_NE(read_text(folder / "again.npz").find("run.npy"), std::string::npos) << "what was run";
  expect_refused("trace " + path + " --ids 1,2", 1, "recording");
  expect_refused("trace " + path + " --gradients", 1, "recording");
  expect_refused("generate " + path + " --ids 1,2 --max-new-tokens 2", 1, "recording");
  expect_refused("bench " + path, 1, "recording");
}

TEST(CliInputs, sequences_of_a_recording_keep_their_names) {
  const TempFolder folder;
  ASSERT_TRUE(traced(folder, model_path("gpt2") + " --ids 1,2 --ids 3,4,5 --steps embed"));
  std::string bytes = read_text(folder / "out.safetensors");
  for (std::size_t at = 0; (at = bytes.find("seq1.", at)) != std::string::npos;)
    bytes.replace(at, 5, "seq7.");
  std::ofstream(folder / "named.safetensors", std::ios::binary) << bytes;
  const Ran ran = cli("trace " + (folder / "named.safetensors"));
  EXPECT_NE(ran.out.find("seq7.embed"), std::string::npos) << ran.out << ran.err;
  EXPECT_EQ(ran.out.find("seq1."), std::string::npos) << ran.out;
}

// What counts from the end counts from the last token that is no padding, for steps, edits and keys alike; of
// measures and data sets tests/core/session/padding_test.cpp says it.
TEST(CliInputs, the_last_position_is_the_last_token_on_either_side_of_padding) {
  const TempFolder folder;
  const std::string model = model_path("gpt2"), ids = model + " --ids 1,2,3";
  const auto at_end = [&](const std::string& words) {
    const auto run =
        traced(folder, words + " --steps 'logits[pos=-1],blocks.0.attn.pattern[head=0,query=-1,key=-2]'");
    std::pair<std::vector<float>, float> out;
    for (const TensorInfo& info : run->infos()) {  // names have the row's own number
      if (info.name.starts_with("logits[")) out.first = at(*run, info.name).values();
      if (info.name.starts_with("blocks.")) out.second = at(*run, info.name).at(0);
    }
    return out;
  };
  const std::string edit = " --edit 'blocks.0.mlp.out[pos=-1]=0'";
  for (const std::string& rest : {std::string(), edit}) {
    const auto alone = at_end(ids + rest);
    for (const char* side : {"left", "right"}) {
      const auto padded = at_end(ids + " --pad-to 5 --pad-side " + side + rest);
      for (std::size_t i = 0; i < alone.first.size(); ++i)
        EXPECT_NEAR(padded.first[i], alone.first[i], 1e-5) << side << rest;
      EXPECT_NEAR(padded.second, alone.second, 1e-6) << side << rest;
    }
  }
  expect_refused(
      "trace " + ids + " --pad-to 5 --pad-side left --steps 'logits[pos=-4]' --out " + (folder / "x.npz"), 1,
      "padding");
}

// Which rows are padding is exported, and read again.
TEST(CliInputs, padding_is_exported_and_read_back) {
  const TempFolder folder;
  const auto padded = traced(folder, model_path("gpt2") + " --ids 1,2,3 --ids 4 --pad-to 4 --pad-side left");
  EXPECT_EQ(*padded->load_ints("attention_mask"), (std::vector<std::int64_t>{0, 1, 1, 1}));
  EXPECT_EQ(*padded->load_ints("seq1.attention_mask"), (std::vector<std::int64_t>{0, 0, 0, 1}));
  const auto across = traced(folder, model_path("bart") + " --ids 3,4 --decoder-ids 2,7 --pad-to 3");
  EXPECT_EQ(across->find("attention_mask"), nullptr);  // the decoder is not padded
  EXPECT_EQ(*across->load_ints("enc.attention_mask"), (std::vector<std::int64_t>{1, 1, 0}));
  const Ran again =
      cli("trace " + (folder / "out.safetensors") + " --steps dec.logits --out " + (folder / "b.json"));
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(read_text(folder / "b.json"))["enc.attention_mask"]["values"], Json({1, 1, 0}));
}

// What a scene brings is padded and parted like what is typed; vectors have no padding.
TEST(CliInputs, options_reach_the_inputs_of_a_scene) {
  const TempFolder folder;
  const auto padded = traced(folder, "scene:three_sentences --pad-to 6 --steps blocks.0.attn.pattern");
  EXPECT_EQ(*padded->load_ints("attention_mask"), (std::vector<std::int64_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(*padded->load_ints("seq1.attention_mask"), (std::vector<std::int64_t>{1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(at(*padded, "blocks.0.attn.pattern").at(0, 2, 3), 0.f);
  const std::string parts = " --spans a=1,b=2 --spans a=1,b=3 --spans a=1,b=1 --mask 'b>a | a>b'";
  const auto parted = traced(folder, "scene:three_sentences" + parts + " --steps blocks.0.attn.mask");
  EXPECT_EQ(at(*parted, "blocks.0.attn.mask").values(), (std::vector<float>{0, 1, 1, 1, 0, 0, 1, 0, 0}));
  expect_refused("trace scene:nine_steps --pad-to 9", 1, "--pad-to");
}

TEST(CliInputs, a_text_is_read_from_a_file) {
  const TempFolder folder;
  std::ofstream(folder / "story.txt") << "The cat sat\n";
  std::ofstream(folder / "told.txt") << "Le chat";
  const auto ids = [](const std::string& text) {
    return cli("tokenize model:storyteller --json --text " + text).json()["ids"];
  };
  EXPECT_EQ(ids("@" + (folder / "story.txt")), ids("\"The cat sat\""));
  const auto answer = [](const std::string& words) {  // without the command, which each says itself
    Json out = cli(words).json();
    EXPECT_EQ(out.erase("run"), 1u);
    return out;
  };
  const std::string one = "generate model:storyteller --json --max-new-tokens 1 --text ";
  EXPECT_EQ(answer(one + "@" + (folder / "story.txt")), answer(one + "\"The cat sat\""));
  const std::string both = "trace model:translator --summary --steps dec.embed --text \"the cat sleeps\"";
  EXPECT_EQ(cli(both + " --decoder-text @" + (folder / "told.txt")).exit_code, 0);
  std::ofstream(folder / "at.txt") << "@a";
  const std::string bytes = "tokenize " + source_path("tests/golden/tokenizers/bytelevel_bpe") + " --json ";
  EXPECT_EQ(answer(bytes + "--text @@a"), answer(bytes + "--file " + (folder / "at.txt")));
  expect_refused("trace model:storyteller --text @" + (folder / "none.txt"), 1, "@@");
}

TEST(CliInputs, what_a_vocabulary_cannot_spell_is_named) {
  const std::string text = " --text \"The gryphon sat on the zyx. The gryphon\"";
  const Ran ran = cli("generate model:storyteller --json --max-new-tokens 1" + text);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.json()["unknown"], Json({"gryphon", "zyx"}));
  EXPECT_NE(ran.err.find("\"gryphon\", \"zyx\""), std::string::npos) << ran.err;
  EXPECT_EQ(cli("tokenize model:storyteller --json" + text).json()["unknown"], Json({"gryphon", "zyx"}));
  const std::string measure = " --json --measure logit:cat";
  EXPECT_EQ(cli("ablate model:storyteller --over head" + measure + text).json()["unknown"].size(), 2u);
  EXPECT_EQ(cli("heads model:storyteller --json" + text + " --against-text \"The wyvern\"").json()["unknown"],
            Json({"gryphon", "zyx", "wyvern"}));
  EXPECT_EQ(cli("rollout model:storyteller --json" + text).json()["unknown"], Json({"gryphon", "zyx"}));
  const TempFolder folder;
  const std::string out = folder / "run.json";
  ASSERT_EQ(cli("trace model:storyteller --steps embed --out " + out + text).exit_code, 0);
  EXPECT_NE(read_text(out).find(R"(gryphon\nzyx)"), std::string::npos) << read_text(out).substr(0, 400);
  EXPECT_FALSE(cli("rollout model:storyteller --json --text \"The cat\"").json().contains("unknown"));
  EXPECT_FALSE(cli("tokenize model:storyteller --json --text \"The cat\"").json().contains("unknown"));
  const Ran blank = cli("trace model:storyteller --summary --steps logits --text \"   \"");
  EXPECT_EQ(blank.exit_code, 0);
  EXPECT_NE(blank.err.find("<bos>"), std::string::npos) << blank.err;
}

TEST(CliInputs, a_stream_is_written_where_it_stands) {
  const TempFolder folder;
  const std::string ask = "ablate model:storyteller --measure logit:cat --text \"The cat\" --over head";
  const Ran piped = cli(ask + " --out /dev/stdout");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(piped.out.starts_with("step,head,value,clean,run\nblocks.0.attn.z,0,")) << piped.out;
  const Ran file =
      cli(ask + " --out /dev/stdout > " + (folder / "log") + "; printf end >> " + (folder / "log"));
  EXPECT_EQ(read_text(folder / "log"), piped.out + "end");
  EXPECT_EQ(cli(ask + " --out /dev/stderr").err, piped.out);
  const Ran traced_out = cli("trace model:storyteller --text \"The cat\" --steps logits --out /dev/stdout");
  EXPECT_TRUE(traced_out.json().contains("logits")) << traced_out.err;
  const std::string text = " --text \"The cat sat\" ", to = " --out /dev/stdout";
  const auto begins = [](const std::string& words, const std::string& with) {
    const Ran ran = cli(words);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with(with)) << ran.out.substr(0, 200);
  };
  begins("path model:storyteller --from blocks.0.attn.z --to logits --measure logit:cat" + text + to,
         "from,to,value");
  begins("why model:storyteller --cell 'blocks.1.attn.pattern[head=3,query=-1,key=2]'" + text + to,
         "query,key,value");
  begins("circuits model:induction" + to, "block,head");
  begins("figure model:storyteller --view attention --format svg" + text + to, "<");
  begins("figure model:storyteller --view attention" + text + to, "");
  begins("report model:storyteller" + text + to, "<!DOCTYPE html>");
}

TEST(CliInputs, numbers_that_are_none_are_refused) {
  const TempFolder folder;
  std::vector<float> pixels(3 * 32 * 32, 0.5f);
  pixels[7] = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(write_npy(folder / "image.npy",
                        Tensor::from(pixels, {{Axis::none, 3}, {Axis::none, 32}, {Axis::none, 32}})));
  expect_refused("trace " + model_path("vit") + " --image " + (folder / "image.npy"), 1,
                 "image.npy\" holds numbers that are NaN");
  expect_refused("trace " + model_path("gpt2") + " --ids 1,2 --types 0,1", 1, "no segments");
  expect_refused("trace " + model_path("bert") + " --ids 1,2 --types 0,7", 1, "Segment 7");
  expect_refused("trace " + model_path("gpt2") + " --ids 1,2 --gradients --target 999999", 1, "999999");
}

}  // namespace
}  // namespace attnscope
