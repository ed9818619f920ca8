#include "core/lens/simplex.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

constexpr double kSimplexMinusInfinity = -std::numeric_limits<double>::infinity();

// What the softmax read of a key.
double logit(const AttentionRow& row, const AttentionTerm& term) {
  if (row.edited) return term.weight > 0 ? std::log(term.weight) : kSimplexMinusInfinity;
  if (!term.allowed) return kSimplexMinusInfinity;
  return row.mask_first ? term.scaled : term.capped + term.bias;
}

}  // namespace

std::vector<std::int64_t> strongest_keys(const AttentionRow& row) {
  std::vector<std::int64_t> keys;
  for (std::size_t key = 0; key < row.terms.size(); ++key)
    if (row.terms[key].allowed || row.terms[key].weight > 0) keys.push_back(static_cast<std::int64_t>(key));
  std::stable_sort(keys.begin(), keys.end(), [&](std::int64_t a, std::int64_t b) {
    return row.terms[static_cast<std::size_t>(a)].weight > row.terms[static_cast<std::size_t>(b)].weight;
  });
  return keys;
}

SimplexPoint simplex_point(const AttentionRow& row, const ThreeKeys& keys, double temperature) {
  SimplexPoint point{};
  double most = kSimplexMinusInfinity, sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    point[i] = logit(row, row.terms[static_cast<std::size_t>(keys[i])]) / temperature;
    most = std::max(most, point[i]);
  }
  if (std::isinf(most)) return {};
  for (double& p : point) sum += p = std::exp(p - most);
  for (double& p : point) p /= sum;
  return point;
}

}  // namespace attnscope
