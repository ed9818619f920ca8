// How the answer of one run differs from that of another: what each says, which outputs gained and lost, and
// how far the two distributions are apart. Refuses runs without logits and other vocabularies, in words.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct AnswerChange {
  struct Output {
    int id = -1;
    double before = 0, now = 0;  ///< probabilities
  };
  Output was, is;             ///< the most probable output of the older run, and of the newer one
  std::vector<Output> moved;  ///< whose probability changed most, the largest change first
  double kl = 0;              ///< KL(before || now) in nats
};

/// Of the rows that the answers are read off; `most`: how many of `moved`. Errors: a run without logits;
/// vocabularies of different sizes.
Result<AnswerChange> answer_change(const Trace& before, const Trace& now, std::size_t most = 3);

}  // namespace attnscope
