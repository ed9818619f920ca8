// Linear probes over the prompts of a data set, as the command line and the curves over checkpoints fit them.
#pragma once

#include <functional>
#include <string>

#include "core/session/data_runs.h"
#include "core/session/probing.h"

namespace attnscope {

/// Probes for `what` (token, position, answer, wrong or the name of a column), read at row `at` (negative:
/// the row that answers); a token or a position is read at every row. `ran` is called with each run. Errors:
/// a line without it, with its place; as probe_runs().
Result<ProbeAnswer> probe_prompts(DataRuns& data, const std::string& what, std::int64_t at,
                                  const std::atomic<bool>* cancel = nullptr,
                                  const std::function<void(const PromptRun&)>& ran = {});

}  // namespace attnscope
