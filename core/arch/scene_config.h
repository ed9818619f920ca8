// A ModelConfig as JSON, by specs: {"d_model", "positions", "norm", "order", "attention", "cross", "mlp",
// "head", "encoder", "vision", ...}; "blocks" lists blocks that differ. Any combination that the specs can
// express can be written, so that a class builds its own Transformer. Error: an unknown word; the sentence
// lists the known ones.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/trace/config.h"

namespace attnscope {

Result<ModelConfig> config_from_json(const nlohmann::json& json, const std::string& what);
nlohmann::json config_to_json(const ModelConfig& config);
/// rope_scaling as config.json spells it; null where nothing is scaled.
nlohmann::json rope_scaling_json(const RopeSpec& rope);
/// The number with the fewest digits that rounds to a float: 1e-05, not 9.99999974e-06.
double spelled(float value);
/// "gelu_new", "relu", ...: how configs spell an activation.
const char* activation_key(Activation kind);

}  // namespace attnscope
