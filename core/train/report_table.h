// The reports of a run as tables of whole numbers, one row per report, as checkpoints keep them: every bit
// stays, and a run of a million steps still fits; as JSON it would exceed the limit of a file's header.
// Errors: tables that no run can have left.
#pragma once

#include <string>
#include <vector>

#include "core/io/writers.h"
#include "core/train/trainer.h"

namespace attnscope {

/// The layers that any of the reports has norms of, each once.
std::vector<std::string> reported_layers(const std::vector<StepReport>& reports);
/// [report, 8 numbers, then both norms of each layer]; what is no whole number stands as the bits of a
/// double.
NamedInts reports_to_table(std::string name, const std::vector<StepReport>& reports,
                           const std::vector<std::string>& layers);
/// [measurement, 4 numbers], likewise.
NamedInts held_out_to_table(std::string name, const std::vector<HeldOut>& held_out);

/// `what` is the name of the file in errors. Errors: a width that does not fit, counts that are none.
Result<std::vector<StepReport>> reports_from_table(const NamedInts& table,
                                                   const std::vector<std::string>& layers,
                                                   const std::string& what);
Result<std::vector<HeldOut>> held_out_from_table(const NamedInts& table, const std::string& what);

}  // namespace attnscope
