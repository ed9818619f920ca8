#include "core/arch/rotary_decoder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

const std::vector<std::string> kPrefixes{"model.", "", "language_model.model.", "model.language_model."};

// Where a checkpoint keeps the head: beside the base model.
std::string head_name(const TensorSource& source) {
  for (const char* name : {"lm_head", "language_model.lm_head"})
    if (source.find(std::string(name) + ".weight")) return name;
  return "";
}

// Biases in the file of a config that says there are none: transformers passes them over, so that the numbers
// would be others.
void refuse_biases(ConfigReader& config, const TensorSource& source) {
  struct Part {
    const char *key, *middle;
  };
  const auto of_a_layer = [](const std::string& name) {
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](const std::string& prefix) { return starts_with(name, prefix + "layers."); });
  };
  for (const Part& part : {Part{"attention_bias", ".self_attn."}, Part{"mlp_bias", ".mlp."}}) {
    if (config.flag({part.key}, true)) continue;
    for (const TensorInfo& info : source.infos()) {
      const bool inside = of_a_layer(info.name) && info.name.find(part.middle) != std::string::npos;
      if (!inside || !ends_with(info.name, "_proj.bias")) continue;
      config.refuse(fail(Code::bad_format, "error.arch.unwanted_bias",
                         {config.what(), part.key, in_quotes(info.name)}));
      return;
    }
  }
}

}  // namespace

int layers_of(ConfigReader& config) { return config.size({"num_hidden_layers"}, 0, 4096); }

BlockSpec read_rotary_block(ConfigReader& config, const TensorSource& source, const RotaryDefaults& defaults,
                            ModelConfig& out) {
  out.d_model = out.d_in = config.size({"hidden_size"}, 0);
  out.vocab_size = config.size({"vocab_size"}, 32000);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  out.pad = config.token({"pad_token_id"});
  const int heads = config.size({"num_attention_heads"}, 0);
  BlockSpec block;
  block.norm = {NormSpec::Kind::rms, config.real({"rms_norm_eps"}, 1e-6, kEpsilon),
                static_cast<float>(defaults.norm_offset)};
  block.mlp = {MlpSpec::Kind::gated, config.activation({"hidden_act", "hidden_activation"}, defaults.gate),
               config.size({"intermediate_size"}, 0)};
  block.attention.n_heads = heads;
  block.attention.n_kv_heads = config.size({"num_key_value_heads"}, heads);
  const int d_head = defaults.d_head > 0 ? defaults.d_head : std::max(1, out.d_model / heads);
  block.attention.d_head = config.size({"head_dim"}, d_head);
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  block.attention.position.kind = AttentionPosition::Kind::rope;
  block.attention.position.rope = read_rope(config, block.attention.d_head);
  out.position.max_positions =
      longest(block.attention.position.rope,
              config.size({"max_position_embeddings", "max_sequence_length"}, 2048, 1 << 30));
  out.final_norm = block.norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, defaults.tied);
  out.head.present = out.head.tied || !head_name(source).empty();
  if (config.text({"model_type"}, "") != "qwen2") refuse_biases(config, source);  // which always has them
  return block;
}

std::int64_t window_of(ConfigReader& config, int layer, bool slides, int absent) {
  const nlohmann::json* types = config.find({"layer_types"});
  if (types) {
    const bool listed = types->is_array() && layer < static_cast<int>(types->size());
    const nlohmann::json type = listed ? (*types)[static_cast<std::size_t>(layer)] : nlohmann::json();
    slides = type == "sliding_attention";
    if (!slides && type != "full_attention") {
      config.refuse(fail(Code::unsupported, "error.arch.layer_types", {config.what(), layer}));
    }
  }
  if (!slides || config.is_null("sliding_window")) return 0;
  return config.find({"sliding_window"}) ? config.size({"sliding_window"}, 0, 1 << 30) : absent;
}

Status read_rotary_stack(Weights& out, const ModelConfig& config, const WeightReader& from) {
  const auto stored = WeightReader::Layout::out_in;
  const std::int64_t d = config.d_model;
  const std::string stack(stack_prefix(config.stack));
  TRY_OK(from.table(out, stack + "tok_embed.weight", "embed_tokens.weight", config.vocab_size, d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const AttentionSpec& attention = block.attention;
    const std::int64_t q = std::int64_t{attention.n_heads} * attention.d_head,
                       kv = std::int64_t{attention.n_kv_heads} * attention.d_head, wide = block.mlp.d_mlp;
    const std::string base = stack + "blocks." + std::to_string(layer) + ".",
                      name = "layers." + std::to_string(layer) + ".";
    TRY_OK(from.norm(out, base + "ln1", name + "input_layernorm", d));
    TRY_OK(from.linear(out, base + "attn.q", name + "self_attn.q_proj", d, q, stored));
    TRY_OK(from.linear(out, base + "attn.k", name + "self_attn.k_proj", d, kv, stored));
    TRY_OK(from.linear(out, base + "attn.v", name + "self_attn.v_proj", d, kv, stored));
    if (attention.qk_norm.kind != NormSpec::Kind::none) {
      TRY_OK(from.norm(out, base + "attn.q_norm", name + "self_attn.q_norm", attention.d_head));
      TRY_OK(from.norm(out, base + "attn.k_norm", name + "self_attn.k_norm", attention.d_head));
    }
    TRY_OK(from.linear(out, base + "attn.out", name + "self_attn.o_proj", q, d, stored));
    // The same name stands before the MLP, or behind attention where what was found is normed as well.
    TRY_OK(from.norm(out, base + (block.branch_norms ? "ln1_post" : "ln2"), name + "post_attention_layernorm",
                     d));
    if (block.branch_norms) {
      TRY_OK(from.norm(out, base + "ln2", name + "pre_feedforward_layernorm", d));
      TRY_OK(from.norm(out, base + "ln2_post", name + "post_feedforward_layernorm", d));
    }
    TRY_OK(from.linear(out, base + "mlp.gate", name + "mlp.gate_proj", d, wide, stored));
    TRY_OK(from.linear(out, base + "mlp.up", name + "mlp.up_proj", d, wide, stored));
    TRY_OK(from.linear(out, base + "mlp.out", name + "mlp.down_proj", wide, d, stored));
  }
  return from.norm(out, stack + "ln_final", "norm", d);
}

Result<Weights> read_rotary_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, kPrefixes, "embed_tokens.weight");
  Weights out;
  TRY_OK(read_rotary_stack(out, config, from));
  if (config.head.present) TRY_OK(from.unembedding(out, config, head_name(source)));
  return out;
}

}  // namespace attnscope
