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
  return read_encoder_config(config, source, config.count({"pad_token_id"}, 1) + 1, kRobertaHead);
}

Result<Weights> roberta_weights(const ModelConfig& config, const TensorSource& source) {
  return read_encoder_weights(config, source, "roberta.", kRobertaHead);
}

}  // namespace

Family family_roberta() {
  return {"RoBERTa", {"roberta", "xlm-roberta", "camembert"}, roberta_config, roberta_weights};
}

}  // namespace attnscope
