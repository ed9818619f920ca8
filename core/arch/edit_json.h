// Edits in a file: "edits": ["blocks.0.attn.z[head=1]=0", {"mask": "cross", "spec": "causal", "cells":
// [[query, key, 1]]}, {"edit": "blocks.1.mlp.out*=0.5", "enabled": false, "note": "..."}]. Frozen numbers
// stand in the file: {"place": "blocks.1.resid_pre[pos=2]", "op": "set", "shape": [8], "values": [...],
// "origin": "..."}. Errors: an entry that is no edit, with its place in the file; that a model has the place
// checked where it runs.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/trace/edit.h"

namespace attnscope {

/// Stores frozen numbers outside of the JSON; returns what is written in their place.
using KeepNumbers = std::function<nlohmann::json(const Tensor& values)>;
/// The numbers for what KeepNumbers wrote.
using FindNumbers = std::function<Result<Tensor>(const nlohmann::json& word)>;

/// Reads `object["edits"]`, where it is there (the older form {"masks": [...], "steps": [...]} as well);
/// `what` is the name of the file in errors.
Result<Edits> edits_from_json(const nlohmann::json& object, const std::string& what,
                              const FindNumbers& find = {});
/// A list; null where there are none.
nlohmann::json edits_to_json(const Edits& edits, const KeepNumbers& keep = {});

}  // namespace attnscope
