#include "core/arch/bart_parts.h"

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "core/arch/tensor_names.h"
#include "core/base/text.h"
#include "core/io/json_number.h"

namespace attnscope {
namespace {

// The fields of one stack begin with "encoder_" or "decoder_".
struct StackKeys {
  const char *layers, *heads, *wide;
};
constexpr StackKeys kEncoderKeys{"encoder_layers", "encoder_attention_heads", "encoder_ffn_dim"};
constexpr StackKeys kDecoderKeys{"decoder_layers", "decoder_attention_heads", "decoder_ffn_dim"};

ModelConfig bart_parts_read_stack(ConfigReader& config, const BartLayout& layout, Stack which) {
  const StackKeys& keys = which == Stack::enc ? kEncoderKeys : kDecoderKeys;
  ModelConfig out;
  out.stack = which;
  out.d_model = out.d_in = config.size({"d_model", "hidden_size"}, 1024);
  if (config.flag({"scale_embedding"}, false)) out.embed_scale = std::sqrt(static_cast<float>(out.d_model));
  out.position.kind = layout.position;
  out.position.halves = true;
  out.position.offset = layout.offset;
  out.position.max_positions = config.size({"max_position_embeddings"}, 1024);
  const int heads = config.size({keys.heads, "num_attention_heads"}, 16);
  if (out.d_model % heads != 0) {
    config.refuse(fail(Code::bad_shape, "error.arch.heads_divide_by", {config.what(), keys.heads}));
  }
  BlockSpec block;
  block.norm = {NormSpec::Kind::layer, 1e-5f, 0.f};
  block.order = layout.order;
  set_equal_heads(block.attention, heads, out.d_model);
  block.attention.causal = which == Stack::dec;
  if (which == Stack::dec) block.cross = block.attention.as_cross();
  block.mlp = {MlpSpec::Kind::plain, config.activation({"activation_function"}, layout.activation),
               config.size({keys.wide}, 4 * out.d_model)};
  out.blocks.assign(static_cast<std::size_t>(config.size({keys.layers, "num_hidden_layers"}, 12, 4096)),
                    block);
  const NormSpec none{NormSpec::Kind::none, 1e-5f, 0.f};
  out.embed_norm = layout.embed_norm ? block.norm : none;
  out.final_norm = layout.final_norm ? block.norm : none;
  out.head.present = false;
  return out;
}

// A head that is no vocabulary stands in its place.
bool has_other_head(const TensorSource& source) {
  return source.find("classification_head.dense.weight") || source.find("qa_outputs.weight");
}

// Words that the config forbids, each alone.
std::vector<int> forbidden(ConfigReader& config) {
  std::vector<int> out;
  const nlohmann::json* lists = config.find({"bad_words_ids"});
  for (std::size_t i = 0; lists && lists->is_array() && i < lists->size(); ++i) {
    const nlohmann::json& words = (*lists)[i];
    if (!words.is_array() || words.size() != 1) continue;
    if (const auto id = whole_in(words[0], 0, 1 << 30)) out.push_back(static_cast<int>(*id));
  }
  return out;
}

Status read_table(const WeightReader& from, Weights& out, const std::string& canonical,
                  std::initializer_list<const char*> names, std::int64_t rows, std::int64_t width) {
  const char* found = *names.begin();
  for (const char* name : names) {
    if (!from.has(name)) continue;
    found = name;
    break;
  }
  TRY(const Tensor table, from.load(found, {rows, width}));
  out.set(canonical, table.rename({Axis::vocab, Axis::d_model}));
  return Done{};
}

Status bart_parts_read_tokens(const ModelConfig& config, const ModelConfig& encoder, const WeightReader& from,
                              Weights& out) {
  const std::int64_t d = config.d_model;
  if (!encoder.shares_embedding) {
    TRY_OK(read_table(from, out, "enc.tok_embed.weight", {"encoder.embed_tokens.weight", "shared.weight"},
                      encoder.vocab_size, d));
    return read_table(from, out, "dec.tok_embed.weight", {"decoder.embed_tokens.weight", "shared.weight"},
                      config.vocab_size, d);
  }
  TRY_OK(read_table(from, out, "dec.tok_embed.weight",
                    {"shared.weight", "decoder.embed_tokens.weight", "encoder.embed_tokens.weight"},
                    config.vocab_size, d));
  out.set("enc.tok_embed.weight", out.get("dec.tok_embed.weight"));
  return Done{};
}

// One stack, without its tokens.
Status bart_parts_read_blocks(const ModelConfig& config, const WeightReader& from, Weights& out) {
  static const TensorNames names{{{"pos_embed", "embed_positions"},
                                  {"ln_embed", "layernorm_embedding"},
                                  {"blocks.*.attn.q", "layers.*.self_attn.q_proj"},
                                  {"blocks.*.attn.k", "layers.*.self_attn.k_proj"},
                                  {"blocks.*.attn.v", "layers.*.self_attn.v_proj"},
                                  {"blocks.*.attn.out", "layers.*.self_attn.out_proj"},
                                  {"blocks.*.ln1", "layers.*.self_attn_layer_norm"},
                                  {"blocks.*.cross.q", "layers.*.encoder_attn.q_proj"},
                                  {"blocks.*.cross.k", "layers.*.encoder_attn.k_proj"},
                                  {"blocks.*.cross.v", "layers.*.encoder_attn.v_proj"},
                                  {"blocks.*.cross.out", "layers.*.encoder_attn.out_proj"},
                                  {"blocks.*.ln_cross", "layers.*.encoder_attn_layer_norm"},
                                  {"blocks.*.mlp.pre", "layers.*.fc1"},
                                  {"blocks.*.mlp.out", "layers.*.fc2"},
                                  {"blocks.*.ln2", "layers.*.final_layer_norm"},
                                  {"ln_final", "layer_norm"}}};
  return read_named(out, config, from, names, config.stack == Stack::enc ? "encoder." : "decoder.");
}

Status bart_parts_read_head(const ModelConfig& config, const WeightReader& from, Weights& out) {
  Tensor table = out.get("dec.tok_embed.weight");  // [vocab, d_model]
  if (!config.head.tied) {
    TRY(table, from.load_plain("lm_head.weight", {config.vocab_size, config.d_model}));
  }
  out.set("dec.logits.weight", table.transpose().rename({Axis::in, Axis::vocab}));
  if (!from.has_plain("final_logits_bias")) return Done{};
  TRY(const Tensor bias, from.load_plain("final_logits_bias", {1, config.vocab_size}));
  out.set("dec.logits.bias", bias.select(0, 0).rename({Axis::vocab}));
  return Done{};
}

}  // namespace

WeightReader bart_names(const TensorSource& source) {
  return WeightReader(source, {"model.", ""}, "encoder.layers.0.fc1.weight");
}

Result<ModelConfig> read_bart_config(ConfigReader& config, const TensorSource& source,
                                     const BartLayout& layout) {
  ModelConfig encoder = bart_parts_read_stack(config, layout, Stack::enc);
  ModelConfig out = bart_parts_read_stack(config, layout, Stack::dec);
  encoder.vocab_size = config.size({"vocab_size"}, 0);
  encoder.shares_embedding = layout.shared_tables;
  out.vocab_size =
      layout.shared_tables ? encoder.vocab_size : config.size({"decoder_vocab_size"}, encoder.vocab_size);
  read_special_tokens(config, out);
  out.decoder_start = config.token({"decoder_start_token_id", "eos_token_id"});
  out.suppressed_tokens = forbidden(config);
  out.head.tied = config.flag({"tie_word_embeddings"}, true);
  out.head.present = (out.head.tied || source.find("lm_head.weight")) && !has_other_head(source);
  out.encoders.push_back(std::move(encoder));
  TRY_OK(config.status());
  return out;
}

Result<Weights> read_bart_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from = bart_names(source);
  const ModelConfig& encoder = *config.encoder();
  Weights out;
  TRY_OK(bart_parts_read_tokens(config, encoder, from, out));
  TRY_OK(bart_parts_read_blocks(encoder, from, out));
  TRY_OK(bart_parts_read_blocks(config, from, out));
  if (config.head.present) TRY_OK(bart_parts_read_head(config, from, out));
  return out;
}

}  // namespace attnscope
