// BART (Lewis et al. 2019) and mBART: encoder and decoder with learned positions that begin at row 2, a norm
// behind the embedding, GELU, one table of tokens that is the head too. BART norms after each sum; mBART
// before, with one more norm behind the last block (normalize_before in old configs).
#include <nlohmann/json.hpp>

#include "core/arch/bart_parts.h"
#include "core/arch/family.h"

namespace attnscope {
namespace {

Result<ModelConfig> bart_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  const bool multilingual = config.text({"model_type"}, "bart") == "mbart";
  BartLayout layout;
  layout.offset = 2;
  layout.order = config.flag({"normalize_before"}, multilingual) ? NormOrder::pre : NormOrder::post;
  layout.embed_norm = config.flag({"normalize_embedding"}, true);
  layout.final_norm = config.flag({"add_final_layer_norm"}, multilingual);
  return read_bart_config(config, source, layout);
}

}  // namespace

Family family_bart() { return {"BART", {"bart", "mbart"}, bart_config, read_bart_weights}; }

}  // namespace attnscope
