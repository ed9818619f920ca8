// RoBERTa (Liu et al. 2019) and the checkpoints that share its layout, XLM-RoBERTa and CamemBERT: BERT's
// encoder whose positions begin behind the row of padding, with a head of its own. Reads files with and
// without the "roberta." prefix; classifiers are left alone.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/token_encoder.h"

namespace attnscope {
namespace {

const MaskedHeadNames kRobertaHead{"lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias"};

Result<ModelConfig> roberta_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  ModelConfig out;
  read_encoder_config(config, config.count({"pad_token_id"}, 1) + 1, out);
  if (source.find(kRobertaHead.dense + ".weight"))
    read_masked_head(config, source, kRobertaHead.decoder, out);
  TRY_OK(config.status());
  return out;
}

Result<Weights> roberta_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"roberta.", ""}, "embeddings.word_embeddings.weight");
  Weights out;
  TRY_OK(read_encoder_weights(out, config, from));
  if (config.head.present) TRY_OK(read_masked_head_weights(out, config, source, kRobertaHead));
  return out;
}

}  // namespace

Family family_roberta() {
  return {"RoBERTa", {"roberta", "xlm-roberta", "camembert"}, roberta_config, roberta_weights};
}

}  // namespace attnscope
