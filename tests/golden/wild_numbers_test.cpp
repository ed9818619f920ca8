// Files whose numbers would be wrong without a word: quantised weights, layers and heads that the config
// leaves unused, settings that make no numbers, rotary counts that are odd.
#include "core/arch/scene.h"
#include "tests/golden/gguf_checkpoint.h"
#include "tests/golden/wild.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

class WildNumbers : public Wild {
 protected:
  static std::string all(const std::vector<Text>& sentences) { return join(in_words(sentences), " "); }
  static OpenedModel must_open_scene(const Json& scene) {
    auto read = open_scene_text(scene.dump(), "toy");
    EXPECT_TRUE(read) << (read ? "" : read.error().text());
    return read ? *read : OpenedModel{};
  }
  OpenedModel with_limit(const CheckpointFolder& checkpoint, std::int64_t bytes) {
    checkpoint.write(folder_ / "m");
    auto read = open_model(folder_ / "m", {bytes, {}});
    EXPECT_TRUE(read) << (read ? "" : read.error().text());
    return read ? *read : OpenedModel{};
  }
};

// ---- quantised weights ---------------------------------------------------------------------------

// Rows of a matrix as LLM.int8 stores them (Dettmers et al. 2022, section 2.1): the largest of a row is 127.
struct Int8Rows {
  std::vector<std::int8_t> values;
  std::vector<float> scales;
};
Int8Rows int8_of(const std::vector<float>& matrix, std::int64_t rows) {
  Int8Rows out;
  const std::size_t width = matrix.size() / static_cast<std::size_t>(rows);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    float most = 0;
    for (std::size_t i = 0; i < width; ++i) most = std::max(most, std::fabs(matrix[row * width + i]));
    out.scales.push_back(most);
    for (std::size_t i = 0; i < width; ++i)
      out.values.push_back(static_cast<std::int8_t>(std::lround(matrix[row * width + i] / most * 127)));
  }
  return out;
}

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// Every linear layer of a Llama, or of a GPT-2, whose matrices the library turns before it rounds them: as
// int8 in `rounded`, and as what these whole numbers stand for in `plain`.
void round_linears(CheckpointFolder& rounded, CheckpointFolder& plain, bool conv1d) {
  rounded.config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_8bit", true}};
  std::vector<RawTensor> more;
  for (std::size_t at = 0; at < rounded.tensors.size(); ++at) {
    RawTensor& tensor = rounded.tensors[at];
    const bool linear =
        tensor.shape.size() == 2 && ends_with(tensor.name, ".weight") &&
        (tensor.name.find("layers.") != std::string::npos || tensor.name.find(".c_") != std::string::npos);
    if (!linear) continue;
    std::vector<float> matrix = floats_of(tensor.bytes);
    const std::int64_t rows = tensor.shape[conv1d ? 1 : 0], cols = tensor.shape[conv1d ? 0 : 1];
    if (conv1d) {
      std::vector<float> transposed;
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t col = 0; col < cols; ++col)
          transposed.push_back(matrix[static_cast<std::size_t>(col * rows + row)]);
      matrix = transposed;
    }
    const Int8Rows made = int8_of(matrix, rows);
    std::vector<float> again(matrix.size());
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t col = 0; col < cols; ++col) {
        const auto from = static_cast<std::size_t>(row * cols + col),
                   to = static_cast<std::size_t>(conv1d ? col * rows + row : row * cols + col);
        const double scale = made.scales[static_cast<std::size_t>(row)];
        again[to] = static_cast<float>(made.values[from] * scale / 127);
      }
    plain.at(tensor.name).bytes = bytes_of(again);
    const std::string module = tensor.name.substr(0, tensor.name.size() - 6);
    tensor.dtype = "I8";
    tensor.shape = {rows, cols};
    tensor.bytes = bytes_of(made.values);
    more.push_back({module + "SCB", "F32", {rows}, bytes_of(made.scales)});
    more.push_back({module + "weight_format", "U8", {}, std::string(1, '\0')});
  }
  EXPECT_GT(more.size(), 10u);
  rounded.tensors.insert(rounded.tensors.end(), more.begin(), more.end());
}

TEST_F(WildNumbers, int8_with_scales_of_rows) {
  for (const char* model : {"llama", "gpt2", "gpt_neox"}) {
    CheckpointFolder rounded(model), plain(model);
    round_linears(rounded, plain, std::string(model) == "gpt2");
    const OpenedModel open = opened(rounded);
    ASSERT_TRUE(open.model) << model;
    EXPECT_NE(all(open.warnings).find("LLM.int8"), std::string::npos) << model;
    EXPECT_TRUE(open.unused.empty()) << model << join(open.unused, " ");
    const Tensor found = logits_of(open);
    const OpenedModel kept = with_limit(rounded, 0);  // expanded piece by piece
    EXPECT_TRUE(kept.stays_in_file);
    EXPECT_LE(max_abs_difference(logits_of(kept), found), 1e-4) << model;
    const OpenedModel other = opened(plain);
    EXPECT_LE(max_abs_difference(logits_of(other), found), 1e-4) << model;
    EXPECT_GT(max_abs_difference(logits_at(model_path(model)), found), 1e-3) << model << ": it was rounded";
  }
}

TEST_F(WildNumbers, int8_that_does_not_fit_is_refused) {
  CheckpointFolder good("llama"), plain("llama");
  round_linears(good, plain, false);
  const std::string name = "model.layers.0.self_attn.q_proj.";
  CheckpointFolder few = good;
  few.at(name + "SCB").shape = {few.at(name + "SCB").shape[0] - 1};
  few.at(name + "SCB").bytes.resize(few.at(name + "SCB").bytes.size() - 4);
  expect_says(refusal(few), {"q_proj.SCB", "rows"});
  CheckpointFolder order = good;
  order.at(name + "weight_format").bytes = "\2";
  expect_says(refusal(order), {"q_proj.weight", "order"});
  CheckpointFolder without = good;
  without.erase("q_proj.SCB");
  expect_says(refusal(without), {"q_proj.weight", "I8"});
  without.erase("SCB");
  expect_says(refusal(without), {"SCB", "quantization_config"});
}

TEST_F(WildNumbers, whole_numbers_are_no_weights) {
  for (const auto& [dtype, bytes] : std::vector<std::pair<const char*, std::size_t>>{
           {"I8", 1}, {"U8", 1}, {"BOOL", 1}, {"I16", 2}, {"I32", 4}, {"I64", 8}}) {
    for (const char* name : {"model.layers.0.mlp.up_proj.weight", "model.norm.weight", "lm_head.weight",
                             "model.embed_tokens.weight"}) {
      CheckpointFolder checkpoint("llama");
      RawTensor& tensor = checkpoint.at(name);
      tensor.dtype = dtype;
      tensor.bytes = std::string(tensor.bytes.size() / 4 * bytes, '\1');
      expect_says(refusal(checkpoint), {name, dtype});
    }
  }
}

TEST_F(WildNumbers, other_methods_are_refused_by_name) {
  const std::vector<std::pair<Json, const char*>> methods{
      {{{"quant_method", "gptq"}, {"bits", 4}}, "\"gptq\""},
      {{{"quant_method", "awq"}}, "\"awq\""},
      {{{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}}, "\"fp8\""},
      {{{"quant_method", "compressed-tensors"}, {"format", "int-quantized"}}, "\"compressed-tensors\""},
      {{{"load_in_4bit", true}, {"load_in_8bit", false}}, "4 bits"},
      {{{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}}, "4 bits"},
      {{{"group_size", 64}}, "without a name"},
      {Json("mxfp4"), "without a name"}};
  for (const auto& [setting, name] : methods) {
    CheckpointFolder checkpoint("llama");  // plain weights under the same names: nothing else tells
    checkpoint.config["quantization_config"] = setting;
    expect_says(refusal(checkpoint), {name, "quantization_config", "GGUF"});
    std::filesystem::remove(folder_ / "m/model.safetensors");
    const auto early = open_model(folder_ / "m");  // said before the weights are looked for
    ASSERT_FALSE(early);
    EXPECT_NE(early.error().text().find(name), std::string::npos) << early.error().text();
  }
  CheckpointFolder mlx("llama"), inside("paligemma_prefix"), nothing("llama");
  mlx.config["quantization"] = {{"group_size", 64}, {"bits", 4}};
  expect_says(refusal(mlx), {"\"quantization\""});
  inside.config["text_config"]["quantization_config"] = {{"quant_method", "hqq"}};
  expect_says(refusal(inside), {"\"hqq\""});
  nothing.config["quantization_config"] = nullptr;
  expect_same(nothing, "llama");
}

// ---- what the config leaves unused ---------------------------------------------------------------

TEST_F(WildNumbers, layers_beyond_the_last_one_are_told) {
  CheckpointFolder gpt2("gpt2");
  gpt2.config["n_layer"] = 1;
  const OpenedModel open = opened(gpt2);
  EXPECT_NE(all(open.warnings).find("\"transformer.h.1\""), std::string::npos) << all(open.warnings);
  EXPECT_EQ(all(open.warnings).find("transformer.h.0"), std::string::npos) << all(open.warnings);
  EXPECT_GT(open.unused.size(), 10u);
  CheckpointFolder gemma("gemma2");  // of four layers
  gemma.config["num_hidden_layers"] = 1;
  gemma.config["attention_bias"] = true;
  gemma.add("model.layers.0.self_attn.q_proj.bias", {4 * 16}, 0.f);  // used: the family reads it
  gemma.add("model.layers.0.mlp.experts.up.weight", {2, 2}, 0.f);
  const std::string said = all(opened(gemma).warnings);
  EXPECT_NE(said.find("\"model.layers.1\" to \"model.layers.3\""), std::string::npos) << said;
  EXPECT_NE(said.find("\"model.layers.0.mlp.experts.up.weight\""), std::string::npos) << said;
  EXPECT_EQ(said.find("q_proj"), std::string::npos) << said;
}

TEST_F(WildNumbers, a_head_beside_a_tied_embedding_is_told_where_it_differs) {
  for (const char* model : {"gpt2", "gemma", "bloom"}) {
    CheckpointFolder checkpoint(model);
    const char* table = std::string(model) == "gpt2"    ? "transformer.wte.weight"
                        : std::string(model) == "bloom" ? "transformer.word_embeddings.weight"
                                                        : "model.embed_tokens.weight";
    RawTensor head = checkpoint.at(table);
    head.name = "lm_head.weight";
    checkpoint.config["tie_word_embeddings"] = true;
    checkpoint.tensors.push_back(head);
    EXPECT_TRUE(opened(checkpoint).warnings.empty()) << model << ": a copy is no news";
    checkpoint.tensors.back().bytes[3] ^= 1;
    const OpenedModel open = opened(checkpoint);
    EXPECT_EQ(open.unused, std::vector<std::string>{"lm_head.weight"}) << model;
    EXPECT_NE(all(open.warnings).find("tie_word_embeddings"), std::string::npos) << all(open.warnings);
    const OpenedModel kept = with_limit(checkpoint, 0);
    EXPECT_EQ(kept.unused.size(), 1u) << model;
  }
}

TEST_F(WildNumbers, what_older_files_carry_along_is_no_news) {
  CheckpointFolder gpt2("gpt2"), neox("gpt_neox"), bert("bert"), t5("t5");
  gpt2.tensors.push_back({"transformer.h.0.attn.bias", "U8", {1, 1, 4, 4}, std::string(16, '\1')});
  gpt2.add("transformer.h.0.attn.masked_bias", {}, -1e4f);
  neox.add("gpt_neox.layers.0.attention.rotary_emb.inv_freq", {2}, 7.f);
  neox.add("gpt_neox.layers.0.attention.masked_bias", {}, -1e9f);
  bert.tensors.push_back({"bert.embeddings.position_ids", "I64", {1, 4}, std::string(32, '\0')});
  bert.add("bert.pooler.dense.weight", {48, 48}, 1.f);
  t5.add("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight", {8, 4}, 1.f);
  for (const CheckpointFolder& checkpoint : {gpt2, neox, bert, t5}) {
    const OpenedModel open = opened(checkpoint);
    EXPECT_TRUE(open.warnings.empty()) << all(open.warnings);
  }
  for (const auto& entry : std::filesystem::directory_iterator(model_path(""))) {
    const OpenedModel open = must_open(entry.path().string());
    EXPECT_TRUE(open.warnings.empty()) << entry.path() << all(open.warnings);
  }
}

TEST_F(WildNumbers, gguf_tensors_without_a_place_are_told) {
  GgufCheckpoint checkpoint{CheckpointFolder("llama")};
  checkpoint.writer.floats("blk.0.attn_sinks.weight", {4}, {1, 2, 3, 4});
  std::ofstream(folder_ / "m.gguf", std::ios::binary) << checkpoint.writer.file();
  EXPECT_EQ(must_open(folder_ / "m.gguf").unused, std::vector<std::string>{"blk.0.attn_sinks.weight"});
}

TEST_F(WildNumbers, weights_of_a_scene_that_nobody_uses_are_told) {
  Json scene = Json::parse(R"({"format": "attnscope-scene", "seed": 3, "inputs": [{"ids": [1, 2]}],
    "config": {"d_model": 4, "vocab_size": 4, "attention": {"d_head": 4},
               "head": {"present": true, "tied": true}}})");
  const auto first = scene_from_text(scene.dump(), "toy");
  ASSERT_TRUE(first) << first.error().text();
  scene = Json::parse(scene_to_text(*first));
  EXPECT_TRUE(must_open_scene(scene).warnings.empty());
  scene["weights"]["blocks.7.attn.q.weight"] = {{1, 2}};
  scene["weights"]["logits.weight"] = scene["weights"]["tok_embed.weight"];
  const OpenedModel open = must_open_scene(scene);
  EXPECT_NE(all(open.warnings).find("\"blocks.7\""), std::string::npos) << all(open.warnings);
  EXPECT_NE(all(open.warnings).find("\"logits.weight\""), std::string::npos) << all(open.warnings);
}

// ---- settings that make no numbers ---------------------------------------------------------------

TEST_F(WildNumbers, epsilons_out_of_range_are_refused_in_every_family) {
  const std::vector<std::pair<const char*, const char*>> families{
      {"gpt2", "layer_norm_epsilon"},  {"llama", "rms_norm_eps"},  {"gemma", "rms_norm_eps"},
      {"gemma2", "rms_norm_eps"},      {"qwen3", "rms_norm_eps"},  {"gpt_neox", "layer_norm_eps"},
      {"bloom", "layer_norm_epsilon"}, {"bert", "layer_norm_eps"}, {"roberta", "layer_norm_eps"},
      {"t5", "layer_norm_epsilon"},    {"vit", "layer_norm_eps"}};
  for (const auto& [model, key] : families) {
    for (const auto& [value, said] : std::vector<std::pair<double, const char*>>{
             {0.0, "is 0,"}, {-1e-5, "is -1e-05,"}, {1e300, "is 1e+300,"}, {1e-300, "is 1e-300,"}}) {
      CheckpointFolder checkpoint(model);
      checkpoint.config[key] = value;
      expect_says(refusal(checkpoint), {key, said});
    }
  }
}

TEST_F(WildNumbers, factors_out_of_range_are_refused_by_key_and_value) {
  const auto refused = [&](const char* model, const char* key, double value) {
    CheckpointFolder checkpoint(model);
    checkpoint.config[key] = value;
    expect_says(refusal(checkpoint), {key, format("is %.9g,", value).c_str()});
  };
  for (const double value : {1e300, 1e-300, -1.0}) {
    refused("gemma2", "attn_logit_softcapping", value);
    refused("gemma2", "final_logit_softcapping", value);
    refused("gemma2", "query_pre_attn_scalar", value);
    refused("gpt_neox", "rotary_emb_base", value);
    refused("gpt_neox", "rotary_pct", value);
  }
  for (const char* key : {"rope_theta", "factor", "low_freq_factor", "original_max_position_embeddings"}) {
    CheckpointFolder checkpoint("llama3");
    checkpoint.config["rope_parameters"][key] = 1e300;
    expect_says(refusal(checkpoint), {key, "is 1e+300,"});
  }
}

TEST_F(WildNumbers, settings_of_scenes_are_refused_by_key_and_value) {
  const char* const base = R"({"d_model": 4, "vocab_size": 4, "attention": {"d_head": 4},
    "norm": {"kind": "layer"}, "positions": {"kind": "rope"}, "head": {"present": true}})";
  const std::vector<std::pair<const char*, const char*>> broken{{"/norm/eps", "eps"},
                                                                {"/norm/weight_offset", "weight_offset"},
                                                                {"/attention/scale", "scale"},
                                                                {"/attention/cap", "cap"},
                                                                {"/head/scale", "scale"},
                                                                {"/head/cap", "cap"},
                                                                {"/embed_scale", "embed_scale"},
                                                                {"/positions/rope_theta", "rope_theta"}};
  for (const auto& [place, key] : broken) {
    Json scene{{"format", "attnscope-scene"}, {"inputs", {{{"ids", {1, 2}}}}}, {"config", Json::parse(base)}};
    ASSERT_TRUE(scene_from_json(scene, "toy"));
    scene["config"][Json::json_pointer(place)] = 1e300;
    const auto read = scene_from_json(scene, "toy");
    ASSERT_FALSE(read) << place;
    expect_says(read.error(), {"toy", key, "is 1e+300,"});
  }
}

TEST_F(WildNumbers, settings_of_gguf_are_refused) {
  const auto says = [&](const char* place, double value, std::initializer_list<const char*> parts) {
    CheckpointFolder checkpoint("llama");
    checkpoint.config[Json::json_pointer(place)] = value;
    std::ofstream(folder_ / "m.gguf", std::ios::binary) << GgufCheckpoint(checkpoint).writer.file();
    const auto open = open_model(folder_ / "m.gguf");
    ASSERT_FALSE(open) << place;
    expect_says(open.error(), parts);
  };
  says("/rms_norm_eps", 0, {"m.gguf", "rms_norm_eps", "is 0,"});
  says("/rms_norm_eps", NAN, {"m.gguf", "rms_norm_eps", "nan"});
  says("/rope_parameters/rope_theta", INFINITY, {"m.gguf", "rope_theta", "inf"});
}

TEST_F(WildNumbers, factors_of_gguf_that_no_block_has_are_refused) {
  for (const auto& [key, value, fine] :
       {std::tuple("llama.logit_scale", 0.25f, 1.f), std::tuple("llama.attention.scale", 1.f, 0.f),
        std::tuple("llama.rope.scaling.attn_factor", 1.2f, 1.f)}) {
    for (const bool changes : {true, false}) {
      GgufCheckpoint checkpoint{CheckpointFolder("llama")};
      checkpoint.writer.real(key, changes ? value : fine);
      std::ofstream(folder_ / "m.gguf", std::ios::binary) << checkpoint.writer.file();
      const auto open = open_model(folder_ / "m.gguf");
      ASSERT_EQ(open.ok(), !changes) << key;
      if (changes) expect_says(open.error(), {key, "m.gguf"});
    }
  }
}

// ---- an odd number of features that turn ---------------------------------------------------------

// As transformers does it (4.48 and later): angles of arange(0, dims, 2) / dims, twice side by side, are as
// wide as what turns; x * cos + rotate_half(x) * sin.
std::vector<double> turned_by_the_library(const std::vector<double>& x, int dims, double theta, int pos) {
  std::vector<double> angles;
  for (int i = 0; i < dims; i += 2) angles.push_back(pos * std::pow(theta, -static_cast<double>(i) / dims));
  const std::size_t half = angles.size();
  angles.insert(angles.end(), angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(half));
  std::vector<double> out = x;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double partner = i < half ? -x[i + half] : x[i - half];
    out[i] = x[i] * std::cos(angles[i]) + partner * std::sin(angles[i]);
  }
  return out;
}

TEST_F(WildNumbers, an_odd_count_turns_with_the_next_feature) {
  for (const auto& [share, dims] : std::vector<std::pair<double, int>>{{0.32, 5}, {0.07, 1}, {0.95, 15}}) {
    CheckpointFolder neox("gpt_neox");  // heads of 16
    neox.config["rotary_pct"] = share;
    const OpenedModel open = opened(neox);
    const TracePointer trace = must_run(*open.model, {kIds, {}});
    const Tensor before = must_tensor(*trace, "blocks.1.attn.split_q"),
                 after = must_tensor(*trace, "blocks.1.attn.rot_q");
    for (std::int64_t head = 0; head < before.size(0); ++head)
      for (std::int64_t pos = 0; pos < before.size(1); ++pos) {
        std::vector<double> x;
        for (std::int64_t i = 0; i < before.size(2); ++i) x.push_back(before.at(head, pos, i));
        const std::vector<double> wanted = turned_by_the_library(x, dims, 10000, static_cast<int>(pos));
        for (std::int64_t i = 0; i < before.size(2); ++i)
          EXPECT_NEAR(after.at(head, pos, i), wanted[static_cast<std::size_t>(i)], 1e-5) << share << " " << i;
      }
    Json scene = Json::parse(scene_to_text([&] {
      Scene made;
      made.model = open.model;
      made.inputs = {{kIds, {}}};
      return made;
    }()));
    const auto again = scene_from_json(scene, "scene");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(max_abs_difference(must_tensor(*must_run(*again->model, {kIds, {}}), "logits"),
                                 must_tensor(*trace, "logits")),
              0);
  }
}

TEST_F(WildNumbers, counts_that_turn_nothing_are_refused) {
  CheckpointFolder none("gpt_neox"), yarn("llama_yarn");
  none.config["rotary_pct"] = 0.05;  // 0.8 of 16
  expect_says(refusal(none), {"rotary_pct", "16"});
  yarn.config["rope_parameters"]["partial_rotary_factor"] = 0.21;  // 5.04 of 24
  expect_says(refusal(yarn), {"yarn", "5"});
  CheckpointFolder odd("gpt_neox");  // llama.cpp turns whole pairs only
  odd.config["rotary_pct"] = 0.32;
  std::ofstream(folder_ / "m.gguf", std::ios::binary) << GgufCheckpoint(odd).writer.file();
  const auto open = open_model(folder_ / "m.gguf");
  ASSERT_FALSE(open);
  expect_says(open.error(), {"rope.dimension_count", "5 of 16"});
}

}  // namespace
}  // namespace attnscope
