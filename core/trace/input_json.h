// Inputs as JSON, as scenes and the cards of trained models hold them: {"ids", "source", "types", "real",
// "source_attention_mask", "vectors", "pixels": {"shape", "values"}, "spans": [["image", 0, 4]]}; "real" is
// the attention_mask of `ids`. Error: a list of other things than numbers, with its place.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/input.h"

namespace attnscope {

/// The list at "inputs", at least one; `what` is the name of the file in errors.
Result<std::vector<Input>> inputs_from_json(const nlohmann::json& object, const std::string& what);
/// One sequence, without its vectors.
nlohmann::json input_to_json(const Input& input);
/// Nested lists of numbers of up to two levels, flattened; the shape found goes to `shape`.
Result<std::vector<float>> numbers_from_json(const nlohmann::json& value, std::vector<std::int64_t>& shape,
                                             const std::string& name);

}  // namespace attnscope
