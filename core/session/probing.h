// What can be read off the residual stream of a model that a task of this program trained: its own held-out
// texts are run, and probes are fitted per layer. Refuses models whose task is not known, and things that
// their texts do not hold.
#pragma once

#include "core/arch/open.h"
#include "core/lens/probe.h"

namespace attnscope {

/// token: the one that stands at the row. position: the row's number. antecedent: the noun that a pronoun
/// stood for, read where it is to be said again.
enum class Probed : std::uint8_t { token, position, antecedent };
inline constexpr int kProbedCount = 3;
/// "token", "position", "antecedent".
std::string_view probed_name(Probed what);
/// The model's texts can be asked for it.
bool can_probe(const OpenedModel& opened, Probed what);

/// Fits to `texts` examples of the task's training split and asks a third as many of the held-out one; the
/// same for the same numbers. Errors: no such task, as probe_depths().
Result<ProbeAnswer> probe(const OpenedModel& opened, const std::shared_ptr<const Model>& model, Probed what,
                          int texts = 240, const std::function<bool(float)>& go_on = {});

}  // namespace attnscope
