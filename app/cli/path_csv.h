// The answer of `path` as CSV, and parts of one read back from it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace attnscope::cli {

/// One row per pair of sender and receiver. What is the same in all of them (the base, edits) is a column, as
/// an answer's. A part has numbers in full, and in the column "answer" of its first row what the whole answer
/// says beside its rows.
std::string paths_csv(const nlohmann::json& answer);
/// A table of paths, by its first columns.
bool is_path_csv(std::string_view text);
/// A part as the JSON that it stands for; nothing of one without rows. Errors: no part, another number of
/// cells than columns, a cell that is no number, with the path of the file.
Result<std::optional<nlohmann::json>> path_from_csv(const std::string& path, std::string_view text);

}  // namespace attnscope::cli
