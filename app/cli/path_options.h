// What attnscope-cli path was asked, and its rows: of one run, or of all prompts of a data set.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/answer_run.h"
#include "app/cli/command.h"
#include "core/lens/paths.h"

namespace attnscope::cli {

struct PathOptions {
  std::string model, from, to, kind = "direct", over, shard, out;
  std::vector<std::string> measures;
  std::int64_t at = -1;
  std::size_t most = 0;
  bool json = false, estimate = false, each = false, quantiles = false;
  SequenceOptions text;
  DataOptions data;

  std::vector<std::string> over_axes() const;
  PathKind path_kind() const { return kind == "total" ? PathKind::total : PathKind::direct; }
};

/// Errors: --shard with several measures; --each or --quantiles in a form that has none.
Status check_measures(const PathOptions& options);
/// Answers that differ in their measure as one: "measures", under "base" the totals of each, and rows that
/// say their measure, as ablate's.
nlohmann::json joined_measures(const std::vector<nlohmann::json>& answers);
/// Names selected steps that can be no sender or no receiver, on stderr and in run["left_out"].
void tell_left_out(const std::vector<std::string>& senders, const std::vector<std::string>& receivers,
                   nlohmann::json& run);
/// Prints an answer or writes it, as the options say.
Status give_paths(const PathOptions& options, const nlohmann::json& answer);
/// The answer over a data set: of every pair the mean, its standard error and the number of prompts. Errors:
/// those of a prompt, with line and column.
Status path_data(const PathOptions& options, const RunModel& opened);

}  // namespace attnscope::cli
