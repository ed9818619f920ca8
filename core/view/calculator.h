// What the calculator is asked, as a session keeps it, and what it says to that.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/arch/open.h"
#include "core/calc/calculation.h"
#include "core/calc/machine.h"
#include "core/calc/sizes.h"

namespace attnscope {

inline constexpr std::int64_t kFirstPositions = 2048;
inline constexpr const char *kFirstPreset = "gpt2", *kFirstMachine = "a100";

/// The choices of the calculator, by the names that a session has for them.
struct CalcChosen {
  std::string preset, file, dtype;   ///< `file`: a config.json; both empty: the open model
  Sizes sizes{0, 0, 0, 0, 0, 0, 0};  ///< 0: the model's own size
  std::int64_t seq = 0, batch = 1;   ///< seq 0: as many as the model was made for, at most kFirstPositions
  double tokens = 0, served = 0;     ///< of training and serving
  std::string pane, beside = kFirstPreset, machine;  ///< empty: the first, none, the first
};

/// As a session keeps them (an object); what is missing there is as in a window that was just opened.
CalcChosen calc_chosen(const nlohmann::json& from);
/// Positions that a model is calculated with at first.
std::int64_t first_positions(const Described& model);
/// What is calculated for: length, batch, formats.
Workload calc_work(const CalcChosen& chosen, const Described& model);

struct CalcShown {
  Described model;
  Workload work;
  Calculation calc;
};
/// Errors: a preset or a file that cannot be read, a recording in which no model is open, sizes and numbers
/// out of range.
Result<CalcShown> calc_shown(const CalcChosen& chosen, const OpenedModel& opened);
/// The preset beside it under the same workload.
Result<CalcShown> calc_beside(const CalcChosen& chosen, const Workload& work);
/// Its machine; nothing of this machine, whose numbers were measured.
std::optional<Machine> calc_machine(const CalcChosen& chosen);

}  // namespace attnscope
