// The engine of byte-pair encoding: pieces in a linked list, the best pair of neighbours joined first (equal
// ones from the left), until no pair is known. O(n log n), so one word of a megabyte is no trouble.
// What a pair is worth is the caller's business: a rank in a file, or the score of what it becomes.
#pragma once

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "core/text/word_model.h"

namespace attnscope {

/// One letter or merged piece of a word; length 0 = merged into its left neighbour.
struct MergeSymbol {
  int id = -1;
  std::size_t begin = 0, length = 0;
  int previous = -1, next = -1;
  bool closed = false;   // joins nothing: a piece the user has set
  bool unknown = false;  // a letter that the vocabulary lacks
};

/// What two pieces become.
struct MergeRule {
  double order = 0.0;  // smallest first
  int id = -1;         // -1: no rule
  int rank = -1;
  double score = 0.0;
};

/// Chains the symbols in their order.
inline void link_symbols(std::vector<MergeSymbol>& symbols) {
  const int count = static_cast<int>(symbols.size());
  for (int i = 0; i < count; ++i) {
    symbols[static_cast<std::size_t>(i)].previous = i - 1;
    symbols[static_cast<std::size_t>(i)].next = i + 1 < count ? i + 1 : -1;
  }
}

/// Writes down what a word opens with; a word of too many letters is noted as cut short instead.
inline void record_letters(const std::vector<MergeSymbol>& symbols, WordSteps& steps) {
  steps.kind = WordSteps::Kind::merges;
  if (symbols.size() > steps.limit) {
    steps.cut_short = true;
    return;
  }
  for (const MergeSymbol& symbol : symbols)
    steps.letters.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
}

/// `rule(left, right)` is the MergeRule of two neighbouring symbols.
template <class Rule>
void merge_symbols(std::vector<MergeSymbol>& symbols, const Rule& rule, WordSteps* steps) {
  struct Candidate {
    MergeRule rule;
    int left, right;
    std::size_t length;  // of both: another length now says that one of them has changed since
    bool operator<(const Candidate& other) const {  // a max-heap: the smallest order, then the leftmost
      return std::tie(other.rule.order, other.left) < std::tie(rule.order, left);
    }
  };
  std::priority_queue<Candidate> queue;
  const auto at = [&](int index) -> MergeSymbol& { return symbols[static_cast<std::size_t>(index)]; };
  const auto consider = [&](int left) {
    const int right = left < 0 ? -1 : at(left).next;
    if (right < 0 || at(left).closed || at(right).closed) return;
    const MergeRule found = rule(at(left), at(right));
    if (found.id >= 0) queue.push({found, left, right, at(left).length + at(right).length});
  };
  if (steps) record_letters(symbols, *steps);
  for (std::size_t i = 0; i < symbols.size(); ++i) consider(static_cast<int>(i));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    MergeSymbol& left = at(best.left);
    MergeSymbol& right = at(best.right);
    if (left.length == 0 || right.length == 0 || left.length + right.length != best.length) continue;
    left.id = best.rule.id;
    left.length = best.length;
    left.next = right.next;
    right.length = 0;
    if (left.next >= 0) at(left.next).previous = best.left;
    if (steps && !steps->cut_short && steps->room_for(steps->merges.size()))
      steps->merges.push_back({best.left, best.right, best.rule.id, best.rule.rank, best.rule.score});
    consider(left.previous);
    consider(best.left);
  }
}

}  // namespace attnscope
