// Metrics on held-out examples: runs over the threads, predictions compared with targets, and the mean of
// a score for each head, to find the head with a given behaviour. The same numbers on any number of
// threads.
#pragma once

#include <functional>
#include <vector>

#include "core/train/task.h"

namespace attnscope {

/// Runs held-out examples 0 .. count - 1 of `seed` and calls `judge` with each run in this order. An example
/// that cannot be run is our mistake (CHECK).
void run_held_out(const Task& task, const Model& model, std::uint64_t seed, int count,
                  const std::function<void(const Example& example, const Trace& trace)>& judge);

/// Accuracy: of the rows with a target, how many have it as their first largest logit. Where all are right,
/// greedy decoding gives the whole answer.
struct RowsRight {
  std::int64_t right = 0, counted = 0;
  bool all() const { return right == counted; }
  void add(const RowsRight& more) { right += more.right, counted += more.counted; }
  /// 0 where no row was counted.
  double share() const { return static_cast<double>(right) / static_cast<double>(counted > 0 ? counted : 1); }
};
RowsRight rows_right(const Trace& trace, const std::vector<int>& targets);

/// One head and the mean of its score.
struct FoundHead {
  int layer = -1, head = -1;
  double mean = 0;
};

/// Scores of every head of a stack, added up.
class HeadScores {
 public:
  /// Of the main stack's self-attention, or of its cross-attention.
  explicit HeadScores(const ModelConfig& config, Part part = Part::attn);
  /// `heads`: how many each block has.
  explicit HeadScores(const std::vector<int>& heads);
  /// Adds score(layer, head) of every head once.
  void add(const std::function<double(int layer, int head)>& score);
  /// The first head with the largest mean.
  FoundHead best() const;

 private:
  std::vector<FoundHead> sums_;  ///< `mean` is the sum so far
  std::int64_t count_ = 0;
};

}  // namespace attnscope
