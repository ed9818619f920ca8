// A scalar of the logits of a run (a metric): it can be printed, compared between runs, and is the objective
// of a backward pass. Errors: tokens outside the vocabulary, runs without logits.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct LogitMeasure {
  enum class Kind : std::uint8_t { logit, logit_diff, prob, kl };
  Kind kind = Kind::logit;
  int target = -1, distractor = -1;  ///< output ids; the distractor of logit_diff alone
  std::int64_t row = -1;             ///< row of the logits; -1: prediction_row
  Tensor reference;                  ///< kl: the logits that it is compared with [vocab]
};

/// The row of the main stack with the prediction: the last that is no padding, or the first where the
/// head reads only that one.
std::int64_t prediction_row(const Trace& trace);
/// The row of the logits that a measure reads.
std::int64_t row_of(const LogitMeasure& measure, const Trace& trace);

/// log softmax of a row of logits [vocab], in double.
std::vector<double> log_probabilities(const Tensor& logits);

/// logit: of the target. logit_diff: target minus distractor. prob: softmax of the logits at the target.
/// kl: sum p (log p - log q) in nats, p of the reference, q of this run.
/// Errors: no logits, no such row, ids outside of the outputs, kl without a reference of that size.
Result<double> measured(const LogitMeasure& measure, const Trace& trace);
/// The measure of a row of logits [vocab], and its gradient by them [vocab]; the row fits the measure.
double measure_value(const LogitMeasure& measure, const Tensor& logits);
Tensor measure_gradient(const LogitMeasure& measure, const Tensor& logits);

}  // namespace attnscope
