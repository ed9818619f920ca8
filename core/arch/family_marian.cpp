// MarianMT (Junczys-Dowmunt et al. 2018), the original Transformer as translation models ship it: sinusoidal
// positions with all sines first, norms after each sum, ReLU or Swish, embeddings scaled by the root of the
// width. Reads one table of tokens or one for each language.
#include <nlohmann/json.hpp>

#include "core/arch/bart_parts.h"
#include "core/arch/family.h"

namespace attnscope {
namespace {

// A file may hold the table of positions. True where it is another one than the formula gives: rounded to
// half precision, or trained.
Result<bool> has_own_positions(const ModelConfig& stack, const char* name, const WeightReader& from) {
  if (!from.has(name)) return false;
  const PositionSpec& position = stack.position;
  TRY(const Tensor stored, from.load(name, {position.max_positions, stack.d_model}));
  const Tensor formula = sinusoidal_positions(0, position.max_positions, stack.d_model, position.halves);
  return max_abs_difference(stored, formula) > 1e-6;
}

Result<ModelConfig> marian_config(const nlohmann::json& json, const TensorSource& source) {
  ConfigReader config(json, "config.json");
  BartLayout layout;
  layout.position = PositionSpec::Kind::sinusoidal;
  layout.order = config.flag({"normalize_before"}, false) ? NormOrder::pre : NormOrder::post;
  layout.embed_norm = config.flag({"normalize_embedding"}, false);
  layout.final_norm = config.flag({"add_final_layer_norm"}, false);
  layout.shared_tables = config.flag({"share_encoder_decoder_embeddings"}, true);
  TRY(ModelConfig out, read_bart_config(config, source, layout));
  const WeightReader from = bart_names(source);
  ModelConfig& encoder = out.encoders.front();
  TRY(const bool own_source, has_own_positions(encoder, "encoder.embed_positions.weight", from));
  TRY(const bool own, has_own_positions(out, "decoder.embed_positions.weight", from));
  if (own_source) encoder.position.kind = PositionSpec::Kind::learned;
  if (own) out.position.kind = PositionSpec::Kind::learned;
  if (out.pad >= 0) out.suppressed_tokens.push_back(out.pad);
  return out;
}

}  // namespace

Family family_marian() { return {"MarianMT", {"marian"}, marian_config, read_bart_weights}; }

}  // namespace attnscope
