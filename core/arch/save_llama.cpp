// Writes a model as LlamaForCausalLM, the inverse of family_llama.cpp.
#include "core/arch/save_layout.h"
#include "core/arch/weight_writer.h"

namespace attnscope {
namespace {

using Bias = WeightWriter::Bias;

// The class has biases in all layers or in none.
Bias biases(const Model& model, std::initializer_list<const char*> parts) {
  for (int layer = 0; layer < model.config().n_layers(); ++layer)
    for (const char* part : parts)
      if (model.weights().find("blocks." + std::to_string(layer) + "." + part + ".bias")) return Bias::always;
  return Bias::as_is;
}

void put_positions(nlohmann::json& out, const ModelConfig& model) {
  const PositionSpec& position = model.position;
  const RopeSpec rope =
      common(model, &BlockSpec::attention, &AttentionSpec::position).value_or(AttentionPosition{}).rope;
  const double factor = rope.kind == RopeSpec::Kind::linear ? rope.factor : 1.0;  // the reader multiplies
  if (position.max_positions > 0)
    out["max_position_embeddings"] =
        static_cast<std::int64_t>(static_cast<double>(position.max_positions) / factor);
  out["rope_theta"] = rope.theta;
  out["rope_scaling"] = rope_scaling_json(rope);
  nlohmann::json newer = out["rope_scaling"];  // one object since version 5 of transformers
  if (newer.is_null()) newer = {{"rope_type", "default"}};
  newer["rope_theta"] = rope.theta;
  out["rope_parameters"] = newer;
}

nlohmann::json llama_config_json(const ModelConfig& model, bool attention_bias, bool mlp_bias) {
  nlohmann::json out = config_head("LlamaForCausalLM", "llama");
  out["vocab_size"] = model.vocab_size;
  out["hidden_size"] = model.d_model;
  out["intermediate_size"] = common_json(model, &BlockSpec::mlp, &MlpSpec::d_mlp);
  out["num_hidden_layers"] = model.n_layers();
  out["num_attention_heads"] = common_json(model, &BlockSpec::attention, &AttentionSpec::n_heads);
  out["num_key_value_heads"] = common_json(model, &BlockSpec::attention, &AttentionSpec::n_kv_heads);
  out["head_dim"] = common_json(model, &BlockSpec::attention, &AttentionSpec::d_head);
  out["hidden_act"] = common_json(model, &BlockSpec::mlp, &MlpSpec::activation);
  out["rms_norm_eps"] = common_json(model, &BlockSpec::norm, &NormSpec::eps);
  out["attention_bias"] = attention_bias;
  out["mlp_bias"] = mlp_bias;
  put_special_tokens(out, model);
  put_positions(out, model);
  return out;
}

}  // namespace

Result<SavedLayout> save_as_llama(const Model& model) {
  const ModelConfig& config = model.config();
  const auto stored = WeightWriter::Layout::out_in;
  const Bias attention = biases(model, {"attn.q", "attn.k", "attn.v", "attn.out"}),
             mlp = biases(model, {"mlp.gate", "mlp.up", "mlp.out"});
  WeightWriter to(model.weights(), "model.");
  to.table("tok_embed.weight", "embed_tokens.weight");
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string number = std::to_string(layer), base = "blocks." + number + ".",
                      name = "layers." + number + ".";
    to.norm(base + "ln1", name + "input_layernorm", Bias::as_is);
    to.linear(base + "attn.q", name + "self_attn.q_proj", stored, attention);
    to.linear(base + "attn.k", name + "self_attn.k_proj", stored, attention);
    to.linear(base + "attn.v", name + "self_attn.v_proj", stored, attention);
    to.linear(base + "attn.out", name + "self_attn.o_proj", stored, attention);
    to.norm(base + "ln2", name + "post_attention_layernorm", Bias::as_is);
    to.linear(base + "mlp.gate", name + "mlp.gate_proj", stored, mlp);
    to.linear(base + "mlp.up", name + "mlp.up_proj", stored, mlp);
    to.linear(base + "mlp.out", name + "mlp.down_proj", stored, mlp);
  }
  to.norm("ln_final", "norm", Bias::as_is);
  const Tensor head = to.need("logits.weight");  // [d_model, vocab]
  if (!config.head.tied && !head.empty()) to.add_plain("lm_head.weight", head.transpose());
  TRY(auto tensors, std::move(to).take());
  return SavedLayout{llama_config_json(config, attention == Bias::always, mlp == Bias::always),
                     std::move(tensors), nullptr};
}

}  // namespace attnscope
