#include "core/arch/token_encoder.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr auto kTokenEncoderStored = WeightReader::Layout::out_in;

void refuse_variants(ConfigReader& config) {
  const std::string positions = config.text({"position_embedding_type"}, "absolute");
  if (positions != "absolute") {
    config.refuse(fail(Code::unsupported, "error.arch.positions", {config.what(), in_quotes(positions)}));
  }
  if (config.flag({"add_cross_attention"}, false)) {
    config.refuse(fail(Code::unsupported, "error.arch.encoder_cross", {config.what()}));
  }
}

Status token_encoder_read_block(Weights& out, const BlockSpec& block, std::int64_t d, const std::string& base,
                                const std::string& name, const WeightReader& from) {
  const std::string self = name + "attention.self.";
  TRY_OK(from.linear(out, base + "attn.q", self + "query", d, d, kTokenEncoderStored));
  TRY_OK(from.linear(out, base + "attn.k", self + "key", d, d, kTokenEncoderStored));
  TRY_OK(from.linear(out, base + "attn.v", self + "value", d, d, kTokenEncoderStored));
  TRY_OK(from.linear(out, base + "attn.out", name + "attention.output.dense", d, d, kTokenEncoderStored));
  TRY_OK(from.norm(out, base + "ln1", name + "attention.output.LayerNorm", d));
  TRY_OK(from.linear(out, base + "mlp.pre", name + "intermediate.dense", d, block.mlp.d_mlp,
                     kTokenEncoderStored));
  TRY_OK(from.linear(out, base + "mlp.out", name + "output.dense", block.mlp.d_mlp, d, kTokenEncoderStored));
  return from.norm(out, base + "ln2", name + "output.LayerNorm", d);
}

}  // namespace

void read_encoder_config(ConfigReader& config, std::int64_t offset, ModelConfig& out) {
  out.d_model = out.d_in = config.size({"hidden_size"}, 768);
  out.vocab_size = config.size({"vocab_size"}, 30522);
  out.bos = config.token({"bos_token_id"});
  out.eos = config.token({"eos_token_id"});
  out.pad = config.token({"pad_token_id"});
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
  block.attention.n_heads = block.attention.n_kv_heads = heads;
  block.attention.d_head = std::max(1, out.d_model / heads);
  block.attention.scale = 1.f / std::sqrt(static_cast<float>(block.attention.d_head));
  block.attention.causal = config.flag({"is_decoder"}, false);
  out.embed_norm = block.norm;
  out.final_norm = {NormSpec::Kind::none, 1e-5f, 0.f};
  out.head.present = false;
  refuse_variants(config);
  if (config.status()) out.blocks.assign(static_cast<std::size_t>(layers), block);
}

void read_masked_head(ConfigReader& config, const TensorSource& source, const std::string& decoder,
                      ModelConfig& out) {
  out.head.present = out.head.transform = true;
  out.head.activation = config.activation({"hidden_act"}, "gelu");
  out.head.norm = out.embed_norm;
  out.head.tied = config.flag({"tie_word_embeddings"}, true) || source.find(decoder + ".weight") == nullptr;
}

Status read_encoder_weights(Weights& out, const ModelConfig& config, const WeightReader& from) {
  const std::int64_t d = config.d_model, rows = config.position.max_positions + config.position.offset;
  const std::string names = "embeddings.";
  TRY_OK(from.table(out, "tok_embed.weight", names + "word_embeddings.weight", config.vocab_size, d));
  TRY_OK(from.table(out, "pos_embed.weight", names + "position_embeddings.weight", rows, d));
  TRY_OK(from.table(out, "type_embed.weight", names + "token_type_embeddings.weight", config.type_vocab, d));
  TRY_OK(from.norm(out, "ln_embed", names + "LayerNorm", d));
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string number = std::to_string(layer);
    TRY_OK(token_encoder_read_block(out, config.blocks[static_cast<std::size_t>(layer)], d,
                                    "blocks." + number + ".", "encoder.layer." + number + ".", from));
  }
  return Done{};
}

Status read_masked_head_weights(Weights& out, const ModelConfig& config, const TensorSource& source,
                                const MaskedHeadNames& names) {
  const WeightReader from(source, {}, "");
  const std::int64_t d = config.d_model;
  TRY_OK(from.linear(out, "head.pre", names.dense, d, d, kTokenEncoderStored));
  TRY_OK(from.norm(out, "ln_head", names.norm, d));
  TRY_OK(from.unembedding(out, config, names.decoder));
  if (!from.has(names.bias)) return Done{};
  TRY(const Tensor bias, from.load(names.bias, {config.vocab_size}));
  out.set("logits.bias", bias.rename({Axis::vocab}));
  return Done{};
}

}  // namespace attnscope
