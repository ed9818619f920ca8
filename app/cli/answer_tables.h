// Answers in CSV and npz as JSON, whichever command gave them: for comparing two of them number by number.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope::cli {

/// {"run", "rows": [[cell, ...], ...]} of CSV, {"run", "arrays": {name: [number, ...]}} of npz. Errors: a
/// file that is none.
Result<nlohmann::json> table_answer(const std::string& path);

}  // namespace attnscope::cli
