// A ModelConfig as JSON, by specs: {"d_model", "positions", "norm", "order", "attention", "cross", "mlp",
// "head", "encoder", "vision", ...}; "blocks" lists blocks that differ. Any combination that the specs can
// say can be written, so that a class builds its own Transformer. Refuses words it does not know, and says
// which it does.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/trace/config.h"

namespace attnscope {

Result<ModelConfig> config_from_json(const nlohmann::json& json, const std::string& what);
nlohmann::json config_to_json(const ModelConfig& config);
/// "gelu_new", "relu", ...: how configs spell an activation.
const char* activation_key(Activation kind);

}  // namespace attnscope
