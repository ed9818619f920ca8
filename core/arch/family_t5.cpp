// T5 (Raffel et al. 2019) with its later forms (v1.1, Flan, mT5): RMSNorm before each part, no biases, scores
// that are not divided by anything, one table of relative distances for all blocks of a stack, an MLP with or
// without gate. Reads encoder-decoders, and encoders alone.
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/arch/config_reader.h"
#include "core/arch/family.h"
#include "core/arch/tensor_names.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr const char* kLastOfDecoder = "decoder.final_layer_norm.weight";

WeightReader family_t5_names_of(const TensorSource& source) {
  return WeightReader(source, {"", "transformer."}, "encoder.final_layer_norm.weight");
}

// "relu", "gated-gelu", "gated-silu": the gate and the activation; GELU with a gate is the tanh form.
MlpSpec family_t5_read_mlp(ConfigReader& config) {
  const std::string form = config.text({"feed_forward_proj"}, "relu");
  const bool gated = starts_with(form, "gated-");
  const std::string name = gated ? form.substr(6) : form;
  const Activation activation =
      config.activation({"dense_act_fn"}, gated && name == "gelu" ? "gelu_new" : name);
  return {gated ? MlpSpec::Kind::gated : MlpSpec::Kind::plain, activation, config.size({"d_ff"}, 2048)};
}

ModelConfig family_t5_read_stack(ConfigReader& config, Stack which) {
  ModelConfig out;
  out.stack = which;
  out.d_model = out.d_in = config.size({"d_model", "hidden_size"}, 512);
  out.vocab_size = config.size({"vocab_size"}, 32128);
  const int layers = config.size({"num_layers", "num_hidden_layers"}, 6, 4096);
  BlockSpec block;
  block.norm = {NormSpec::Kind::rms, config.real({"layer_norm_epsilon", "layer_norm_eps"}, 1e-6, kEpsilon),
                0.f};
  block.mlp = family_t5_read_mlp(config);
  block.attention.n_heads = block.attention.n_kv_heads = config.size({"num_heads", "num_attention_heads"}, 8);
  block.attention.d_head = config.size({"d_kv"}, 64);
  block.attention.scale = 1.f;
  block.attention.causal = which == Stack::dec;
  AttentionPosition& position = block.attention.position;
  position.kind = AttentionPosition::Kind::buckets;
  position.buckets = config.size({"relative_attention_num_buckets"}, 32, 1 << 16);
  position.max_distance = config.size({"relative_attention_max_distance"}, 128);
  if (which == Stack::dec) block.cross = block.attention.as_cross();
  const int depth = which == Stack::dec ? config.size({"num_decoder_layers"}, layers, 4096) : layers;
  out.blocks.assign(static_cast<std::size_t>(depth), block);
  out.final_norm = block.norm;
  out.head.present = false;
  read_special_tokens(config, out);
  return out;
}

Result<ModelConfig> t5_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  const WeightReader names = family_t5_names_of(source);
  if (!names.has(kLastOfDecoder)) {
    ModelConfig alone = family_t5_read_stack(config, Stack::single);
    for (BlockSpec& block : alone.blocks) block.attention.causal = false;
    TRY_OK(config.status());
    return alone;
  }
  ModelConfig encoder = family_t5_read_stack(config, Stack::enc),
              out = family_t5_read_stack(config, Stack::dec);
  encoder.shares_embedding = true;
  out.decoder_start = config.token({"decoder_start_token_id", "pad_token_id"});
  const bool ties = config.flag({"tie_word_embeddings"}, true), own = source.find("lm_head.weight");
  out.head.tied = ties;
  out.head.present = (ties || own) && !source.find("classification_head.dense.weight");
  if (config.flag({"scale_decoder_outputs"}, ties))
    out.head.scale = 1.f / std::sqrt(static_cast<float>(out.d_model));
  out.encoders.push_back(std::move(encoder));
  TRY_OK(config.status());
  return out;
}

Result<Tensor> family_t5_read_tokens(const ModelConfig& config, const WeightReader& from) {
  const std::vector<std::int64_t> shape{config.vocab_size, config.d_model};
  for (const char* name : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"})
    if (!from.has("shared.weight") && from.has(name)) return from.load(name, shape);
  return from.load("shared.weight", shape);
}

// Parts of a block are layer.0, layer.1, ...; in a decoder cross-attention stands before the MLP.
TensorNames family_t5_names(bool decoder) {
  TensorNames out{{{"blocks.*.ln1", "block.*.layer.0.layer_norm"},
                   {"blocks.*.ln_cross", "block.*.layer.1.layer_norm"},
                   {"ln_final", "final_layer_norm"}}};
  for (const char* part : {"q", "k", "v", "o"}) {
    const std::string ours = part == std::string("o") ? "out" : part;
    out.rows.push_back({"blocks.*.attn." + ours, std::string("block.*.layer.0.SelfAttention.") + part});
    out.rows.push_back({"blocks.*.cross." + ours, std::string("block.*.layer.1.EncDecAttention.") + part});
  }
  const std::string last = decoder ? "block.*.layer.2." : "block.*.layer.1.",
                    dense = last + "DenseReluDense.";
  return out.with({{"blocks.*.ln2", last + "layer_norm"},
                   {"blocks.*.mlp.gate", dense + "wi_0"},
                   {"blocks.*.mlp.up", dense + "wi_1"},
                   {"blocks.*.mlp.pre", dense + "wi"},
                   {"blocks.*.mlp.out", dense + "wo"}});
}

// One stack, without its tokens.
Status family_t5_read_blocks(const ModelConfig& config, const WeightReader& from, Weights& out) {
  const bool decoder = config.stack == Stack::dec;
  const std::string prefix(stack_prefix(config.stack)), file = decoder ? "decoder." : "encoder.";
  const AttentionSpec& first = config.blocks[0].attention;  // which has the table of all blocks
  TRY(const Tensor distances, from.load(file + "block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                                        {first.position.buckets, first.n_heads}));
  out.set(prefix + "rel_bias.weight", distances.rename({Axis::dim, Axis::head}));
  return read_named(out, config, from, family_t5_names(decoder), file);
}

Result<Weights> t5_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from = family_t5_names_of(source);
  const std::string prefix(stack_prefix(config.stack));
  Weights out;
  TRY(Tensor tokens, family_t5_read_tokens(config, from));
  tokens = tokens.rename({Axis::vocab, Axis::d_model});
  out.set(prefix + "tok_embed.weight", tokens);
  if (const ModelConfig* encoder = config.encoder()) {
    out.set("enc.tok_embed.weight", tokens);
    TRY_OK(family_t5_read_blocks(*encoder, from, out));
  }
  TRY_OK(family_t5_read_blocks(config, from, out));
  if (!config.head.present) return out;
  Tensor head = tokens;  // [vocab, d_model]
  if (!config.head.tied) {
    TRY(head, from.load_plain("lm_head.weight", {config.vocab_size, config.d_model}));
  }
  out.set(prefix + "logits.weight", head.transpose().rename({Axis::in, Axis::vocab}));
  return out;
}

}  // namespace

Family family_t5() { return {"T5", {"t5", "mt5"}, t5_config, t5_weights}; }

}  // namespace attnscope
