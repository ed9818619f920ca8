// Linear probes over the prompts of a data set, as probe and checkpoints fit them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/command.h"
#include "core/lens/probe.h"

namespace attnscope::cli {

/// Probes for `what` (token, position, answer, wrong or the name of a column), read at row `at` (negative:
/// the row that answers). `run` gets what is said of the data. Errors: a line without it, as probe_runs().
Result<ProbeAnswer> probe_data(const DataOptions& data, const std::string& what, std::int64_t at,
                               const RunModel& opened, nlohmann::json& run);

}  // namespace attnscope::cli
