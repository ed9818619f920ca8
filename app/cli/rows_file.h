// Where an answer of rows is written: as JSON, as CSV, or into a pipe, which takes CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope::cli {

/// Errors: a name that ends neither in .json nor in .csv and is no stream. An empty one is none.
Status check_rows_path(const std::string& out);
/// Errors: as above, those of writing. Writes nothing where `out` is empty.
Status write_rows(const std::string& out, const nlohmann::json& answer, const std::string& csv);

}  // namespace attnscope::cli
