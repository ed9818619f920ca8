// Well-known models by their published sizes: assets/presets/presets.json, configs as the
// families read them. Error: an unknown name; the hint has the nearest ones.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/arch/described.h"
#include "core/arch/open.h"
#include "core/arch/random_model.h"

namespace attnscope {

/// "bert-base", ... in the order of the file: from the original Transformer on.
const std::vector<std::string>& preset_names();
bool is_preset(const std::string& name);
/// Errors: no preset of that name; the sentence has the nearest ones.
Result<nlohmann::json> preset_config(const std::string& name);
Result<Described> describe_preset(const std::string& name);

/// "random:NAME": a model of the preset's shape with weights from a formula; NAME can also be the path of a
/// config.json. Errors: no such preset or file, no family runs it, it does not fit into memory_limit().
Result<OpenedModel> random_preset(const std::string& name);

}  // namespace attnscope
