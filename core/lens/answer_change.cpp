#include "core/lens/answer_change.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/model/measure.h"

namespace attnscope {
namespace {

// Of the row that the answer is read off.
Result<std::vector<double>> answer_of(const Trace& trace) {
  LogitMeasure any;
  any.target = 0;
  if (const auto there = measured(any, trace); !there) return there.error();
  return log_probabilities(trace.logits_row(prediction_row(trace)));
}

}  // namespace

Result<AnswerChange> answer_change(const Trace& before, const Trace& now, std::size_t most) {
  TRY(const std::vector<double> old, answer_of(before));
  TRY(const std::vector<double> fresh, answer_of(now));
  if (old.size() != fresh.size()) return fail(Code::bad_shape, "compare.other_vocabulary");
  const auto output = [&](std::size_t id) {
    return AnswerChange::Output{static_cast<int>(id), std::exp(old[id]), std::exp(fresh[id])};
  };
  const auto largest = [](const std::vector<double>& row) {
    return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  };
  AnswerChange out{output(largest(old)), output(largest(fresh)), {}, 0};
  for (std::size_t id = 0; id < old.size(); ++id) {
    const double p = std::exp(old[id]);
    if (p > 0) out.kl += p * (old[id] - fresh[id]);
  }
  std::vector<std::size_t> order(old.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto change = [&](std::size_t id) { return std::fabs(std::exp(fresh[id]) - std::exp(old[id])); };
  const auto count = static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::size_t a, std::size_t b) { return change(a) > change(b); });
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::size_t id = order[static_cast<std::size_t>(i)];
    if (change(id) > 0) out.moved.push_back(output(id));
  }
  return out;
}

}  // namespace attnscope
