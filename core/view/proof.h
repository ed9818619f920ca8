// The proof sheet of a run: what can be checked of its numbers here and now, each with the largest error.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/view/view.h"

namespace attnscope {

struct Proof {
  Text what;                 ///< what was compared with what
  std::int64_t numbers = 0;  ///< how many were
  double largest = 0;        ///< difference
  double allowed = 0;
  bool good() const { return largest <= allowed; }
};

/// Of the run of a document, at the row whose answer is looked at: the same run again, bit for bit; rows of
/// softmax that add up to 1; the logit as the sum of what the parts add; every head patched from the run
/// itself; gradients against finite differences; of a shipped model its steps against PyTorch's. Those that
/// do not apply (no weights, too many runs) are left out.
std::vector<Proof> proofs_of(const OpenedModel& opened, const std::shared_ptr<const Trace>& run,
                             std::int64_t row, const std::atomic<bool>* cancel = nullptr);

/// A program for PyTorch that computes the pattern of the head that is looked at from its queries and keys,
/// which it carries, and prints the largest difference to the run's. Empty where more than products, scale,
/// mask and softmax stand between them, or there are more than `most` numbers.
std::string pattern_script(const ViewState& state, std::int64_t most = 100'000);

}  // namespace attnscope
