// How the answer of one run differs from that of another: what each says, which outputs gained and lost, and
// how far the two distributions are apart. Outputs of two vocabularies belong together where they spell the
// same. Refuses runs without logits, and outputs of which none are the same, in words.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct AnswerChange {
  struct Output {
    int id = -1;                 ///< of the newer run; -1: it has no such output
    int was_id = -1;             ///< of the older one; the same in one vocabulary
    double before = 0, now = 0;  ///< probabilities
  };
  Output was, is;             ///< the most probable output of the older run, and of the newer one
  std::vector<Output> moved;  ///< whose probability changed most, the largest change first
  double kl = 0;              ///< KL(before || now) in nats, of what both can say

  /// Two vocabularies: what both can say, and the share of each answer that it holds.
  struct Common {
    std::int64_t texts = 0;
    double before = 0, now = 0;
  };
  std::optional<Common> common;
};

/// Of the rows that the answers are read off, or of those that `rows` names; `most`: how many of `moved`.
/// Outputs of two vocabularies that spell the same, a blank in front aside, are taken together, and kl is
/// that of what both can say alone. Errors: a run without logits; no output that both have.
struct AnswerRows {
  std::int64_t before = -1, now = -1;
};
Result<AnswerChange> answer_change(const Trace& before, const Trace& now, std::size_t most = 3,
                                   const AnswerRows& rows = {});

}  // namespace attnscope
