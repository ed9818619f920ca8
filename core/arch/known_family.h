// Chooses the family that reads a config.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/arch/family.h"

namespace attnscope {

/// A family, and the model_type by which it was found.
struct KnownFamily {
  const Family* family = nullptr;
  std::string type;
};
/// By model_type, or (old configs) by the name in `architectures`; `what` is the config's name in errors.
/// Errors: neither is there, no family of that name; they list the known ones.
Result<KnownFamily> known_family(const nlohmann::json& config, const std::string& what);
/// The first name in `architectures`: "LlamaForCausalLM"; empty where there is none.
std::string architecture_of(const nlohmann::json& config);

}  // namespace attnscope
