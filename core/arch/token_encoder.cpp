#include "core/arch/token_encoder.h"

#include <nlohmann/json.hpp>

#include "core/arch/tensor_names.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

void refuse_variants(ConfigReader& config) {
  const std::string positions = config.text({"position_embedding_type"}, "absolute");
  if (positions != "absolute") {
    config.refuse(fail(Code::unsupported, "error.arch.positions", {config.what(), in_quotes(positions)}));
  }
  if (config.flag({"add_cross_attention"}, false)) {
    config.refuse(fail(Code::unsupported, "error.arch.encoder_cross", {config.what()}));
  }
}

void read_encoder(ConfigReader& config, std::int64_t offset, ModelConfig& out) {
  out.d_model = out.d_in = config.size({"hidden_size"}, 768);
  out.vocab_size = config.size({"vocab_size"}, 30522);
  read_special_tokens(config, out);
  out.position.kind = PositionSpec::Kind::learned;
  out.position.offset = offset;
  out.position.max_positions = config.size({"max_position_embeddings"}, 512) - offset;
  if (out.position.max_positions < 1)
    config.refuse(fail(Code::out_of_range, "error.arch.no_position_row", {config.what()}));
  out.type_vocab = config.size({"type_vocab_size"}, 2);
  const int layers = config.size({"num_hidden_layers"}, 12, 4096),
            heads = config.size({"num_attention_heads"}, 12);
  if (out.d_model % heads != 0)
    config.refuse(fail(Code::bad_shape, "error.arch.hidden_heads", {config.what()}));
  BlockSpec block;
  block.order = NormOrder::post;
  block.norm = {NormSpec::Kind::layer, config.real({"layer_norm_eps"}, 1e-12, kEpsilon), 0.f};
  block.mlp = {MlpSpec::Kind::plain, config.activation({"hidden_act"}, "gelu"),
               config.size({"intermediate_size"}, 4 * out.d_model)};
  set_equal_heads(block.attention, heads, out.d_model);
  block.attention.causal = config.flag({"is_decoder"}, false);
  out.embed_norm = block.norm;
  out.final_norm = {NormSpec::Kind::none, 1e-5f, 0.f};
  out.head.present = false;
  refuse_variants(config);
  if (config.status()) out.blocks.assign(static_cast<std::size_t>(layers), block);
}

// `decoder` is the unembedding's name where the file has one of its own.
void read_masked_head(ConfigReader& config, const TensorSource& source, const std::string& decoder,
                      ModelConfig& out) {
  out.head.present = out.head.transform = true;
  out.head.activation = config.activation({"hidden_act"}, "gelu");
  out.head.norm = out.embed_norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, true) || source.find(decoder + ".weight") == nullptr;
}

// Everything but the head.
Status read_named_encoder(Weights& out, const ModelConfig& config, const WeightReader& from) {
  static const TensorNames names{{{"tok_embed", "embeddings.word_embeddings"},
                                  {"pos_embed", "embeddings.position_embeddings"},
                                  {"type_embed", "embeddings.token_type_embeddings"},
                                  {"ln_embed", "embeddings.LayerNorm"},
                                  {"blocks.*.attn.q", "encoder.layer.*.attention.self.query"},
                                  {"blocks.*.attn.k", "encoder.layer.*.attention.self.key"},
                                  {"blocks.*.attn.v", "encoder.layer.*.attention.self.value"},
                                  {"blocks.*.attn.out", "encoder.layer.*.attention.output.dense"},
                                  {"blocks.*.ln1", "encoder.layer.*.attention.output.LayerNorm"},
                                  {"blocks.*.mlp.pre", "encoder.layer.*.intermediate.dense"},
                                  {"blocks.*.mlp.out", "encoder.layer.*.output.dense"},
                                  {"blocks.*.ln2", "encoder.layer.*.output.LayerNorm"}}};
  return read_named(out, config, from, names);
}

Status read_masked_head_weights(Weights& out, const ModelConfig& config, const TensorSource& source,
                                const MaskedHeadNames& names) {
  const WeightReader from(source, {}, "");
  TRY_OK(read_named(out, config, from, {{{"head.pre", names.dense}, {"ln_head", names.norm}}}));
  TRY_OK(from.unembedding(out, config, names.decoder));
  if (!from.has(names.bias)) return Done{};
  TRY(const Tensor bias, from.load(names.bias, {config.vocab_size}));
  out.set("logits.bias", bias.rename({Axis::vocab}));
  return Done{};
}

}  // namespace

Result<ModelConfig> read_encoder_config(ConfigReader& config, const TensorSource& source, std::int64_t offset,
                                        const MaskedHeadNames& head) {
  ModelConfig out;
  read_encoder(config, offset, out);
  if (source.find(head.dense + ".weight")) read_masked_head(config, source, head.decoder, out);
  TRY_OK(config.status());
  return out;
}

Result<Weights> read_encoder_weights(const ModelConfig& config, const TensorSource& source,
                                     const std::string& prefix, const MaskedHeadNames& head) {
  const WeightReader from(source, {prefix, ""}, "embeddings.word_embeddings.weight");
  Weights out;
  TRY_OK(read_named_encoder(out, config, from));
  if (config.head.present) TRY_OK(read_masked_head_weights(out, config, source, head));
  return out;
}

}  // namespace attnscope
