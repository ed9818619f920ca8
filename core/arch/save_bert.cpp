// Writes a model as BertForMaskedLM, the inverse of family_bert.cpp.
#include "core/arch/save_layout.h"
#include "core/arch/weight_writer.h"

namespace attnscope {
namespace {

using Bias = WeightWriter::Bias;
constexpr auto kSaveBertStored = WeightWriter::Layout::out_in;

nlohmann::json bert_config_json(const ModelConfig& model) {
  nlohmann::json out = config_head("BertForMaskedLM", "bert");
  out["vocab_size"] = model.vocab_size;
  out["hidden_size"] = model.d_model;
  out["num_hidden_layers"] = model.n_layers();
  out["num_attention_heads"] = common_json(model, &BlockSpec::attention, &AttentionSpec::n_heads);
  out["intermediate_size"] = common_json(model, &BlockSpec::mlp, &MlpSpec::d_mlp);
  out["hidden_act"] = common_json(model, &BlockSpec::mlp, &MlpSpec::activation);
  out["max_position_embeddings"] = model.position.max_positions;
  out["position_embedding_type"] = "absolute";
  out["type_vocab_size"] = model.type_vocab;
  out["layer_norm_eps"] = common_json(model, &BlockSpec::norm, &NormSpec::eps);
  out["is_decoder"] = common_json(model, &BlockSpec::attention, &AttentionSpec::causal);
  put_special_tokens(out, model);
  return out;
}

void save_bert_put_block(WeightWriter& to, const std::string& base, const std::string& name) {
  const std::string self = name + "attention.self.";
  to.linear(base + "attn.q", self + "query", kSaveBertStored, Bias::always);
  to.linear(base + "attn.k", self + "key", kSaveBertStored, Bias::always);
  to.linear(base + "attn.v", self + "value", kSaveBertStored, Bias::always);
  to.linear(base + "attn.out", name + "attention.output.dense", kSaveBertStored, Bias::always);
  to.norm(base + "ln1", name + "attention.output.LayerNorm", Bias::always);
  to.linear(base + "mlp.pre", name + "intermediate.dense", kSaveBertStored, Bias::always);
  to.linear(base + "mlp.out", name + "output.dense", kSaveBertStored, Bias::always);
  to.norm(base + "ln2", name + "output.LayerNorm", Bias::always);
}

}  // namespace

Result<SavedLayout> save_as_bert(const Model& model) {
  const ModelConfig& config = model.config();
  WeightWriter to(model.weights(), "");
  const std::string tables = "bert.embeddings.", head = "cls.predictions.";
  to.table("tok_embed.weight", tables + "word_embeddings.weight");
  to.table("pos_embed.weight", tables + "position_embeddings.weight");
  to.table("type_embed.weight", tables + "token_type_embeddings.weight");
  to.norm("ln_embed", tables + "LayerNorm", Bias::always);
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string number = std::to_string(layer);
    save_bert_put_block(to, "blocks." + number + ".", "bert.encoder.layer." + number + ".");
  }
  to.linear("head.pre", head + "transform.dense", kSaveBertStored, Bias::always);
  to.norm("ln_head", head + "transform.LayerNorm", Bias::always);
  const Tensor out = to.need("logits.weight");  // [d_model, vocab]
  if (!config.head.tied && !out.empty()) to.add_plain(head + "decoder.weight", out.transpose());
  to.add_plain(head + "bias", to.bias_or_zeros("logits", config.vocab_size));
  TRY(auto tensors, std::move(to).take());
  return SavedLayout{bert_config_json(config), std::move(tensors), nullptr};
}

}  // namespace attnscope
