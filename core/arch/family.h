// A family: the config fields and tensor names of one kind of checkpoint. One file each, family_*.cpp;
// CMake lists those files into the table, so that a new family is one file and one golden folder.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/tensor_source.h"
#include "core/trace/config.h"

namespace attnscope {

struct Family {
  std::string name;                      ///< as shown: "GPT-2"
  std::vector<std::string> model_types;  ///< config.json's model_type
  /// `source` decides where the config has no field for it (a missing head, an old spelling).
  Result<ModelConfig> (*read_config)(const nlohmann::json& config, const TensorSource& source);
  Result<Weights> (*read_weights)(const ModelConfig& config, const TensorSource& source);
};

/// All families, from core/arch/family_*.cpp.
const std::vector<Family>& families();

}  // namespace attnscope
