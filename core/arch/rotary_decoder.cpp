#include "core/arch/rotary_decoder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/tensor_names.h"
#include "core/base/text.h"
#include "core/trace/common.h"

namespace attnscope {
namespace {

const std::vector<std::string> kPrefixes{"model.", "", "language_model.model.", "model.language_model."};

// Where a checkpoint keeps the head: beside the base model.
std::string head_name(const TensorSource& source) {
  for (const char* name : {"lm_head", "language_model.lm_head"})
    if (source.find(std::string(name) + ".weight")) return name;
  return "";
}

// Biases in the file of a config without biases: transformers ignores them, so that the numbers
// would differ.
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
  read_special_tokens(config, out);
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
  static const TensorNames names{{{"tok_embed", "embed_tokens"},
                                  {"blocks.*.ln1", "layers.*.input_layernorm"},
                                  {"blocks.*.attn.q", "layers.*.self_attn.q_proj"},
                                  {"blocks.*.attn.k", "layers.*.self_attn.k_proj"},
                                  {"blocks.*.attn.v", "layers.*.self_attn.v_proj"},
                                  {"blocks.*.attn.q_norm", "layers.*.self_attn.q_norm"},
                                  {"blocks.*.attn.k_norm", "layers.*.self_attn.k_norm"},
                                  {"blocks.*.attn.sinks", "layers.*.self_attn.sinks", true},
                                  {"blocks.*.attn.out", "layers.*.self_attn.o_proj"},
                                  {"blocks.*.ln2", "layers.*.post_attention_layernorm"},
                                  {"blocks.*.mlp.gate", "layers.*.mlp.gate_proj"},
                                  {"blocks.*.mlp.up", "layers.*.mlp.up_proj"},
                                  {"blocks.*.mlp.out", "layers.*.mlp.down_proj"},
                                  {"ln_final", "norm"}}};
  // One name stands before the MLP, or behind attention where what attention found is normed as well.
  static const TensorNames branch_norms =
      names.with({{"blocks.*.ln1_post", "layers.*.post_attention_layernorm"},
                  {"blocks.*.ln2", "layers.*.pre_feedforward_layernorm"},
                  {"blocks.*.ln2_post", "layers.*.post_feedforward_layernorm"}});
  const bool branches = common(config, &BlockSpec::branch_norms).value_or(false);
  return read_named(out, config, from, branches ? branch_norms : names);
}

Result<Weights> read_rotary_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, kPrefixes, "embed_tokens.weight");
  Weights out;
  TRY_OK(read_rotary_stack(out, config, from));
  if (config.head.present) TRY_OK(from.unembedding(out, config, head_name(source)));
  return out;
}

}  // namespace attnscope
