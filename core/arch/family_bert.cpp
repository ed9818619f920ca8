// BERT (Devlin et al. 2019): an encoder with learned positions and segments, norms behind each sum, and the
// masked-language head where the file has one. Reads files with and without the "bert." prefix and the older
// gamma and beta; poolers, classifiers and the head of sentence pairs are left alone.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/token_encoder.h"

namespace attnscope {
namespace {

const MaskedHeadNames kBertHead{"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                                "cls.predictions.decoder", "cls.predictions.bias"};

Result<ModelConfig> bert_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  return read_encoder_config(config, source, 0, kBertHead);
}

Result<Weights> bert_weights(const ModelConfig& config, const TensorSource& source) {
  return read_encoder_weights(config, source, "bert.", kBertHead);
}

}  // namespace

Family family_bert() { return {"BERT", {"bert"}, bert_config, bert_weights}; }

}  // namespace attnscope
