#include "core/sample/chances.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/model/measure.h"

namespace attnscope {
namespace {

// The id that stands behind a row in the text; -1 where none does, or padding.
int next_id(const Trace& trace, std::int64_t row) {
  const std::vector<int>& ids = trace.ids;
  const auto next = static_cast<std::size_t>(row) + 1;
  if (next >= ids.size() || row + 1 >= trace.length) return -1;
  const Stack stack = trace.config().stack;
  return trace.is_real(stack, row) && trace.is_real(stack, row + 1) ? ids[next] : -1;
}

}  // namespace

std::vector<RowChance> row_chances(const Trace& trace, Range rows, const std::atomic<bool>* cancel) {
  std::vector<RowChance> out;
  const Site logits = trace.main(StepRole::logits);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    if (cancel && *cancel) break;
    const Tensor band =  // not logits_row, which keeps what it gives
        trace.slice(logits, 0, {row, row + 1}, {0, trace.config().outputs()});
    if (band.rank() != 2 || band.count() == 0) break;  // a recording without them
    const std::vector<double> chances = log_probabilities(band.select(0, 0));
    RowChance one;
    one.row = row;
    const auto best = std::max_element(chances.begin(), chances.end());
    if (best != chances.end()) {
      one.best = static_cast<int>(best - chances.begin());
      one.best_prob = static_cast<float>(std::exp(*best));
    }
    for (const double x : chances)
      if (const double p = std::exp(x); p > 0) one.entropy -= p * x;
    const int next = next_id(trace, row);
    if (next >= 0 && next < static_cast<int>(chances.size())) {
      one.next = next;
      one.log_prob = chances[static_cast<std::size_t>(next)];
      one.rank = std::count_if(chances.begin(), chances.end(), [&](double x) { return x > one.log_prob; });
    }
    out.push_back(one);
  }
  return out;
}

Perplexity perplexity(std::span<const RowChance> rows) {
  Perplexity out;
  double sum = 0;
  for (const RowChance& row : rows)
    if (row.next >= 0) sum -= row.log_prob, ++out.tokens;
  out.nats =
      out.tokens > 0 ? sum / static_cast<double>(out.tokens) : std::numeric_limits<double>::quiet_NaN();
  out.value = std::exp(out.nats);
  return out;
}

std::int64_t telling_row(std::span<const RowChance> rows, std::int64_t last) {
  const RowChance* most = nullptr;
  for (const RowChance& row : rows) {
    if (row.row == last && row.best_prob <= kDecided) return last;
    if (row.next >= 0 && (!most || row.entropy >= most->entropy)) most = &row;
  }
  return most && most->best_prob <= kDecided ? most->row : last;
}

std::vector<TemperatureDraws> draw_many(const Tensor& logits_row, const Sampling& sampling,
                                        std::span<const int> said, int right, int draws,
                                        std::span<const float> temperatures,
                                        const std::atomic<bool>* cancel) {
  std::vector<TemperatureDraws> out;
  for (const float temperature : temperatures) {
    if (cancel && *cancel) break;
    Sampling own = sampling;
    own.temperature = temperature;
    const std::vector<NextToken> tokens = next_tokens(logits_row, own, said);
    TemperatureDraws one;
    one.temperature = temperature;
    std::set<int> seen;
    for (int i = 0; i < draws; ++i) {
      const int id = choose(tokens, own, static_cast<std::uint64_t>(i));
      if (id == right) ++one.right;
      seen.insert(id);
    }
    one.distinct = static_cast<int>(seen.size());
    for (const NextToken& token : tokens) {
      const double p = static_cast<double>(token.kept);
      if (token.id == right) one.chance_right = p;
      if (p > 0) one.expected_distinct += 1 - std::pow(1 - std::min(1.0, p), draws);
    }
    out.push_back(one);
  }
  return out;
}

std::vector<Contrast> contrast(const Tensor& expert, const Tensor& amateur, double share) {
  std::vector<Contrast> out;
  if (expert.count() == 0 || expert.count() != amateur.count()) return out;
  const std::vector<double> mine = log_probabilities(expert), other = log_probabilities(amateur);
  const double least = *std::max_element(mine.begin(), mine.end()) + std::log(share);
  for (std::size_t id = 0; id < mine.size(); ++id)
    if (mine[id] >= least && !std::isnan(other[id]))
      out.push_back({static_cast<int>(id), static_cast<float>(std::exp(mine[id])),
                     static_cast<float>(std::exp(other[id])), mine[id] - other[id]});
  std::stable_sort(out.begin(), out.end(),
                   [](const Contrast& a, const Contrast& b) { return a.score > b.score; });
  return out;
}

}  // namespace attnscope
