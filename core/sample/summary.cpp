#include "core/sample/summary.h"

#include <algorithm>

namespace attnscope {
namespace {

constexpr std::int64_t kEveryRank = 64;  // up to here every rank has its running sum
constexpr double kCacheGrowth = 1.06;    // after it, each is this much further

}  // namespace

NextSummary::Tail NextSummary::tail(std::size_t shown) const {
  Tail out{vocab - static_cast<std::int64_t>(std::min(shown, top.size())), below_prob, below_kept};
  for (std::size_t i = shown; i < top.size(); ++i) {
    out.prob += static_cast<double>(top[i].prob);
    out.kept += static_cast<double>(top[i].kept);
  }
  return out;
}

NextSummary summarise(const std::vector<NextToken>& tokens, const Sampling& sampling, std::size_t top) {
  NextSummary out;
  out.vocab = static_cast<std::int64_t>(tokens.size());
  const std::size_t count = std::min(top, tokens.size());
  out.top.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
  double sum = 0, next = 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const double prob = static_cast<double>(tokens[i].prob), kept = static_cast<double>(tokens[i].kept);
    sum += prob;
    if (tokens[i].kept > 0) ++out.kept;
    if (i >= count) out.below_prob += prob, out.below_kept += kept;
    const auto rank = static_cast<std::int64_t>(i) + 1;
    if (static_cast<double>(rank) < next && rank != out.vocab) continue;
    out.running.push_back({rank, sum});
    next = rank < kEveryRank ? static_cast<double>(rank + 1) : static_cast<double>(rank) * kCacheGrowth;
  }
  if (!tokens.empty())
    out.choice = sampling.temperature <= 0 ? tokens.front().id : choose(tokens, sampling, 0);
  return out;
}

}  // namespace attnscope
