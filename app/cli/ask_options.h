// What ablate, patch and attribute share: their options, and how one answer is put together.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/lens/attribution.h"
#include "core/lens/sweep.h"
#include "core/session/data_sweep.h"

namespace attnscope::cli {

struct AskOptions {
  std::string model, steps, over, how = "zero", direction = "denoise", by = "head", shard, out, graph;
  double least = 0.005;
  std::optional<std::int64_t> directions = {};  ///< of attribute --linear: whose matrix
  std::int64_t at = -1;
  bool by_given = false;
  bool json = false, estimate = false, yes = false, each = false, quantiles = false, normalise = false,
       only_estimate = false, linear = false, follow_scores = false;
  SequenceOptions text, clean, corrupt;
  DataOptions data;
  std::vector<std::string> measures, parts;

  std::vector<std::string> over_axes() const;
  bool noise() const { return direction == "noise"; }
};

/// Errors: no such way; one that needs a data set where there is none.
Result<DataKnockout> how_asked(const std::string& how, bool data, std::uint64_t seed);

/// "part", "head", "token", "neuron".
AttributeBy attribute_by(const std::string& word);
/// Errors: --shard with several measures, and a CSV of each prompt; --each or --quantiles in a
/// form that has none; what else takes one measure.
Status check_measures(const AskOptions& options);
/// Prints the tables, one for each measure, or writes them to --out.
Status give_answer(const AskOptions& options, const std::vector<AnswerTable>& tables);

/// One pair of runs patched: the sweep, and every measure of both.
struct PatchAsked {
  std::optional<Sweep> sweep;
  std::vector<LogitMeasure> measures;
  std::vector<double> clean, corrupt;
};
/// `texts` are the measures. Errors: those of a measure and of Sweep::patching.
Result<PatchAsked> patch_asked(const OpenedModel& opened, const AskOptions& options,
                               const std::vector<std::string>& texts,
                               const std::shared_ptr<const Trace>& clean,
                               const std::shared_ptr<const Trace>& corrupt);

/// The alignment of the two runs: stored in the table for JSON; returned as text unless it is the identity.
std::string note_alignment(const Donor& donor, const char* into, const char* from, AnswerTable& table);

/// Adds the normalised scale to every row, where --normalise asks for it and the totals have both ends.
/// Errors: they have not, or both ends are the same.
Status normalise(const AskOptions& options, AnswerTable& table);

/// The same questions over a data set (ask_data.cpp).
Status ablate_data(const AskOptions& options, const RunModel& opened);
Status patch_data(const AskOptions& options, const RunModel& opened);
Status attribute_data(const AskOptions& options, const RunModel& opened);

/// The directions of the matrix of the token at options.directions. `made`: what was run. Errors: those of
/// twin_directions() and of writing.
Status attribute_directions(const AskOptions& options, const OpenedModel& opened, const Trace& run,
                            const LogitMeasure& measure, nlohmann::json made);

}  // namespace attnscope::cli
