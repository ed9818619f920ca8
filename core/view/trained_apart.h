// Two models that learned one task under different masks, beside each other: the masks, what is right of what
// they say, and what each says here.
#pragma once

#include <optional>
#include <vector>

#include "core/view/view.h"

namespace attnscope {

/// True where both were trained on one task, and their own masks (of the main stack) differ.
bool trained_apart(const OpenedModel& a, const OpenedModel& b);
/// Under which mask each learned, and what their cards have measured; full, then short. `a`, `b`: with cards;
/// `open_a`, `open_b`: pairs that are open in the runs.
std::vector<Text> trained_apart_sentence(const OpenedModel& a, std::int64_t open_a, const OpenedModel& b,
                                         std::int64_t open_b);
/// The movement that each says, one action per column; nothing for models that say no actions.
std::optional<figure::Part> both_movements(const ViewState& a, const ViewState& b);

}  // namespace attnscope
