// Models: folders of every family with a changed config.json, card, picture settings or head of the weights;
// GGUF files with changed entries and tensors; scenes. What opens runs.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/described.h"
#include "core/arch/gguf_model.h"
#include "core/arch/gguf_tokenizer.h"
#include "core/arch/open.h"
#include "core/base/text.h"
#include "core/io/gguf.h"
#include "core/io/json_file.h"
#include "tests/fuzz/format.h"
#include "tests/fuzz/sources.h"
#include "tests/golden/gguf_checkpoint.h"

namespace attnscope::fuzz {
namespace {

using nlohmann::json;

constexpr std::int64_t kMostRows = 64;
constexpr std::int64_t kMostWeights = 1 << 20;

// Something that a model of these sizes takes: words, words for the encoder, an image where one is looked at.
Input input_for(const ModelConfig& config) {
  Input input;
  input.ids = {1, 2, 3};
  if (config.encoder()) input.source = {4, 5, 6, 7};
  if (!config.sees()) return input;
  const PatchSpec& patch = config.vision() ? config.vision()->patch : config.patch;
  if (patch.count() > kMostRows || patch.size > kMostRows) return input;
  input.pixels = Tensor::filled({{Axis::in, patch.channels},
                                 {Axis::pos, std::int64_t{patch.rows} * patch.size},
                                 {Axis::dim, std::int64_t{patch.cols} * patch.size}},
                                0.5f);
  if (config.patch.size > 0) input.ids.clear();
  if (config.vision())
    input.ids.insert(input.ids.begin(), static_cast<std::size_t>(patch.count()), config.image_token);
  return input;
}

void run_model(const Model& model, const Input& input, const RunOptions& options = {}) {
  if (model.weights().parameter_count() > kMostWeights || input.length() > kMostRows) return;
  const auto trace = model.run(input, options);
  if (!trace) {
    refused(trace.error());
    return;
  }
  for (const Record& record : (*trace)->records()) use((*trace)->cell(record.site, {0, 0, 0}));
}

void formats_models_look_at(const OpenedModel& opened) {
  for (const Text& note : opened.notes) must(!note.str().empty(), "an empty note");
  for (const int id : {-1, 0, 1 << 20}) use(static_cast<double>(token_label(opened, id).size()));
  use(static_cast<double>(weight_health(opened.model->weights()).nans));
  const Described sizes =
      describe_model(opened.title, opened.family, opened.model->config(), opened.model->weights());
  use(static_cast<double>(weights_of(sizes).size()));
  if (opened.card)
    for (const Input& input : opened.card->inputs) run_model(*opened.model, input);
  run_model(*opened.model, input_for(opened.model->config()));
}

// Half of the files are opened within a memory limit of nothing: matrices stay in the file.
OpenOptions options_for(const Files& files) {
  std::size_t sum = 0;
  for (const auto& [name, text] : files) sum += text.size();
  return {sum % 2 == 0 ? 0 : std::int64_t{1} << 30, {}};
}

// ---- folders ----
bool fits(const std::string& folder) {
  return std::filesystem::file_size(folder + "/model.safetensors") < 700'000;
}

// LLM.int8: whole numbers with a scale for each row; `order` says how they lie.
Files int8_files(const std::string& order) {
  testing::CheckpointFolder llama("llama");
  llama.config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_8bit", true}};
  std::vector<testing::RawTensor> more;
  for (testing::RawTensor& tensor : llama.tensors) {
    if (tensor.shape.size() != 2 || tensor.name.find("_proj.weight") == std::string::npos) continue;
    const auto count = static_cast<std::size_t>(tensor.shape[0] * tensor.shape[1]);
    const std::string module = tensor.name.substr(0, tensor.name.size() - 6);
    tensor.dtype = "I8";
    tensor.bytes = std::string(count, '\5');
    more.push_back({module + "SCB",
                    "F32",
                    {tensor.shape[0]},
                    testing::bytes_of(std::vector<float>(static_cast<std::size_t>(tensor.shape[0]), 0.5f))});
    more.push_back({module + "weight_format", "U8", {}, order});
  }
  llama.tensors.insert(llama.tensors.end(), more.begin(), more.end());
  const std::string folder = on_disk({});
  llama.write(folder);
  return {{"config.json", llama.config.dump()},
          {"model.safetensors", file_text(folder + "/model.safetensors")}};
}

std::vector<Files> family_seeds() {
  std::vector<Files> out{int8_files(std::string(1, '\0'))};
  const std::string root = std::string(ATTNSCOPE_SOURCE_DIR) + "/";
  for (const std::string& name : testing::golden_models()) {
    const std::string folder = "tests/golden/models/" + name;
    if (!fits(root + folder)) continue;
    out.push_back({{"config.json", repository_file(folder + "/config.json")},
                   {"model.safetensors", repository_file(folder + "/model.safetensors")}});
  }
  return out;
}

bool read_family(const Files& files) {
  ModelFiles views;
  for (const auto& [name, text] : files) views[name] = text;
  const auto opened = open_model_files(views, "model:x", options_for(files));
  if (!opened) return refused(opened.error(), "model:x");
  formats_models_look_at(*opened);
  return true;
}

// Configs that are told from damage: quantised weights, sizes as two numbers, a table of positions in the
// file.
std::vector<Files> family_misses() {
  std::vector<Files> out;
  const auto with = [&](const char* model, const json& patch) {
    const std::string folder = "tests/golden/models/" + std::string(model);
    json config = json::parse(repository_file(folder + "/config.json"));
    config.merge_patch(patch);
    out.push_back({{"config.json", config.dump()},
                   {"model.safetensors", repository_file(folder + "/model.safetensors")}});
  };
  with("llama", {{"quantization_config", {{"quant_method", "gptq"}}}, {"hidden_size", 1}});
  with("vit", {{"image_size", {32, 32}}});
  with("gemma2", {{"layer_types", {"sliding_attention", "full_attention", "full_attention"}}});
  with("qwen3", {{"layer_types", {"full_attention"}}});
  with("gemma", {{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 2.0}}}});
  json yarn{{"rope_type", "yarn"}, {"factor", 40.0}, {"mscale", 0.7}, {"mscale_all_dim", 1.0}}, slow = yarn;
  with("llama", {{"rope_parameters", yarn}});
  slow["beta_fast"] = 0.5;
  with("llama", {{"rope_parameters", slow}});
  with("llama", {{"rope_parameters", {{"full_attention", yarn}, {"sliding_attention", slow}}}});
  with("llama3",
       {{"rope_scaling", {{"rope_type", "llama3"}, {"high_freq_factor", 1.0}, {"low_freq_factor", 4.0}}}});
  for (const double part : {0.01, 0.4}) with("gpt_neox", {{"rotary_pct", part}, {"rope_scaling", yarn}});
  out.push_back(int8_files("\1"));
  testing::CheckpointFolder marian("marian");
  const std::int64_t width = marian.config["d_model"], rows = marian.config["max_position_embeddings"];
  for (const char* side : {"encoder", "decoder"})
    marian.add("model." + std::string(side) + ".embed_positions.weight", {rows, width}, 0.5f);
  const std::string folder = on_disk({});
  marian.write(folder);
  out.push_back({{"config.json", marian.config.dump()},
                 {"model.safetensors", file_text(folder + "/model.safetensors")}});
  return out;
}

std::vector<Files> folder_seeds() {
  const std::string folder = "assets/models/pilot";
  Files files;
  for (const char* name :
       {"config.json", "model.safetensors", "tokenizer.json", "card.json", "preprocessor_config.json"})
    files[name] = repository_file(folder + "/" + name);
  const std::string other = "tests/golden/models/vit";
  Files vit{
      {"config.json", repository_file(other + "/config.json")},
      {"model.safetensors", repository_file(other + "/model.safetensors")},
      {"preprocessor_config.json",
       R"({"do_rescale":false,"do_normalize":false,"image_mean":[0.5,0.5,0.5],"image_std":[0.5,0,0.5],"resample":0})"}};
  return {files, vit};
}

bool read_folder(const Files& files) {
  const auto opened = open_model(on_disk(files), options_for(files));
  if (!opened) return refused(opened.error());
  formats_models_look_at(*opened);
  const Preprocessing& how = opened->preprocessing;
  const auto again = preprocessing_by(opened->model->config(), preprocessing_to_json(how), "again.json");
  must(again && again->filter == how.filter && again->width == how.width && again->mean[0] == how.mean[0],
       "settings of pictures that read in two ways");
  return true;
}

// ---- GGUF: entries and tensors as JSON, written as a file ----
json value_of(const GgufValue& value) {
  if (const auto text = value.text()) return std::string(*text);
  if (const auto texts = value.texts()) {
    json out = json::array();
    for (const auto text : *texts) out.push_back(std::string(text));
    return out;
  }
  if (const auto numbers = value.numbers()) return *numbers;
  if (value.type() == GgufType::boolean) return value.flag().value_or(false);
  if (const auto integer = value.integer()) return *integer;
  return value.number().value_or(0);
}

Files described(const std::string& file) {
  const auto bytes = exact_bytes(file);
  const auto opened = open_gguf_bytes(bytes, *bytes, "seed");
  must(opened.ok(), "a GGUF seed does not open");
  json entries = json::object(), tensors = json::array();
  std::string data;
  for (const auto& [key, value] : opened->metadata) entries[key] = value_of(value);
  for (const TensorInfo& info : opened->tensors->infos()) {
    tensors.push_back(
        {info.name, info.shape, static_cast<int>(info.dtype == DType::f32 ? 0 : 1), info.bytes});
    data.append(reinterpret_cast<const char*>(bytes->data()) + info.offset, info.bytes);
  }
  return {{"entries.json", entries.dump()}, {"tensors.json", tensors.dump()}, {"values", data}};
}

void put_entry(testing::GgufWriter& writer, const std::string& key, const json& value) {
  if (value.is_boolean()) return writer.flag(key, value.get<bool>());
  if (value.is_string()) return writer.text(key, value.get<std::string>());
  if (value.is_number_float())
    return writer.real(key, static_cast<float>(std::clamp(value.get<double>(), -3e38, 3e38)));
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= UINT32_MAX)
    return writer.number(key, value.get<std::uint32_t>());
  if (value.is_number_unsigned())
    return writer.entry(key, 10, testing::GgufWriter::raw(value.get<std::uint64_t>()));
  if (value.is_number()) return writer.entry(key, 11, testing::GgufWriter::raw(value.get<std::int64_t>()));
  if (!value.is_array()) return;
  std::vector<std::string> texts;
  std::vector<double> numbers;
  for (const json& one : value) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
    if (one.is_number()) numbers.push_back(one.get<double>());
  }
  if (texts.size() >= numbers.size()) return writer.texts(key, texts);
  std::vector<float> floats;
  for (const double number : numbers) floats.push_back(static_cast<float>(std::clamp(number, -3e38, 3e38)));
  writer.numbers(key, 6, floats);
}

void put_tensor(testing::GgufWriter& writer, const json& tensor, const std::string& values, std::size_t& at) {
  if (!tensor.is_array() || tensor.size() < 4 || !tensor[0].is_string() || !tensor[1].is_array()) return;
  std::vector<std::int64_t> shape;
  for (const json& size : tensor[1])
    if (size.is_number_integer() && shape.size() < 8) shape.push_back(size.get<std::int64_t>());
  const auto whole = [](const json& value) {
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  };
  const std::size_t bytes = std::min<std::uint64_t>(whole(tensor[3]), values.size() - at);
  writer.tensor(tensor[0].get<std::string>(), shape, static_cast<std::uint32_t>(whole(tensor[2]) % 40),
                values.substr(at, bytes));
  at += bytes;
}

std::vector<Files> gguf_model_seeds() {
  std::vector<Files> out;
  for (const char* name :
       {"llama", "llama_yarn", "llama3", "gpt2", "qwen2", "qwen3", "gemma", "gemma2", "gpt_neox", "bert"}) {
    const testing::CheckpointFolder folder(name);
    const std::string file = testing::GgufCheckpoint(folder).writer.file();
    out.push_back(described(file));
    if (out.size() == 1) out.push_back({{"a.gguf", file}});
  }
  json entries = json::parse(out.front()["entries.json"]);
  entries.update(json{{"tokenizer.ggml.model", "llama"},
                      {"tokenizer.ggml.tokens", {"<unk>", "<s>", "a"}},
                      {"tokenizer.ggml.scores", {0.0, 0.0, -1.5}},
                      {"tokenizer.ggml.token_type", {2.5, 3.5, 1.5}},
                      {"tokenizer.ggml.bos_token_id", 1},
                      {"tokenizer.ggml.add_bos_token", true}});
  out.front()["entries.json"] = entries.dump();
  return out;
}

bool read_gguf_model(const Files& files) {
  const auto part = [&](const char* name) {
    const auto at = files.find(name);
    return at == files.end() ? std::string() : at->second;
  };
  const json entries = json::parse(part("entries.json"), nullptr, false);
  const json tensors = json::parse(part("tensors.json"), nullptr, false);
  testing::GgufWriter writer;
  if (entries.is_object())
    for (const auto& [key, value] : entries.items()) put_entry(writer, key, value);
  std::size_t at = 0;
  const std::string values = part("values");
  if (tensors.is_array())
    for (const json& tensor : tensors) put_tensor(writer, tensor, values, at);
  const bool whole = files.find("a.gguf") != files.end();
  const std::string path = on_disk({{"a.gguf", whole ? part("a.gguf") : writer.file()}}) + "/a.gguf";
  if (const auto file = open_gguf(path)) {
    const auto config = gguf_config(*file);
    const auto source =
        config ? gguf_source(*file, *config) : Result<std::shared_ptr<TensorSource>>(config.error());
    if (source) read_all(*source, 1 << 21, 4);
  }
  const auto opened = open_model(path, options_for(files));
  if (const auto tokenizer = open_any_tokenizer(path)) use(static_cast<double>((*tokenizer)->vocab_size()));
  if (!opened) return refused(opened.error(), "a.gguf");
  formats_models_look_at(*opened);
  return true;
}

// ---- scenes ----
const char* const kToy =
    R"({"format": "attnscope-scene", "version": 1, "title": {"en": "toy", "ko": "x"}, "seed": 5,
  "words": ["the", "cat", "sat", "mat", "on"], "config": {"d_model": 8, "vocab_size": 5, "n_layers": 2,
  "norm": {"kind": "layer"}, "final_norm": {"kind": "rms", "eps": 1e-5},
  "attention": {"n_heads": 4, "n_kv_heads": 2, "d_head": 4, "window": 3, "qk_norm": {"kind": "rms"}, "softcap": 20.0},
  "mlp": {"kind": "plain", "activation": "gelu", "d_mlp": 12}, "head": {"present": true, "tied": false},
  "positions": {"kind": "rope", "rope_scaling": {"rope_type": "llama3", "factor": 2.0}, "max_positions": 32}},
  "inputs": [{"ids": [0, 1, 2, 4], "spans": [["image", 0, 2], ["text", 2, 4]]}],
  "edits": {"masks": [{"of": "main", "spec": "causal", "cells": [[2, 0, 0], [0, 1, 1]]}],
  "steps": [{"where": "blocks.0.attn.z[head=1]", "how": "scale", "value": 2.0, "enabled": true, "note": "twice"},
            {"where": "blocks.1.attn.pattern[head=0,query=2,key=1]", "how": "set", "value": 0.5}]}})";
// Numbers in the file, positions of another kind.
const char* const kNumbers =
    R"({"format": "attnscope-scene", "config": {"d_model": 2, "attention": {"n_heads": 1, "d_head": 2},
  "norm": {"kind": "none"}, "mlp": {"kind": "none"}, "positions": {"kind": "alibi"}, "n_layers": 1},
  "inputs": [{"vectors": [[1, 2], [3, 4]], "real": [1, 0]}]})";

std::vector<Files> scene_seeds() {
  std::vector<Files> out{{{"scene.json", kToy}}, {{"scene.json", kNumbers}}};
  for (const char* name : {"nine_steps", "tiny_gpt", "tiny_llama", "tiny_sight", "tiny_translator"})
    out.push_back({{"scene.json", repository_file("assets/scenes/" + std::string(name) + ".json")}});
  return out;
}

bool read_scene(const Files& files) {
  const auto scene = scene_from_text(only_file(files), "a.json");
  if (!scene) return refused(scene.error(), "a.json");
  RunOptions options;
  for (std::size_t i = 0; i < scene->inputs.size(); ++i) {
    options.edits = edits_for(scene->edits, static_cast<int>(i));
    run_model(*scene->model, scene->inputs[i], options);
  }
  const std::string written = scene_to_text(*scene);
  const auto again = scene_from_text(written, "again.json");
  must(again.ok(), "a scene that was written does not open: " + (again ? "" : again.error().text()));
  must(scene_to_text(*again) == written, "a scene is written in two ways");
  const SceneSizes sizes = sizes_of(*scene);
  const auto other = resized(*scene, sizes, 1);
  if (!other) refused(other.error());
  return true;
}

const std::vector<std::string> kConfigWords = split(
    "model_type|hidden_size|n_embd|num_hidden_layers|num_attention_heads|num_key_value_heads|head_dim|"
    "vocab_size|rope_scaling|rope_parameters|rope_type|rope_theta|factor|yarn|linear|dynamic|llama3|"
    "longrope|hidden_act|gelu|relu|silu|tie_word_embeddings|sliding_window|layer_types|full_attention|"
    "sliding_attention|quantization_config|quant_method|torch_dtype|vision_config|text_config|id2label|"
    "pad_token_id|image_size|patch_size|num_channels|position_embedding_type|"
    "relative_attention_num_buckets|is_gated_act|feed_forward_proj|scale_attn_weights|rms_norm_eps|"
    "layer_norm_eps|attention_bias|mlp_bias|gpt2|llama|mistral|qwen2|qwen3|gemma|gemma2|bert|roberta|"
    "bart|marian|t5|vit|paligemma|bloom|gpt_neox|alibi|architectures|blk.0.attn_q|token_embd|"
    "general.architecture|general.alignment|llama.attention.head_count|tokenizer.ggml.tokens|"
    "image_mean|do_rescale|resample|inputs|spans|pixels|ids|real|types|source",
    '|');
const std::vector<std::string> kSceneWords = split(
    "config|weights|inputs|ids|vectors|source|pixels|spans|real|types|edits|masks|steps|where|how|set|"
    "add|scale|zero|mean|value|enabled|note|of|spec|cells|main|encoder|vision|cross|causal|window(2)|"
    "text>image|kind|none|layer|rms|plain|gated|gelu|silu|relu|learned|sinusoidal|rope|alibi|buckets|"
    "order|pre|post|parallel|qk_norm|n_kv_heads|softcap|max_positions|encoder|vision|patch|head|tied|"
    "present|blocks.0.attn.q|blocks.0.attn.pattern[head=0,query=1,key=0]|logits|seed|walk|words",
    '|');

}  // namespace

std::vector<Format> formats_of_models() {
  return {{"config", family_seeds, read_family, kConfigWords, family_misses},
          {"model-folder", folder_seeds, read_folder, kConfigWords},
          {"gguf-model", gguf_model_seeds, read_gguf_model, kConfigWords},
          {"scene", scene_seeds, read_scene, kSceneWords}};
}

}  // namespace attnscope::fuzz
