// Writes a model as MarianMTModel, the inverse of family_marian.cpp.
#include <cmath>

#include "core/arch/save_layout.h"
#include "core/arch/weight_writer.h"

namespace attnscope {
namespace {

using Bias = WeightWriter::Bias;

void put_stack_config(nlohmann::json& out, const std::string& which, const ModelConfig& stack) {
  out[which + "_layers"] = stack.n_layers();
  out[which + "_attention_heads"] = common_json(stack, &BlockSpec::attention, &AttentionSpec::n_heads);
  out[which + "_ffn_dim"] = common_json(stack, &BlockSpec::mlp, &MlpSpec::d_mlp);
}

nlohmann::json marian_config_json(const ModelConfig& model, const ModelConfig& encoder) {
  nlohmann::json out = config_head("MarianMTModel", "marian");
  out["is_encoder_decoder"] = true;
  out["vocab_size"] = encoder.vocab_size;
  out["decoder_vocab_size"] = model.vocab_size;
  out["d_model"] = model.d_model;
  put_stack_config(out, "encoder", encoder);
  put_stack_config(out, "decoder", model);
  out["num_hidden_layers"] = encoder.n_layers();
  out["activation_function"] = common_json(model, &BlockSpec::mlp, &MlpSpec::activation);
  out["max_position_embeddings"] = model.position.max_positions;
  out["scale_embedding"] = model.embed_scale != 1.f;
  out["share_encoder_decoder_embeddings"] = encoder.shares_embedding;
  put_special_tokens(out, model);
  out["forced_eos_token_id"] = token_json(model.eos);
  out["decoder_start_token_id"] = token_json(model.decoder_start);
  for (const int id : model.suppressed_tokens)
    if (id != model.pad) out["bad_words_ids"].push_back(nlohmann::json::array({id}));
  return out;
}

void put_attention(WeightWriter& to, const std::string& base, const std::string& name) {
  for (const char* part : {"q", "k", "v", "out"})
    to.linear(base + part, name + part + "_proj", WeightWriter::Layout::out_in, Bias::always);
}

void save_marian_put_blocks(WeightWriter& to, const ModelConfig& stack, const std::string& file) {
  const auto stored = WeightWriter::Layout::out_in;
  const std::string prefix(stack_prefix(stack.stack));
  for (int layer = 0; layer < stack.n_layers(); ++layer) {
    const std::string number = std::to_string(layer), base = prefix + "blocks." + number + ".",
                      name = file + "layers." + number + ".";
    put_attention(to, base + "attn.", name + "self_attn.");
    to.norm(base + "ln1", name + "self_attn_layer_norm", Bias::always);
    if (stack.blocks[static_cast<std::size_t>(layer)].cross) {
      put_attention(to, base + "cross.", name + "encoder_attn.");
      to.norm(base + "ln_cross", name + "encoder_attn_layer_norm", Bias::always);
    }
    to.linear(base + "mlp.pre", name + "fc1", stored, Bias::always);
    to.linear(base + "mlp.out", name + "fc2", stored, Bias::always);
    to.norm(base + "ln2", name + "final_layer_norm", Bias::always);
  }
}

void put_tables(WeightWriter& to, const ModelConfig& encoder) {
  if (encoder.shares_embedding) return to.table("dec.tok_embed.weight", "shared.weight");
  to.table("enc.tok_embed.weight", "encoder.embed_tokens.weight");
  to.table("dec.tok_embed.weight", "decoder.embed_tokens.weight");
}

}  // namespace

Result<SavedLayout> save_as_marian(const Model& model) {
  const ModelConfig& config = model.config();
  const ModelConfig* encoder = config.encoder();
  if (!encoder) {
    return fail(Code::unsupported, "error.arch.marian_encoder");
  }
  WeightWriter to(model.weights(), "model.");
  put_tables(to, *encoder);
  save_marian_put_blocks(to, *encoder, "encoder.");
  save_marian_put_blocks(to, config, "decoder.");
  const Tensor head = to.need("dec.logits.weight");  // [d_model, vocab]
  if (!config.head.tied && !head.empty()) to.add_plain("lm_head.weight", head.transpose());
  const Tensor bias = to.bias_or_zeros("dec.logits", config.vocab_size).packed();
  const auto owner = std::make_shared<Tensor>(bias);
  to.add_plain("final_logits_bias", Tensor::borrow(owner, owner->data(),
                                                   Shape{{Axis::none, 1}, {Axis::vocab, config.vocab_size}}));
  TRY(auto tensors, std::move(to).take());
  return SavedLayout{marian_config_json(config, *encoder), std::move(tensors), nullptr};
}

}  // namespace attnscope
