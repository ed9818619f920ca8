// What attention adds to scores for the distance between query and key: ALiBi's straight lines and the
// buckets of Raffel et al. 2020. A ScoreBias depends on the distance only: both are computed once per
// distance.
#include "core/ops/bias.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::int64_t ScoreBias::bucket(std::int64_t query_pos, std::int64_t key_pos) const {
  std::int64_t buckets = table.size(0), first = 0, distance = query_pos - key_pos;  // > 0: the key is behind
  if (both_directions) {
    buckets /= 2;
    if (distance < 0) first = buckets;
    distance = std::abs(distance);
  }
  distance = std::max<std::int64_t>(0, distance);
  const std::int64_t exact = buckets / 2;  // these distances have a bucket each, the rest share by logarithm
  if (distance < exact) return first + distance;
  if (distance >= max_distance || exact == 0) return first + std::max<std::int64_t>(0, buckets - 1);
  const float octaves = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                        std::log(static_cast<float>(max_distance) / static_cast<float>(exact));
  const auto shared = static_cast<std::int64_t>(octaves * static_cast<float>(buckets - exact));
  return first + std::min(exact + shared, buckets - 1);
}

float ScoreBias::at(std::int64_t head, std::int64_t query_pos, std::int64_t key_pos) const {
  switch (kind) {
    case Kind::none: return 0.f;
    case Kind::alibi: return slopes[static_cast<std::size_t>(head)] * static_cast<float>(key_pos - query_pos);
    case Kind::buckets: return table.at(bucket(query_pos, key_pos), head);
  }
  return 0.f;
}

std::vector<float> alibi_slopes(int heads) {
  int whole = 1;  // the largest power of two that is not above `heads`
  while (2 * whole <= heads) whole *= 2;
  std::vector<float> slopes;
  for (int i = 1; i <= std::min(whole, heads); ++i)
    slopes.push_back(static_cast<float>(std::exp2(-8.0 * i / whole)));
  for (int i = 1; static_cast<int>(slopes.size()) < heads; i += 2)  // every other one of the next series
    slopes.push_back(static_cast<float>(std::exp2(-8.0 * i / (2 * whole))));
  return slopes;
}

BiasLine::BiasLine(const ScoreBias& bias, std::int64_t head, std::int64_t query_begin, std::int64_t query_end,
                   std::int64_t keys)
    : lowest_(1 - query_end) {
  if (bias.kind == ScoreBias::Kind::none) return;
  by_distance_.reserve(static_cast<std::size_t>(keys + query_end - query_begin));
  for (std::int64_t distance = lowest_; distance < keys - query_begin; ++distance)
    by_distance_.push_back(bias.at(head, 0, distance));
}

}  // namespace attnscope
