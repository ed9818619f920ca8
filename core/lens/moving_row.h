// One row of a head with its pattern free to move: what the head adds to a number as a function of its query,
// its keys and its values. Followed along the straight line from none of the three (0) to those of the run,
// every number gets the mean of its derivative on the way (integrated gradients, Sundararajan et al. 2017),
// so that the parts through query, keys and values add up to what the head adds: nothing is held, nothing is
// counted twice. Masks, biases of scores and sinks are there on the whole way.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

class MovingRow {
 public:
  /// `along`: what the value of each key adds where its weight is 1.
  MovingRow(const AttentionState& state, std::int64_t head, std::int64_t row, std::vector<double> along);

  /// What the row adds, at the run's query, keys and values.
  double value() const { return value_; }
  /// The weights of the run.
  const std::vector<double>& pattern() const { return pattern_; }
  /// Of each key, the mean weight on the way: a value's part is this times `along`.
  const std::vector<double>& by_value() const { return by_value_; }
  /// Of each key, the mean derivative by its scaled score, for the query as for the key: times the score it
  /// is the part of either.
  const std::vector<double>& by_score() const { return by_score_; }
  const std::vector<double>& scores() const { return scores_; }
  /// What the row adds where the scaled scores lose these numbers and the values stay: exact.
  double without(const std::vector<double>& taken) const;

 private:
  std::vector<double> weights(double share, const std::vector<double>& taken) const;

  std::vector<double> along_, scores_, added_, pattern_, by_value_, by_score_;
  std::vector<bool> seen_;
  double cap_ = 0, sink_ = 0, value_ = 0;
  bool has_sink_ = false;
};

}  // namespace attnscope
