// RoPE with its numbers: what a block's RopeSpec means for heads of one width in a run of one length.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct Rotary {
  std::vector<double> frequencies;  ///< radians per position of each pair
  bool interleaved = false;         ///< pairs (2i, 2i + 1) instead of (i, i + half)
  double magnitude = 1;             ///< rotated pairs are multiplied by this (YaRN)
  std::int64_t pairs() const { return static_cast<std::int64_t>(frequencies.size()); }
  std::int64_t pair_of(std::int64_t dim) const { return interleaved ? dim / 2 : dim % pairs(); }
  /// The dimensions of a pair.
  std::int64_t first_of(std::int64_t pair) const { return interleaved ? 2 * pair : pair; }
  std::int64_t second_of(std::int64_t pair) const { return interleaved ? 2 * pair + 1 : pair + pairs(); }
};

/// `length`: tokens of the run; some scalings depend on it.
Rotary rotary_of(const RopeSpec& rope, std::int64_t d_head, std::int64_t length);
/// Of the attention that a step belongs to, in this run; the caller asks AttentionPosition::rotates().
Rotary rotary_of(const Trace& trace, const Site& step);

}  // namespace attnscope
