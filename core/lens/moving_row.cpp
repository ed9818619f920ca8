#include "core/lens/moving_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

// Gauss-Legendre with eight points in each of this many parts of the way.
constexpr int kPartsOfTheWay = 24;
constexpr std::array<double, 4> kGaussAt{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363},
    kGaussWeight{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

double capped(double score, double cap) { return cap > 0 ? cap * std::tanh(score / cap) : score; }
double capped_slope(double score, double cap) {
  if (cap <= 0) return 1;
  const double t = std::tanh(score / cap);
  return 1 - t * t;
}

}  // namespace

MovingRow::MovingRow(const AttentionState& state, std::int64_t head, std::int64_t row,
                     std::vector<double> along)
    : along_(std::move(along)) {
  const AttentionInputs& in = state.in;
  const std::int64_t keys = in.k.size(1), d = in.q.size(2), kv = head * in.k.size(0) / in.q.size(0);
  const Range rows{row, row + 1}, cols{0, keys};
  const Tensor masked = state.stage(ScoreStage::masked, head, rows, cols);
  cap_ = static_cast<double>(in.cap);
  if (!in.sinks.empty()) has_sink_ = true, sink_ = static_cast<double>(in.sinks.at(head, row, 0));
  for (std::int64_t key = 0; key < keys; ++key) {
    double score = 0;
    for (std::int64_t i = 0; i < d; ++i)
      score += static_cast<double>(in.q.at(head, row, i)) * static_cast<double>(in.k.at(kv, key, i));
    scores_.push_back(score * static_cast<double>(in.scale));
    seen_.push_back(std::isfinite(masked.at(0, key)));
    added_.push_back(static_cast<double>(in.bias.at(head, in.first_query + row, key)));
  }
  const std::vector<double> none(scores_.size(), 0.0);
  pattern_ = weights(1, none);
  value_ = without(none);
  by_value_.assign(scores_.size(), 0.0), by_score_.assign(scores_.size(), 0.0);
  for (int part = 0; part < kPartsOfTheWay; ++part)
    for (std::size_t point = 0; point < 2 * kGaussAt.size(); ++point) {
      const double side = point < kGaussAt.size() ? -kGaussAt[point] : kGaussAt[point - kGaussAt.size()],
                   half = 0.5 / kPartsOfTheWay, at = (part + 0.5) / kPartsOfTheWay + side * half,
                   width = kGaussWeight[point % kGaussAt.size()] * half;
      // Query and keys stand at `at` of theirs, so that a score stands at its square.
      const std::vector<double> weight = weights(at * at, none);
      double mean = 0;
      for (std::size_t key = 0; key < weight.size(); ++key) mean += weight[key] * along_[key];
      for (std::size_t key = 0; key < weight.size(); ++key) {
        by_value_[key] += width * weight[key];
        by_score_[key] +=
            width * at * at * weight[key] * (along_[key] - mean) * capped_slope(at * at * scores_[key], cap_);
      }
    }
}

std::vector<double> MovingRow::weights(double share, const std::vector<double>& taken) const {
  std::vector<double> out(scores_.size(), 0.0);
  double most = has_sink_ ? sink_ : -std::numeric_limits<double>::infinity();
  for (std::size_t key = 0; key < out.size(); ++key) {
    if (!seen_[key]) continue;
    out[key] = capped(share * scores_[key] - taken[key], cap_) + added_[key];
    most = std::max(most, out[key]);
  }
  double sum = has_sink_ ? std::exp(sink_ - most) : 0;
  for (std::size_t key = 0; key < out.size(); ++key) {
    out[key] = seen_[key] ? std::exp(out[key] - most) : 0.0;
    sum += out[key];
  }
  for (double& weight : out) weight = sum > 0 ? weight / sum : 0.0;
  return out;
}

double MovingRow::without(const std::vector<double>& taken) const {
  const std::vector<double> weight = weights(1, taken);
  double sum = 0;
  for (std::size_t key = 0; key < weight.size(); ++key)
    if (weight[key] != 0) sum += weight[key] * along_[key];
  return sum;
}

}  // namespace attnscope
