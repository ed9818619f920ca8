// Biases and masks that the tests of attention and of its backward go through.
#pragma once

#include <algorithm>
#include <memory>

#include "tests/core/ops/reference.h"

namespace attnscope::reference {

/// Keys of the other colour, and a few of the own.
class Chequered : public MaskRule {
 public:
  bool allowed(std::int64_t query, std::int64_t key) const override {
    return (query + key) % 2 == 1 || key % 7 == query % 5;
  }
};

/// None, ALiBi, buckets in both directions and in one.
inline std::vector<ScoreBias> biases(std::int64_t heads) {
  std::vector<ScoreBias> all(4);
  all[1].kind = ScoreBias::Kind::alibi;
  all[1].slopes = alibi_slopes(static_cast<int>(heads));
  for (std::size_t i : {2, 3}) {
    all[i].kind = ScoreBias::Kind::buckets;
    all[i].table = noise({{Axis::head, heads}, {Axis::none, 12}}, 9).transpose();
    all[i].both_directions = i == 2;
    all[i].max_distance = 40;
  }
  return all;
}

/// Causal, full, window, a rule, padding in front, behind and in the middle, switched cells, and three
/// sequences one behind another (causal, full with a window, a rule with cells).
inline std::vector<Mask> masks(std::int64_t queries, std::int64_t keys) {
  std::vector<Mask> all(11);
  const auto padding = [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint8_t> attention_mask(static_cast<std::size_t>(keys), 1);
    for (std::int64_t key = begin; key < std::min(end, keys); ++key)
      attention_mask[static_cast<std::size_t>(key)] = 0;
    return std::make_shared<const std::vector<std::uint8_t>>(attention_mask);
  };
  all[1].causal = false;
  all[2].window = 5;
  all[3].rule = std::make_shared<Chequered>();
  all[4].attention_mask = padding(0, 3);  // before the first real key some queries see nobody
  all[5].causal = false;
  all[5].attention_mask = padding(keys - 2, keys);
  all[6].rule = all[3].rule;
  all[6].attention_mask = padding(keys / 2, keys / 2 + 9);
  all[7] = all[4];
  for (std::int64_t query = keys - queries; query < keys; query += 3) {
    all[7].cells.push_back({query, 1, true});
    all[7].cells.push_back({query, query, false});
  }
  std::vector<KeySpan> sequences;
  for (const KeySpan one : {KeySpan{0, keys / 7}, {keys / 7, keys * 4 / 7}, {keys * 4 / 7, keys}})
    sequences.insert(sequences.end(), static_cast<std::size_t>(one.end - one.begin), one);
  for (std::size_t i : {8, 9, 10}) all[i].sequences = std::make_shared<const std::vector<KeySpan>>(sequences);
  all[9].causal = false;
  all[9].window = 4;
  all[10].rule = all[3].rule;
  all[10].cells = all[7].cells;
  return all;
}

}  // namespace attnscope::reference
