// A ModelConfig as JSON, by specs: {"d_model", "positions", "norm", "attention", "mlp", "head", ...}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/trace/config.h"

namespace attnscope {

Result<ModelConfig> config_from_json(const nlohmann::json& json, const std::string& what);
nlohmann::json config_to_json(const ModelConfig& config);

}  // namespace attnscope
