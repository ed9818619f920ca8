// What the Check view compares with: arrays that another program recorded, or the pinned run A; which tokens
// of the two belong together, and taking over what the other one read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/view.h"
#include "core/lens/step_differences.h"

namespace attnscope {

struct CheckReference {
  std::string name;
  Traces traces;
  std::vector<std::string> texts;  ///< typed texts, for the pinned run only
};
/// Errors: open_model's; a model that is no recording.
Result<CheckReference> read_reference(const std::string& path);
/// The pinned run, called `name`.
CheckReference pinned_reference(const RunResult& pinned, std::string name);

/// The result, and how the tokens of both are aligned.
struct CheckComparison {
  std::vector<StepDifference> rows;
  struct Tokens {
    std::int64_t matched = 0, here = 0, there = 0;
  };
  std::vector<Tokens> tokens;  ///< for each sequence that both have
};
CheckComparison compared(const Traces& mine, const Traces& theirs, const std::atomic<bool>& cancel);

/// True if the reference was recorded for other tokens: then no step can agree.
bool other_tokens(const RunResult& run, const CheckReference& other);
/// What the reference read becomes the input, as an undoable edit.
void take_input(Commands& commands, const CheckReference& other);

}  // namespace attnscope
