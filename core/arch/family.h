// A family: the config fields and tensor names of one kind of checkpoint. One file each, family_*.cpp;
// CMake lists those files into the table, so that a new family is one file and one golden folder.
#pragma once

#include <functional>
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
  std::function<Result<ModelConfig>(const nlohmann::json& config, const TensorSource& source)> read_config;
  std::function<Result<Weights>(const ModelConfig& config, const TensorSource& source)> read_weights;
};

/// All families, from core/arch/family_*.cpp.
const std::vector<Family>& families();

}  // namespace attnscope
