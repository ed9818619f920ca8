// The difference between the predictions of two runs: the top output of each, which outputs gained and lost,
// and KL divergence. Outputs of two vocabularies correspond where their texts are the
// same. Errors: runs without logits, and vocabularies without a common output.
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
  double kl = 0;              ///< KL(before || now) in nats, over the common outputs

  /// Two vocabularies: the common outputs, and the share of each distribution on them.
  struct Common {
    std::int64_t texts = 0;
    double before = 0, now = 0;
  };
  std::optional<Common> common;
};

/// Of the prediction rows, or of those that `rows` gives; `most`: length of `moved`.
/// Outputs of two vocabularies with the same text, a blank in front aside, are one output, and kl is
/// over the common outputs alone. Errors: a run without logits; no output that both have.
struct AnswerRows {
  std::int64_t before = -1, now = -1;
};
Result<AnswerChange> answer_change(const Trace& before, const Trace& now, std::size_t most = 3,
                                   const AnswerRows& rows = {});

}  // namespace attnscope
