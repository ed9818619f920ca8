// Two runs of one input step by step: the largest difference of each step and where it is. Two models, two
// forms of one, or a model and a recording of another program. No tolerance is applied: the caller has
// one.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// One step of the first run against the step of the same name of the second.
struct StepDifference {
  int sequence = 0;
  Site site;
  double max_abs = 0;  ///< infinite where one of the two is NaN
  std::vector<AxisRange> at;
  double first = 0, second = 0;  ///< the two numbers there; 0 where nothing differs
  Text what;               ///< not empty: which number of the step they are, where it is no cell: its norm
  std::int64_t alone = 0;  ///< rows, keys and outputs that have no partner in the second run
  Text why;                ///< not empty: why the two could not be compared

  double size = 1;  ///< what max_abs is measured against: 1, or with torch_differences() what is larger there

  bool compared() const { return why.empty(); }
  /// What a tolerance is compared with.
  double error() const { return max_abs / size; }
  /// Where: "[pos=3,d_model=7]", "smallest number at [pos=3,d_model=7]", "norm"; empty where nothing differs.
  std::string place() const;
  /// "seq1.blocks.0.attn.z": the sequence in front from the second one on.
  std::string name() const;
};

/// |a - b|; 0 for equal infinities and two NaN, infinite where one of the two is NaN.
double number_difference(double a, double b);

using Traces = std::vector<std::shared_ptr<const Trace>>;

/// All steps of `a` in its order, of as many sequences as both have. Tokens of runs of two lengths are
/// aligned, tokens and outputs of two vocabularies compared where they spell the same; `at` is a place of
/// `a`. Equal infinities and two NaN are no difference. Takes planes by rows, so that no step is held whole.
/// Stops early when cancelled.
std::vector<StepDifference> step_differences(const Traces& a, const Traces& b,
                                             const std::atomic<bool>* cancel = nullptr);

/// The first token in which two runs differ.
struct TokenDifference {
  int sequence = 0;
  Stack stack = Stack::single;
  std::int64_t pos = 0;
  int first = -1, second = -1;  ///< their ids there; -1: that run has ended
};
/// The first such place of as many sequences as both have; none where all tokens are the same, are of two
/// vocabularies, or are not known.
std::optional<TokenDifference> first_token_difference(const Traces& a, const Traces& b);

/// The first that was compared and differs by more than `tolerance`; null where there is none.
const StepDifference* first_beyond(const std::vector<StepDifference>& all, double tolerance);

}  // namespace attnscope
