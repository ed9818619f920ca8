// The mask of an attention in a run: the one that it was computed with, or, in a recording, what was
// recorded of it. A recording without a mask: it is inferred from scores or weights, and RunMask::from
// says from which.
#pragma once

#include <memory>

#include "core/trace/trace.h"

namespace attnscope {

/// Scores below this are masked: -infinity, or the lowest number of a format that programs write instead.
inline constexpr float kHiddenScore = -6e4f;

/// Where a mask comes from.
enum class MaskFrom : std::uint8_t {
  run,     ///< the run was computed with it
  mask,    ///< it was recorded itself
  scores,  ///< recorded scores that are -infinity
  weights  ///< recorded weights that are 0 in every head
};
struct RunMask {
  Mask mask;
  MaskFrom from = MaskFrom::run;
};
/// The mask of the attention that a step belongs to. Everything is allowed where the run has no such
/// attention.
RunMask run_mask(const Trace& trace, const Site& any_site_of_it);

/// Allowed where a number is larger than `above`, in any head: of a mask [query, key], or of scores or
/// weights [head, query, key]. NaN counts as larger.
std::shared_ptr<const MaskRule> mask_rule_of(const Tensor& numbers, float above);

}  // namespace attnscope
