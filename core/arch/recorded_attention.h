// Scores and patterns that a recording leaves out, computed from its queries and keys. The scale and the mask
// are not in the file, so the usual ones are tried, and those are dropped that contradict what the
// file does hold (a pattern, z of the heads). Limits: no queries before a rotation beside
// keys after it, and no attentions with a cap or a bias, which no file holds.
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

/// The attention whose pattern is at `place`. `causal`: from the file's metadata; `attention_mask`: 0 where
/// a key row is padding. nullopt where queries or keys are missing or no mask and scale fit.
std::optional<RecordedAttention> recorded_attention(const Arrays& arrays, const Site& place, bool causal,
                                                    const std::vector<std::uint8_t>& attention_mask);

}  // namespace attnscope
