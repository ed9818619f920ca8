// Writes a model as GPT2LMHeadModel, the inverse of family_gpt2.cpp.
#include <algorithm>

#include "core/arch/save_layout.h"
#include "core/arch/weight_writer.h"

namespace attnscope {
namespace {

using Bias = WeightWriter::Bias;

// Matrices side by side: [in, sum of out]; of biases [sum of out].
Tensor beside(const std::vector<Tensor>& parts) {
  const bool matrix = parts.front().rank() == 2;
  const std::int64_t rows = matrix ? parts.front().size(0) : 1;
  std::int64_t width = 0, left = 0;
  for (const Tensor& part : parts) width += part.size(matrix ? 1 : 0);
  Buffer out(matrix ? Shape{{Axis::in, rows}, {Axis::out, width}} : Shape{{Axis::out, width}});
  for (const Tensor& part : parts) {
    const std::int64_t own = part.size(matrix ? 1 : 0);
    const Tensor packed = part.packed();
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(packed.data() + row * own, own, out.data() + row * width + left);
    left += own;
  }
  return std::move(out).freeze();
}

void put_qkv(WeightWriter& to, const std::string& base, const std::string& name) {
  std::vector<Tensor> weights, biases;
  for (const char* which : {"q", "k", "v"}) {
    weights.push_back(to.need(base + which + ".weight"));
    if (weights.back().empty()) return;
    biases.push_back(to.bias_or_zeros(base + which, weights.back().size(1)));
  }
  to.add_plain(name + ".weight", beside(weights));
  to.add_plain(name + ".bias", beside(biases));
}

nlohmann::json gpt2_config_json(const ModelConfig& model) {
  nlohmann::json out = config_head("GPT2LMHeadModel", "gpt2");
  out["vocab_size"] = model.vocab_size;
  out["n_embd"] = model.d_model;
  out["n_positions"] = model.position.max_positions;
  out["n_layer"] = model.n_layers();
  out["n_head"] = common_json(model, &BlockSpec::attention, &AttentionSpec::n_heads);
  out["n_inner"] = common_json(model, &BlockSpec::mlp, &MlpSpec::d_mlp);
  out["activation_function"] = common_json(model, &BlockSpec::mlp, &MlpSpec::activation);
  out["layer_norm_epsilon"] = common_json(model, &BlockSpec::norm, &NormSpec::eps);
  out["scale_attn_weights"] = extent(model, &BlockSpec::attention, &AttentionSpec::scale).second != 1.f;
  out["scale_attn_by_inverse_layer_idx"] = !common(model, &BlockSpec::attention, &AttentionSpec::scale);
  put_special_tokens(out, model);
  return out;
}

}  // namespace

Result<SavedLayout> save_as_gpt2(const Model& model) {
  const ModelConfig& config = model.config();
  const auto conv1d = WeightWriter::Layout::in_out;
  const std::string prefix = "transformer.";
  WeightWriter to(model.weights(), prefix);
  to.table("tok_embed.weight", "wte.weight");
  to.table("pos_embed.weight", "wpe.weight");
  for (int layer = 0; layer < config.n_layers(); ++layer) {
    const std::string number = std::to_string(layer), base = "blocks." + number + ".",
                      name = "h." + number + ".";
    to.norm(base + "ln1", name + "ln_1", Bias::always);
    put_qkv(to, base + "attn.", prefix + name + "attn.c_attn");
    to.linear(base + "attn.out", name + "attn.c_proj", conv1d, Bias::always);
    to.norm(base + "ln2", name + "ln_2", Bias::always);
    to.linear(base + "mlp.pre", name + "mlp.c_fc", conv1d, Bias::always);
    to.linear(base + "mlp.out", name + "mlp.c_proj", conv1d, Bias::always);
  }
  to.norm("ln_final", "ln_f", Bias::always);
  const Tensor head = to.need("logits.weight");  // [d_model, vocab]
  if (!config.head.tied && !head.empty()) to.add_plain("lm_head.weight", head.transpose());
  TRY(auto tensors, std::move(to).take());
  return SavedLayout{gpt2_config_json(config), std::move(tensors), nullptr};
}

}  // namespace attnscope
