// A model under edits: weights with other numbers, and parts exchanged for others on the same weights. Shares
// every tensor that no edit touches. Error: a part that the model does not have, or whose weights it
// lacks.
#pragma once

#include <memory>

#include "core/trace/config.h"
#include "core/trace/edit.h"

namespace attnscope {

struct DerivedModel {
  std::shared_ptr<const ModelConfig> config;
  std::shared_ptr<const Weights> weights;
  Edits reached;  ///< edits of weights whose cells are there, and every exchange
};

/// True where one of `edits` changes the model itself.
bool changes_model(const Edits& edits);
/// True where every block that the exchange names is built that way already.
bool has_part(const ModelConfig& config, const Exchange& exchange);
/// Carries out those of `edits` that change the model. Weights that are one (a tied unembedding, a shared
/// table) change together, whichever name is used. Errors: no such weight, block or part; sizes that do not
/// fit.
Result<DerivedModel> derived(const std::shared_ptr<const ModelConfig>& config,
                             const std::shared_ptr<const Weights>& weights, const Edits& edits);

}  // namespace attnscope
