// Models written as folders: opened again they are the same bit for bit, under the names of the checkpoints
// in tests/golden; what a layout cannot say is refused, and a write that fails leaves the old model.
#include "core/arch/save_model.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/arch/open.h"
#include "core/arch/scene_config.h"
#include "core/base/text.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ModelPointer = std::shared_ptr<const Model>;

std::string golden(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/" + name;
}

std::vector<std::string> golden_models() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(golden("")))
    out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

constexpr const char* kGpt2 = R"({"d_model": 12, "vocab_size": 11, "n_layers": 2, "norm": {"kind": "layer"},
  "final_norm": {"kind": "layer"}, "attention": {"n_heads": 3, "d_head": 4},
  "mlp": {"kind": "plain", "activation": "gelu_new", "d_mlp": 20},
  "positions": {"kind": "learned", "max_positions": 16}, "head": {"present": true, "tied": true},
  "bos": 1, "eos": 2, "pad": 0})";
constexpr const char* kLlama =
    R"({"d_model": 12, "vocab_size": 11, "n_layers": 2, "norm": {"kind": "rms", "eps": 1e-6},
  "final_norm": {"kind": "rms", "eps": 1e-6}, "attention": {"n_heads": 4, "n_kv_heads": 2, "d_head": 6},
  "mlp": {"kind": "gated", "activation": "silu", "d_mlp": 20},
  "positions": {"kind": "rope", "rope_theta": 500.0, "max_positions": 16}, "head": {"present": true}, "eos": 2})";
constexpr const char* kBert = R"({"d_model": 12, "vocab_size": 11, "n_layers": 2, "order": "post",
  "norm": {"kind": "layer", "eps": 1e-12}, "embed_norm": {"kind": "layer", "eps": 1e-12},
  "attention": {"n_heads": 3, "d_head": 4, "causal": false}, "type_vocab": 2,
  "mlp": {"kind": "plain", "activation": "gelu", "d_mlp": 20},
  "positions": {"kind": "learned", "max_positions": 16},
  "head": {"present": true, "tied": true, "transform": true, "activation": "gelu",
           "norm": {"kind": "layer", "eps": 1e-12}}, "pad": 0})";
constexpr const char* kMarian = R"({"d_model": 12, "vocab_size": 11, "n_layers": 2, "order": "post",
  "norm": {"kind": "layer"}, "attention": {"n_heads": 3, "d_head": 4}, "cross": {}, "embed_scale": 3.46410161514,
  "mlp": {"kind": "plain", "activation": "relu", "d_mlp": 20},
  "positions": {"kind": "sinusoidal", "halves": true, "max_positions": 16},
  "head": {"present": true, "tied": true}, "eos": 1, "pad": 0, "decoder_start": 0,
  "encoder": {"d_model": 12, "vocab_size": 11, "n_layers": 1, "order": "post", "norm": {"kind": "layer"},
    "attention": {"n_heads": 2, "d_head": 6, "causal": false}, "embed_scale": 3.46410161514,
    "mlp": {"kind": "plain", "activation": "relu", "d_mlp": 20},
    "positions": {"kind": "sinusoidal", "halves": true, "max_positions": 16}, "shares_embedding": true}})";
// Attention alone, two layers that differ.
constexpr const char* kInduction = R"({"d_model": 12, "vocab_size": 11,
  "norm": {"kind": "layer"}, "attention": {"n_heads": 3, "d_head": 4},
  "blocks": [{"attention": {"window": 3, "cap": 7.5}}, {}],
  "positions": {"kind": "alibi"}, "head": {"present": true}, "never_said": [0, 5]})";
constexpr const char* kSight = R"({"d_model": 8, "vocab_size": 16, "n_layers": 2, "norm": {"kind": "rms"},
  "final_norm": {"kind": "rms"}, "attention": {"n_heads": 2, "n_kv_heads": 1, "d_head": 4,
     "mask": "causal | image>image | image>prompt | prompt>image | prompt>prompt"},
  "mlp": {"kind": "gated", "activation": "gelu_new", "d_mlp": 16}, "positions": {"kind": "rope"},
  "head": {"present": true, "tied": true}, "image_token": 15, "embed_scale": 2.8284271247,
  "vision": {"d_model": 6, "norm": {"kind": "layer"}, "final_norm": {"kind": "layer"},
    "patch": {"size": 2, "channels": 3, "rows": 2, "cols": 2}, "n_layers": 1,
    "attention": {"n_heads": 2, "n_kv_heads": 2, "d_head": 3, "causal": false},
    "mlp": {"kind": "plain", "activation": "gelu_new", "d_mlp": 16},
    "positions": {"kind": "learned", "max_positions": 4}, "projected": 8}})";

ModelConfig config_of(const json& object) {
  auto config = config_from_json(object, "test");
  EXPECT_TRUE(config) << (config ? "" : config.error().text());
  return config ? *config : ModelConfig{};
}

// Random numbers everywhere, biases and norms too; no weight whose name holds `without`.
ModelPointer random_model(const ModelConfig& config, const std::string& without = "?") {
  Weights weights;
  std::uint64_t seed = 1;
  const Weights all = random_weights(config, 7);
  for (const auto& [name, drawn] : all.all()) {
    if (name.find(without) != std::string::npos) continue;
    const bool plain = drawn.rank() == 1;
    weights.set(
        name, plain ? Tensor::from(normal_numbers(++seed, drawn.count(), 0.3f), {{Axis::out, drawn.size(0)}})
                    : drawn);
  }
  auto model = Model::make(config, std::move(weights));
  EXPECT_TRUE(model) << (model ? "" : model.error().text());
  return model ? *model : nullptr;
}
ModelPointer random_model(const char* text, const std::string& without = "?") {
  return random_model(config_of(json::parse(text)), without);
}

OpenedModel must_open(const std::string& path) {
  auto opened = open_model(path);
  EXPECT_TRUE(opened) << path << ": " << (opened ? "" : opened.error().text());
  return opened ? *opened : OpenedModel{};
}

void must_save(const std::string& folder, std::string_view layout, const Model& model,
               const json& tokenizer = nullptr) {
  const Status saved = save_model(folder, layout, model, tokenizer);
  ASSERT_TRUE(saved) << layout << ": " << saved.error().text();
}

Tensor pixels_for(const PatchSpec& patch) {
  const std::int64_t rows = std::int64_t{patch.rows} * patch.size,
                     cols = std::int64_t{patch.cols} * patch.size;
  return Tensor::from(normal_numbers(3, patch.channels * rows * cols, 1.f),
                      {{Axis::none, patch.channels}, {Axis::none, rows}, {Axis::none, cols}});
}

// An input that the model can read.
Input input_for(const ModelConfig& config) {
  Input input;
  if (config.patch.size > 0) input.pixels = pixels_for(config.patch);
  if (const ModelConfig* vision = config.vision()) {
    input.pixels = pixels_for(vision->patch);
    input.ids.assign(static_cast<std::size_t>(vision->patch.count()), config.image_token);
  }
  if (config.patch.size == 0) input.ids.insert(input.ids.end(), {3, 1, 4, 1, 5});
  if (config.encoder()) input.source = {2, 7, 1, 8};
  return input;
}

std::vector<float> logits(const Model& model) {
  const auto trace = model.run(input_for(model.config()));
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  if (!trace) return {};
  std::vector<float> out;
  for (std::int64_t row = 0; row < (*trace)->length; ++row) {
    const std::vector<float> one = (*trace)->logits_row(row).values();
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

void expect_same_model(const Model& is, const Model& was) {
  EXPECT_EQ(config_to_json(is.config()), config_to_json(was.config()));
  for (const auto& [name, tensor] : was.weights().all()) {
    ASSERT_TRUE(is.weights().find(name)) << name;
    EXPECT_EQ(is.weights().get(name).sizes(), tensor.sizes()) << name;
    EXPECT_EQ(is.weights().get(name).values(), tensor.values()) << name;
  }
  EXPECT_EQ(is.weights().all().size(), was.weights().all().size());
}

// A matrix read along its rows and one read down its columns are summed in different orders.
void expect_near(const std::vector<float>& is, const std::vector<float>& was) {
  ASSERT_EQ(is.size(), was.size());
  for (std::size_t i = 0; i < is.size(); ++i) ASSERT_NEAR(is[i], was[i], 5e-5) << i;
}

// Saved and opened, and once more: the second time the matrices lie as they did, and so do the logits.
void expect_round_trip(std::string_view layout, const ModelPointer& model) {
  ASSERT_TRUE(model);
  const testing::TempFolder folder;
  must_save(folder / "once", layout, *model);
  const OpenedModel once = must_open(folder / "once");
  ASSERT_TRUE(once.model);
  EXPECT_EQ(once.dtype, "F32");
  expect_same_model(*once.model, *model);
  expect_near(logits(*once.model), logits(*model));
  must_save(folder / "twice", layout, *once.model);
  const OpenedModel twice = must_open(folder / "twice");
  ASSERT_TRUE(twice.model);
  expect_same_model(*twice.model, *model);
  EXPECT_EQ(logits(*twice.model), logits(*once.model));
}

TEST(SaveModel, a_model_of_each_layout_opens_again_bit_for_bit) {
  expect_round_trip("gpt2", random_model(kGpt2, "logits.bias"));
  expect_round_trip("llama", random_model(kLlama, ".bias"));
  expect_round_trip("llama", random_model(kLlama, "logits.bias"));  // biases in attention and MLP
  expect_round_trip("bert", random_model(kBert));
  expect_round_trip("attnscope", random_model(kInduction));
  expect_round_trip("attnscope", random_model(kSight));
}

// Matrices of these two lie in the file as training leaves them.
TEST(SaveModel, a_trained_model_says_the_same_bit_for_bit) {
  for (const auto& [layout, model] :
       {std::pair("gpt2", random_model(kGpt2, "logits.bias")),
        std::pair("attnscope", random_model(kInduction)), std::pair("attnscope", random_model(kSight))}) {
    const testing::TempFolder folder;
    must_save(folder / "model", layout, *model);
    EXPECT_EQ(logits(*must_open(folder / "model").model), logits(*model)) << layout;
  }
}

TEST(SaveModel, a_translator_opens_again_bit_for_bit) {
  json config = json::parse(kMarian);
  ModelConfig model = config_of(config);
  model.suppressed_tokens = {0};  // what the family's reader makes of the padding
  expect_round_trip("marian", random_model(model));
  config["encoder"]["shares_embedding"] = false;
  config["encoder"]["vocab_size"] = 13;
  model = config_of(config);
  model.suppressed_tokens = {4, 0};
  const ModelPointer two_tables = random_model(model);
  expect_round_trip("marian", two_tables);
  const testing::TempFolder folder;
  must_save(folder / "model", "marian", *two_tables);
  EXPECT_EQ(must_open(folder / "model").model->config().suppressed_tokens, (std::vector<int>{4, 0}));
}

TEST(SaveModel, the_variants_a_layout_can_say_open_again) {
  json gpt2 = json::parse(kGpt2), llama = json::parse(kLlama), bert = json::parse(kBert);
  gpt2["head"]["tied"] = false;
  gpt2["attention"]["scale"] = 1.0;
  gpt2["mlp"]["activation"] = "relu";
  expect_round_trip("gpt2", random_model(config_of(gpt2), "logits.bias"));
  gpt2["blocks"] = json::parse(R"([{"attention": {"scale": 0.5}}, {"attention": {"scale": 0.25}}])");
  expect_round_trip("gpt2", random_model(config_of(gpt2), "logits.bias"));
  llama["head"]["tied"] = true;
  for (const json& scaling :
       {json{{"rope_type", "linear"}, {"factor", 2.0}},
        json{{"rope_type", "dynamic"}, {"factor", 2.0}, {"original_max_position_embeddings", 8}},
        json{{"rope_type", "yarn"}, {"factor", 2.0}, {"original_max_position_embeddings", 8}},
        json{{"rope_type", "llama3"}, {"factor", 2.0}, {"original_max_position_embeddings", 8}}}) {
    llama["positions"]["rope_scaling"] = scaling;
    expect_round_trip("llama", random_model(config_of(llama), ".bias"));
  }
  bert["head"]["tied"] = false;
  bert["attention"]["causal"] = true;
  expect_round_trip("bert", random_model(config_of(bert)));
}

// Absent biases that the layout asks for are zeros, and change no number.
TEST(SaveModel, missing_biases_become_zeros) {
  for (const auto& [layout, text] : {std::pair("gpt2", kGpt2), std::pair("bert", kBert)}) {
    const ModelPointer model = random_model(text, ".bias");
    const testing::TempFolder folder;
    must_save(folder / "model", layout, *model);
    const OpenedModel opened = must_open(folder / "model");
    EXPECT_EQ(logits(*opened.model), logits(*model)) << layout;
    EXPECT_EQ(opened.model->weights().get("blocks.0.attn.q.bias").values(), std::vector<float>(12, 0.f));
  }
}

std::vector<std::string> names_of(const TensorSource& source) {
  std::vector<std::string> out;
  for (const TensorInfo& info : source.infos()) out.push_back(info.name);
  std::sort(out.begin(), out.end());
  return out;
}

// The same names, shapes and numbers as transformers wrote, and every field that both configs have.
TEST(SaveModel, checkpoints_are_written_as_they_were_found) {
  for (const std::string layout : {"gpt2", "llama", "bert", "marian"}) {
    const testing::TempFolder folder;
    must_save(folder / "model", layout, *must_open(golden(layout)).model);
    const auto ours = *open_safetensors(folder / "model/model.safetensors");
    const auto theirs = *open_safetensors(golden(layout) + "/model.safetensors");
    EXPECT_EQ(names_of(*ours), names_of(*theirs)) << layout;
    EXPECT_EQ(ours->metadata(), theirs->metadata());
    for (const TensorInfo& info : theirs->infos()) {
      ASSERT_TRUE(ours->find(info.name)) << info.name;
      EXPECT_EQ(ours->find(info.name)->shape, info.shape) << info.name;
      EXPECT_EQ(ours->load(info.name)->values(), theirs->load(info.name)->values()) << info.name;
    }
    const json config = *read_json_file(folder / "model/config.json"),
               wanted = *read_json_file(golden(layout) + "/config.json");
    for (const auto& [key, value] : wanted.items())
      EXPECT_TRUE(config.value(key, value) == value || key == "n_inner") << layout << ": " << key;
    for (const char* key : {"architectures", "model_type", "dtype", "vocab_size", "bos_token_id",
                            "eos_token_id", "pad_token_id", "tie_word_embeddings"})
      EXPECT_TRUE(config.contains(key)) << layout << ": " << key;
  }
}

// Our own layout says every model there is.
TEST(SaveModel, every_golden_model_can_be_said_by_specs) {
  for (const std::string& name : golden_models()) {
    SCOPED_TRACE(name);
    const ModelPointer model = must_open(golden(name)).model;
    expect_round_trip("attnscope", model);
  }
}

TEST(SaveModel, pictures_are_prepared_as_the_folder_says) {
  const testing::TempFolder folder;
  must_save(folder / "model", "attnscope", *random_model(kSight));
  const json file = *read_json_file(folder / "model/preprocessor_config.json");
  EXPECT_EQ(file["size"], json({{"height", 4}, {"width", 4}}));
  EXPECT_EQ(file["image_mean"], json({0.5, 0.5, 0.5}));
  EXPECT_EQ(file["image_std"], json({0.5, 0.5, 0.5}));
  const Preprocessing how = must_open(folder / "model").preprocessing;
  EXPECT_EQ(how.width, 4);
  EXPECT_FLOAT_EQ(how.rescale, 1.f / 255.f);
  must_save(folder / "blind", "attnscope", *random_model(kInduction));
  EXPECT_FALSE(fs::exists(folder / "blind/preprocessor_config.json"));
}

TEST(SaveModel, numbers_in_configs_are_short) {
  const testing::TempFolder folder;
  must_save(folder / "model", "attnscope", *random_model(kInduction));
  std::ifstream file(folder / "model/config.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(text.find("\"eps\": 1e-05"), std::string::npos) << text;
  EXPECT_EQ(must_open(folder / "model").model->config().suppressed_tokens, (std::vector<int>{0, 5}));
}

TEST(SaveModel, the_tokenizer_comes_along) {
  const json tokenizer = {
      {"version", "1.0"},
      {"added_tokens", json::array()},
      {"normalizer", nullptr},
      {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
      {"post_processor", nullptr},
      {"decoder", nullptr},
      {"model", {{"type", "WordLevel"}, {"vocab", {{"?", 0}, {"cat", 1}}}, {"unk_token", "?"}}}};
  const testing::TempFolder folder;
  must_save(folder / "model", "gpt2", *random_model(kGpt2, "logits.bias"), tokenizer);
  EXPECT_EQ(*read_json_file(folder / "model/tokenizer.json"), tokenizer);
  const OpenedModel opened = must_open(folder / "model");
  EXPECT_EQ(in_words(opened.notes), std::vector<std::string>{});
  ASSERT_TRUE(opened.tokenizer);
  EXPECT_EQ(token_label(opened, 1), "cat");
}

void expect_refused(std::string_view layout, const ModelPointer& model, const std::string& part) {
  ASSERT_TRUE(model);
  const testing::TempFolder folder;
  const Status saved = save_model(folder / "model", layout, *model, nullptr);
  ASSERT_FALSE(saved) << layout << ": " << part;
  EXPECT_NE(saved.error().sentence().find(part), std::string::npos) << saved.error().text();
  EXPECT_FALSE(saved.error().hint().empty());
  EXPECT_FALSE(fs::exists(folder / "model"));
  const Status asked = can_save(layout, *model);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().text(), saved.error().text());
}

ModelPointer changed(const char* text, const char* patch, const std::string& without) {
  json config = json::parse(text);
  config.merge_patch(json::parse(patch));
  return random_model(config_of(config), without);
}

TEST(SaveModel, what_a_layout_cannot_say_is_refused) {
  expect_refused("gpt2", changed(kGpt2, R"({"attention": {"window": 3}})", "logits.bias"),
                 "attention.window is 3, but would be read back as not set");
  expect_refused("gpt2", changed(kGpt2, R"({"norm": {"kind": "rms"}})", "logits.bias"), "norm");
  expect_refused("gpt2", changed(kGpt2, R"({"order": "post"})", "logits.bias"), "order is \"post\"");
  expect_refused("gpt2", random_model(kGpt2), "logits.bias has no place in it");
  expect_refused("gpt2", random_model(kInduction, "logits.bias"), "needs a tensor");
  expect_refused(
      "gpt2", changed(kGpt2, R"({"mlp": {"activation": "quick_gelu"}, "decoder_start": 3})", "logits.bias"),
      "decoder_start");
  expect_refused("llama", random_model(kGpt2), "needs a tensor blocks.0.mlp.gate.weight");
  expect_refused("llama", changed(kLlama, R"({"positions": {"partial_rotary_factor": 0.67}})", ".bias"),
                 "partial_rotary_factor");
  expect_refused("llama", changed(kLlama, R"({"positions": {"max_positions": null}})", ".bias"),
                 "max_position");
  expect_refused("llama", changed(kLlama, R"({"embed_scale": 2})", ".bias"), "embed_scale");
  expect_refused("bert", changed(kBert, R"({"head": null})", "?"), "head.pre.weight");
  expect_refused("bert", changed(kBert, R"({"type_vocab": null})", "?"), "type_embed.weight");
  expect_refused("bert", changed(kBert, R"({"attention": {"mask": "causal"}})", "?"), "attention.mask");
  expect_refused("marian", random_model(kBert), "has no encoder");
  expect_refused("marian", changed(kMarian, R"({"order": "pre"})", "?"), "order is not set");
  expect_refused("marian", changed(kMarian, R"({"positions": {"halves": false}})", "?"), "halves");
}

TEST(SaveModel, an_unknown_layout_is_named) {
  const Status saved = can_save("t5", *random_model(kGpt2));
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().sentence().find("\"t5\""), std::string::npos);
  EXPECT_NE(saved.error().hint().find("gpt2, llama, bert, marian, attnscope"), std::string::npos);
}

// A head that was edited apart from the table it repeats.
TEST(SaveModel, a_tie_that_no_longer_holds_is_refused) {
  const ModelPointer model = random_model(kGpt2, "logits.bias");
  Weights apart = model->weights();
  apart.set("logits.weight", apart.get("logits.weight").with_value({0, 0}, 42.f));
  expect_refused("gpt2",
                 std::make_shared<const Model>(std::make_shared<const ModelConfig>(model->config()),
                                               std::make_shared<const Weights>(std::move(apart))),
                 "logits.weight would be read back with other numbers");
}

TEST(SaveModel, a_folder_that_cannot_be_written_is_named) {
  const testing::TempFolder folder;
  std::ofstream(folder / "file") << "x";
  const Status saved =
      save_model(folder / "file/model", "gpt2", *random_model(kGpt2, "logits.bias"), nullptr);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), Code::io_failed);
  EXPECT_NE(saved.error().sentence().find("file/model"), std::string::npos);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// The limit on file sizes makes write() fail in the middle, as a full disk does: in model.safetensors, or,
// with a long tokenizer, after that was written.
void expect_survival(const json& tokenizer, rlim_t limit) {
  const ModelPointer old_model = random_model(kGpt2, "logits.bias"), other = random_model(kLlama, ".bias");
  const testing::TempFolder folder;
  must_save(folder / "model", "gpt2", *old_model);
  const std::vector<std::string> files = files_in(folder / "model");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{limit, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status saved = save_model(folder / "model", "llama", *other, tokenizer);
  const Status fresh = save_model(folder / "fresh", "llama", *other, tokenizer);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), Code::io_failed);
  EXPECT_NE(saved.error().sentence().find("File too large"), std::string::npos) << saved.error().text();
  EXPECT_EQ(files_in(folder / "model"), files);
  expect_same_model(*must_open(folder / "model").model, *old_model);
  EXPECT_FALSE(fresh);
  EXPECT_FALSE(fs::exists(folder / "fresh"));
}

TEST(SaveModel, a_full_disk_leaves_the_model_that_was_there) {
  expect_survival(nullptr, 5'000);
  expect_survival({{"words", std::string(400'000, 'x')}}, 200'000);
}

}  // namespace
}  // namespace attnscope
