// Who looked at whom in a run: by the mask that it was computed with, or, in a recording, by what was
// recorded of it. Refuses to guess: what a recording does not say is read off its scores or its weights, and
// the result says off which.
#pragma once

#include <memory>

#include "core/trace/trace.h"

namespace attnscope {

/// Scores below this are masked: -infinity, or the least number of a format that programs write instead.
inline constexpr float kHiddenScore = -6e4f;

/// What a mask is known by.
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
