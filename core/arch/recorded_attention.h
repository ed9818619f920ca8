// What the queries and keys of a recording say about scores and patterns that it leaves out. Nobody wrote
// down how the scores were scaled and masked, so the usual ways are tried, and one that contradicts what the
// file does hold (a pattern, a result of the heads) is not believed. Refuses queries before a rotation beside
// keys after it, and attentions with a cap or a bias, which no file holds.
#pragma once

#include <map>
#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

/// The recorded steps of one sequence, axes named.
using Arrays = std::map<Site, Tensor>;

struct RecordedAttention {
  AttentionState state;    ///< lse is empty where the pattern itself was recorded
  bool confirmed = false;  ///< by something that the file holds
};

/// The attention whose pattern is called `place`. `causal`: by what the file says of itself; `real`: 0 where
/// a row that is looked at is padding. Nothing where queries or keys are missing or no way fits.
std::optional<RecordedAttention> recorded_attention(const Arrays& arrays, const Site& place, bool causal,
                                                    const std::vector<std::uint8_t>& attention_mask);

}  // namespace attnscope
