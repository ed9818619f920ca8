// A next-token distribution cut to what fits on a screen: the most likely tokens, the rest as one number, and
// the running sum of probabilities (top-p). `top` and the rest always add up to 1.
#pragma once

#include <vector>

#include "core/sample/sampler.h"

namespace attnscope {

/// The running sum after `rank` tokens (1 = the most likely alone).
struct RunningSum {
  std::int64_t rank = 0;
  double prob = 0;
};

struct NextSummary {
  std::vector<NextToken> top;       ///< most likely first
  std::int64_t vocab = 0;           ///< words in all
  std::int64_t kept = 0;            ///< words that top-k and top-p leave
  double below_prob = 0;            ///< of the words that are not in `top`
  double below_kept = 0;            ///< the same after cutting
  std::vector<RunningSum> running;  ///< every rank at first, then about evenly on a logarithmic axis
  int choice = -1;                  ///< the token that generating appends now

  struct Tail {
    std::int64_t count = 0;
    double prob = 0, kept = 0;
  };
  /// All words but the `shown` most likely as one.
  Tail tail(std::size_t shown) const;
};

/// Of next_tokens(); keeps `top` tokens. `choice` is the draw of `sampling` at step 0, as generate() makes
/// it.
NextSummary summarise(const std::vector<NextToken>& tokens, const Sampling& sampling, std::size_t top);

}  // namespace attnscope
