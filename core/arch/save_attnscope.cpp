// Our own layout, the inverse of family_attnscope.cpp: for models that no other family describes.
#include "core/arch/preprocess.h"
#include "core/arch/save_layout.h"
#include "core/arch/scene.h"
#include "core/arch/scene_config.h"
#include "core/trace/ties.h"

namespace attnscope {

Result<SavedLayout> save_as_attnscope(const Model& model) {
  const ModelConfig& config = model.config();
  SavedLayout out;
  out.config = config_to_json(config);
  out.config["model_type"] = "attnscope";
  out.config["dtype"] = "float32";
  for (const WeightShape& expected : expected_weights(config)) {
    const Tensor* found = model.weights().find(expected.name);
    if (found && !is_tied(config, expected.name)) out.tensors.push_back({expected.name, *found});
  }
  std::vector<Text> notes;
  if (config.sees()) out.preprocessing = preprocessing_to_json(preprocessing_of(config, {}, notes));
  return out;
}

}  // namespace attnscope
