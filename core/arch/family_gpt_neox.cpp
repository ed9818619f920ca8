// GPT-NeoX (Black et al. 2022) and Pythia: attention and MLP read the same stream in parallel, a part of
// each head is rotated, and queries, keys and values lie in one matrix, head by head. Reads files with and
// without the "gpt_neox." prefix; the mask and frequency buffers of older files are left alone.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/fused_heads.h"

namespace attnscope {
namespace {

Result<ModelConfig> gpt_neox_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  out.d_model = out.d_in = config.size({"hidden_size"}, 6144);
  out.vocab_size = config.size({"vocab_size"}, 50432);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  const int layers = config.size({"num_hidden_layers"}, 44, 4096),
            heads = config.size({"num_attention_heads"}, 64);
  if (out.d_model % heads != 0) config.refuse(fail(Code::bad_shape, "error.arch.neox_heads"));
  BlockSpec block;
  block.order = config.flag({"use_parallel_residual"}, true) ? NormOrder::parallel : NormOrder::pre;
  block.norm = {NormSpec::Kind::layer, config.real({"layer_norm_eps"}, 1e-5, kEpsilon), 0.f};
  block.mlp = {MlpSpec::Kind::plain, config.activation({"hidden_act"}, "gelu"),
               config.size({"intermediate_size"}, 24576)};
  block.attention.n_heads = block.attention.n_kv_heads = heads;
  block.attention.d_head = std::max(1, out.d_model / heads);
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  out.position.kind = PositionSpec::Kind::rope;
  out.position.rope = read_rope(config, block.attention.d_head, 0.25);
  out.position.max_positions = longest(out.position.rope, config.size({"max_position_embeddings"}, 2048));
  out.final_norm = block.norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, false);
  out.head.present = out.head.tied || source.find("embed_out.weight") != nullptr;
  TRY_OK(config.status());
  out.blocks.assign(static_cast<std::size_t>(layers), block);
  return out;
}

Result<Weights> gpt_neox_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"gpt_neox.", ""}, "embed_in.weight");
  const auto stored = WeightReader::Layout::out_in;
  const std::int64_t d = config.d_model;
  Weights out;
  TRY_OK(from.table(out, "tok_embed.weight", "embed_in.weight", config.vocab_size, d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const BlockSpec& block = config.blocks[static_cast<std::size_t>(layer)];
    const std::string base = "blocks." + std::to_string(layer) + ".",
                      name = "layers." + std::to_string(layer) + ".";
    TRY_OK(from.norm(out, base + "ln1", name + "input_layernorm", d));
    TRY_OK(
        read_fused_heads(out, from, base + "attn.", name + "attention.query_key_value", block.attention, d));
    TRY_OK(from.linear(out, base + "attn.out", name + "attention.dense", d, d, stored));
    TRY_OK(from.norm(out, base + "ln2", name + "post_attention_layernorm", d));
    TRY_OK(from.linear(out, base + "mlp.pre", name + "mlp.dense_h_to_4h", d, block.mlp.d_mlp, stored));
    TRY_OK(from.linear(out, base + "mlp.out", name + "mlp.dense_4h_to_h", block.mlp.d_mlp, d, stored));
  }
  TRY_OK(from.norm(out, "ln_final", "final_layer_norm", d));
  if (config.head.present) TRY_OK(from.unembedding(out, config, "embed_out"));
  return out;
}

}  // namespace

Family family_gpt_neox() { return {"GPT-NeoX", {"gpt_neox"}, gpt_neox_config, gpt_neox_weights}; }

}  // namespace attnscope
