// Models of our own: config.json holds the specs as scenes spell them, tensors stand under their canonical
// names ("blocks.0.attn.q.weight"), matrices [in, out]. Any combination of specs: the Pilot,
// the Sorter, attention without MLPs. A tied head and a shared table of tokens are not stored twice.
#include <nlohmann/json.hpp>

#include "core/arch/family.h"
#include "core/arch/scene.h"
#include "core/arch/scene_config.h"
#include "core/arch/weight_reader.h"
#include "core/trace/ties.h"

namespace attnscope {
namespace {

Result<ModelConfig> attnscope_config(const nlohmann::json& json, const TensorSource&) {
  return config_from_json(json, "config.json");
}

Result<Weights> attnscope_weights(const ModelConfig& config, const TensorSource& source) {
  const WeightReader from(source, {}, "");
  Weights out;
  for (const WeightShape& expected : expected_weights(config)) {
    if (is_tied(config, expected.name)) continue;
    if (!expected.required && !from.has(expected.name)) continue;
    TRY(const Tensor tensor, from.load(expected.name, expected.shape));
    const Shape axes = canonical_axes(expected.name, expected.shape);
    out.set(expected.name, axes.size() == 1 ? tensor.rename({axes[0].first})
                                            : tensor.rename({axes[0].first, axes[1].first}));
  }
  tie_tables(config, out);
  return out;
}

}  // namespace

Family family_attnscope() { return {"attnscope", {"attnscope"}, attnscope_config, attnscope_weights}; }

}  // namespace attnscope
