// Parts of a model that were exchanged (edits such as "blocks.*.mlp.activation=relu"), as a saved model says
// them: words of config.json that the family's own reader understands.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/arch/family.h"
#include "core/arch/open.h"
#include "core/trace/edit.h"

namespace attnscope {

/// `source` with as few other words as let `family` read it as `now`; nothing where it has no words for that.
std::optional<nlohmann::json> config_saying(const nlohmann::json& source, const Family& family,
                                            const TensorSource& tensors, const ModelConfig& now);

/// Opens what was written and runs it beside the edited model: whether it has the same config and the same
/// logits, bit by bit. False for models that read pictures or rows, which are not run here. Errors: those of
/// opening and running.
Result<bool> is_saved(const std::string& folder, const OpenedModel& opened, const Edits& edits,
                      const ModelConfig& now);

}  // namespace attnscope
