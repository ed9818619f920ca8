// PaliGemma (Beyer et al. 2024), the base of vision-language-action policies: SigLIP encodes the image, a
// projector maps its rows to the width of a Gemma, and they stand before the text. Attention is bidirectional
// over image and prompt, causal after them (prefix mask). The language model's family is chosen by its config
// (gemma, gemma2); SigLIP's pooling head is left alone.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/image_parts.h"
#include "core/arch/rotary_decoder.h"
#include "core/arch/tensor_names.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

const TensorNames& siglip_names() {
  static const TensorNames names{{{"pos_embed", "embeddings.position_embedding"},
                                  {"blocks.*.ln1", "encoder.layers.*.layer_norm1"},
                                  {"blocks.*.attn.q", "encoder.layers.*.self_attn.q_proj"},
                                  {"blocks.*.attn.k", "encoder.layers.*.self_attn.k_proj"},
                                  {"blocks.*.attn.v", "encoder.layers.*.self_attn.v_proj"},
                                  {"blocks.*.attn.out", "encoder.layers.*.self_attn.out_proj"},
                                  {"blocks.*.ln2", "encoder.layers.*.layer_norm2"},
                                  {"blocks.*.mlp.pre", "encoder.layers.*.mlp.fc1"},
                                  {"blocks.*.mlp.out", "encoder.layers.*.mlp.fc2"},
                                  {"ln_final", "post_layernorm"}}};
  return names;
}

const Family* family_of(const std::string& model_type) {
  for (const Family& family : families())
    for (const std::string& known : family.model_types)
      if (known == model_type) return &family;
  return nullptr;
}

// One of the two configs inside; an absent one is all defaults.
nlohmann::json inner_config(const nlohmann::json& json, const char* key) {
  const bool there = json.is_object() && json.contains(key) && json[key].is_object();
  return there ? json[key] : nlohmann::json::object();
}

// Old files leave out what is as in the first PaliGemma.
nlohmann::json text_config(const nlohmann::json& json) {
  nlohmann::json text = inner_config(json, "text_config");
  const nlohmann::json defaults = {{"model_type", "gemma"},          {"hidden_size", 2048},
                                   {"intermediate_size", 16384},     {"num_hidden_layers", 18},
                                   {"num_attention_heads", 8},       {"num_key_value_heads", 1},
                                   {"max_position_embeddings", 8192}};
  for (const auto& [key, value] : defaults.items())
    if (!text.contains(key) || text[key].is_null()) text[key] = value;
  for (const char* key : {"vocab_size", "bos_token_id", "eos_token_id", "pad_token_id"})
    if (!text.contains(key) && json.contains(key)) text[key] = json[key];
  return text;
}

// What the rows see: image and prompt everything in them, the rest what stands before it.
void see_prefix(AttentionSpec& attention) {
  const std::string window =
      attention.window > 0 ? format(" & window(%lld)", static_cast<long long>(attention.window)) : "";
  attention.causal = true;
  attention.mask = "causal" + window + " | *>image | *>prompt";
}

Result<ModelConfig> paligemma_config(const nlohmann::json& json, const TensorSource& source) {
  const nlohmann::json text = text_config(json), sight = inner_config(json, "vision_config");
  ConfigReader config(json, "config.json"), words(text, "config.json: text_config"),
      image(sight, "config.json: vision_config");
  const std::string type = words.text({"model_type"}, "gemma");
  const Family* family = type == "paligemma" ? nullptr : family_of(type);
  if (!family) {
    return fail(Code::unsupported, "error.arch.inner_model", {in_quotes(type)});
  }
  TRY(ModelConfig out, family->read_config(text, source));
  for (BlockSpec& block : out.blocks) see_prefix(block.attention);
  ImageDefaults defaults;
  defaults.activation = "gelu_pytorch_tanh";
  defaults.eps = 1e-6;
  ModelConfig encoder = read_image_config(image, Stack::vision, defaults);
  encoder.projected = out.d_model;
  out.encoders.push_back(std::move(encoder));
  out.image_token = config.token({"image_token_index", "image_token_id"});
  if (out.image_token < 0) out.image_token = 256000;
  TRY_OK(words.status());
  TRY_OK(image.status());
  TRY_OK(config.status());
  return out;
}

Status read_sight(const ModelConfig& encoder, const TensorSource& source, Weights& out) {
  const WeightReader from(source,
                          {"vision_tower.", "vision_tower.vision_model.", "model.vision_tower.",
                           "model.vision_tower.vision_model."},
                          "embeddings.patch_embedding.weight");
  TRY_OK(read_patch_embedding(out, encoder, from, "embeddings.patch_embedding"));
  TRY_OK(read_named(out, encoder, from, siglip_names()));
  const WeightReader beside(source, {"", "model."}, "multi_modal_projector.linear.weight");
  return read_named(out, encoder, beside, {{{"projected", "multi_modal_projector.linear"}}});
}

Result<Weights> paligemma_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader words(source, {"language_model.model.", "model.language_model.", "language_model."},
                           "embed_tokens.weight");
  Weights out;
  TRY_OK(read_rotary_stack(out, config, words));
  TRY_OK(read_sight(*config.vision(), source, out));
  if (!config.head.present) return out;
  const bool inside = source.find("language_model.lm_head.weight");
  TRY_OK(words.unembedding(out, config, inside ? "language_model.lm_head" : "lm_head"));
  return out;
}

}  // namespace

Family family_paligemma() { return {"PaliGemma", {"paligemma"}, paligemma_config, paligemma_weights}; }

}  // namespace attnscope
