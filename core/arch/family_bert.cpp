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
  ModelConfig out;
  read_encoder_config(config, 0, out);
  if (source.find(kBertHead.dense + ".weight")) read_masked_head(config, source, kBertHead.decoder, out);
  TRY_OK(config.status());
  return out;
}

Result<Weights> bert_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {"bert.", ""}, "embeddings.word_embeddings.weight");
  Weights out;
  TRY_OK(read_encoder_weights(out, config, from));
  if (config.head.present) TRY_OK(read_masked_head_weights(out, config, source, kBertHead));
  return out;
}

}  // namespace

Family family_bert() { return {"BERT", {"bert"}, bert_config, bert_weights}; }

}  // namespace attnscope
