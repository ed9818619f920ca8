// What a person changed in a scene besides its numbers, as its file holds it: "edits": {"masks": [{"of":
// "main", "spec": "causal", "cells": [[query, key, 1]]}], "steps": [{"where": "blocks.0.attn.z[head=1]",
// "how": "zero"}]}. Refuses masks and steps that no model has, with their place in the file; whether this
// model has them is checked where it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/trace/intervention.h"
#include "core/trace/probe.h"
#include "core/trace/side_mask.h"

namespace attnscope {

struct SceneEdits {
  MaskSpec mask;                       ///< of the main stack's self-attention; "model" = its own
  std::vector<Mask::Cell> mask_cells;  ///< switched by hand in the same
  std::vector<SideMask> side_masks;    ///< of the model's other attentions
  std::vector<Intervention> interventions;
};

/// What a run under these edits changes on its way.
RunOptions run_options(const SceneEdits& edits);
/// Reads `object["edits"]`, where it is there; `what` names the file in sentences.
Result<SceneEdits> edits_from_json(const nlohmann::json& object, const std::string& what);
/// Null where nothing was changed.
nlohmann::json edits_to_json(const SceneEdits& edits);

}  // namespace attnscope
