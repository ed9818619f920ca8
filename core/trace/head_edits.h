// Changes to scores, scaled, masked or pattern of single heads. An edited head becomes a stored plane [query,
// key] per stage; rows that no edit reaches keep the very bits of the streamed attention, so that a
// difference shows nothing but what follows from the edit.
#pragma once

#include <vector>

#include "core/trace/intervention.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Applies those of `changes` that name a stage of the attention at `any_site`: stores the edited heads in
/// `state` and puts their new rows into result.z.
void edit_heads(const std::vector<Intervention>& changes, const Site& any_site, AttentionState& state,
                AttentionResult& result);

}  // namespace attnscope
