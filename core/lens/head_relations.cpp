#include "core/lens/head_relations.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/lens/attention_places.h"

namespace attnscope {
namespace {

// The key with the largest weight, the first of equal ones.
std::int64_t largest_key(const Tensor& row) {
  std::int64_t best = 0;
  for (std::int64_t key = 1; key < row.size(1); ++key)
    if (row.at(0, key) > row.at(0, best)) best = key;
  return best;
}

}  // namespace

const RelationHead* RelationScore::best() const {
  const auto most =
      std::max_element(heads.begin(), heads.end(),
                       [](const RelationHead& a, const RelationHead& b) { return a.accuracy < b.accuracy; });
  return most == heads.end() ? nullptr : &*most;
}

bool RelationScore::can_tell() const { return fixed <= 1 - kRelationMargin; }

bool RelationScore::found() const {
  const RelationHead* head = best();
  return head && head->accuracy >= fixed + kRelationMargin;
}

RelationMeter::Sum& RelationMeter::sum_of(const Trace& trace, const WordRelation& relation) {
  for (Sum& sum : sums_)
    if (sum.score.relation == relation.name && sum.score.stack == relation.stack) return sum;
  Sum& made = sums_.emplace_back();
  made.score.relation = relation.name;
  made.score.stack = relation.stack;
  for (const Record* record : patterns_of(trace, {relation.stack, Part::attn}))
    for (std::int64_t head = 0; head < record->shape[0]; ++head)
      made.score.heads.push_back({record->site, static_cast<int>(head), 0, 0});
  return made;
}

void RelationMeter::add(const Trace& trace, const std::vector<WordRelation>& relations) {
  for (const WordRelation& relation : relations) {
    const std::int64_t rows = trace.rows(relation.stack);
    CHECK(relation.from >= 0 && relation.from < rows && relation.to >= 0 && relation.to < rows);
    Sum& sum = sum_of(trace, relation);
    ++sum.score.count;
    ++sum.distances[relation.to - relation.from];
    for (RelationHead& head : sum.score.heads) {
      const Tensor row =
          trace.slice(head.pattern, head.head, {relation.from, relation.from + 1}, {0, rows});  // [1, key]
      head.accuracy += largest_key(row) == relation.to ? 1 : 0;
      head.weight += static_cast<double>(row.at(0, relation.to));
    }
  }
}

std::vector<RelationScore> RelationMeter::scores() const {
  std::vector<RelationScore> out;
  for (const Sum& sum : sums_) {
    RelationScore score = sum.score;
    const auto count = static_cast<double>(score.count);
    for (RelationHead& head : score.heads) head.accuracy /= count, head.weight /= count;
    const auto most = std::max_element(sum.distances.begin(), sum.distances.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    score.offset = most->first;
    score.fixed = static_cast<double>(most->second) / count;
    out.push_back(std::move(score));
  }
  return out;
}

}  // namespace attnscope
