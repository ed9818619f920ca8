// What ablate, patch and attribute share: their options, and how one answer is put together.
#pragma once

#include <string>
#include <vector>

#include "app/cli/answer_table.h"
#include "app/cli/command.h"
#include "core/lens/attribution.h"
#include "core/lens/sweep.h"
#include "core/session/data_sweep.h"

namespace attnscope::cli {

struct AskOptions {
  std::string model, measure, steps, over, how = "zero", direction = "denoise", by = "head", shard, out,
                                           graph;
  double least = 0.005;
  std::int64_t at = -1;
  bool json = false, estimate = false, yes = false, each = false, quantiles = false, normalise = false,
       only_estimate = false, linear = false;
  SequenceOptions text, clean, corrupt;
  DataOptions data;
  std::vector<std::string> parts;

  std::vector<std::string> over_axes() const;
  bool noise() const { return direction == "noise"; }
};

/// Errors: no such way; one that needs a data set where there is none.
Result<DataKnockout> how_asked(const AskOptions& options);

/// "part", "head", "token", "neuron".
AttributeBy attribute_by(const std::string& word);
/// Part and parts of --shard; 1 of 1 without it.
Result<std::pair<int, int>> shard_asked(const AskOptions& options);
/// Prints a table, or writes it to --out.
Status give_answer(const AskOptions& options, const AnswerTable& table);

/// One pair of runs patched: the sweep, and the measure of both.
struct PatchAsked {
  std::optional<Sweep> sweep;
  LogitMeasure measure;
  double clean = 0, corrupt = 0;
};
/// `text` is the measure. Errors: those of the measure and of Sweep::patching.
Result<PatchAsked> patch_asked(const OpenedModel& opened, const AskOptions& options, const std::string& text,
                               const std::shared_ptr<const Trace>& clean,
                               const std::shared_ptr<const Trace>& corrupt);

/// Adds the normalised scale to every row, where --normalise asks for it and the totals have both ends.
/// Errors: they have not, or both ends are the same.
Status normalise(const AskOptions& options, AnswerTable& table);

/// The same questions over a data set (ask_data.cpp).
Status ablate_data(const AskOptions& options, const RunModel& opened);
Status patch_data(const AskOptions& options, const RunModel& opened);
Status attribute_data(const AskOptions& options, const RunModel& opened);

}  // namespace attnscope::cli
