// Answers in CSV, npz and safetensors, and traces in JSON, as JSON, whichever command gave them: for
// comparing two of them number by number.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope::cli {

/// {"run", "rows": [[cell, ...], ...]} of CSV, {"run", "arrays": {name: [number, ...]}} of npz and
/// safetensors; of JSON what it holds, its run out of "__metadata__" where that has it. Errors: a file that
/// is none.
Result<nlohmann::json> table_answer(const std::string& path);

}  // namespace attnscope::cli
