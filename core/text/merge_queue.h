// The engine of byte-pair encoding: pieces in a linked list, the best pair of neighbours joined first (equal
// ones from the left), until no merge applies. O(n log n), also for one word of a megabyte.
// The order of pairs is given by the caller: a rank in a file, or the score of the merged piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/text.h"
#include "core/text/word_model.h"

namespace attnscope {

/// One letter or merged piece of a word; length 0 = merged into its left neighbour.
struct MergeSymbol {
  int id = -1;
  std::uint32_t begin = 0, length = 0;
  int previous = -1, next = -1;
  bool closed = false;   // joins nothing: a piece the user has set
  bool unknown = false;  // a letter that the vocabulary lacks
};

/// What two pieces become; the smallest `order` is joined first. It is the merge's rank in the file, or the
/// negative score of the piece.
struct MergeRule {
  double order = 0.0;
  int id = -1;  // -1: no rule
};
enum class MergeOrder { by_rank, by_score };

/// Chains the symbols in their order.
inline void link_symbols(std::vector<MergeSymbol>& symbols) {
  const int count = static_cast<int>(symbols.size());
  for (int i = 0; i < count; ++i) {
    symbols[static_cast<std::size_t>(i)].previous = i - 1;
    symbols[static_cast<std::size_t>(i)].next = i + 1 < count ? i + 1 : -1;
  }
}

/// Where the merges of a word are recorded: null where no record is wanted, and where the word has too many
/// letters (then steps->cut_short is set).
inline WordSteps* merges_to_record(std::string_view word, WordSteps* steps) {
  if (!steps) return nullptr;
  steps->kind = WordSteps::Kind::merges;
  if (word.size() <= steps->limit || utf8_length(word) <= steps->limit) return steps;
  steps->cut_short = true;
  return nullptr;
}

/// Records the letters that a word opens with; of too many letters it only sets cut_short.
inline void record_letters(const std::vector<MergeSymbol>& symbols, WordSteps& steps) {
  if (symbols.size() > steps.limit) {  // bytes of letters that the vocabulary lacks
    steps.cut_short = true;
    return;
  }
  for (const MergeSymbol& symbol : symbols)
    steps.letters.push_back({symbol.id, symbol.begin, symbol.begin + symbol.length});
}

/// `rule(left, right)` is the MergeRule of two neighbouring symbols.
template <MergeOrder kOrder, class Rule>
void merge_symbols(std::vector<MergeSymbol>& symbols, const Rule& rule, WordSteps* steps) {
  struct Candidate {
    double order;
    int id, left;
    std::uint32_t length;  // of both: a different length now means that one of them has changed since
    bool operator<(const Candidate& other) const {  // a max-heap: the smallest order, then the leftmost
      return std::tie(other.order, other.left) < std::tie(order, left);
    }
  };
  std::vector<Candidate> queue;  // a heap
  const auto at = [&](int index) -> MergeSymbol& { return symbols[static_cast<std::size_t>(index)]; };
  const auto consider = [&](int left) {
    const int right = left < 0 ? -1 : at(left).next;
    if (right < 0 || at(left).closed || at(right).closed) return false;
    const MergeRule found = rule(at(left), at(right));
    if (found.id >= 0) queue.push_back({found.order, found.id, left, at(left).length + at(right).length});
    return found.id >= 0;
  };
  if (steps) record_letters(symbols, *steps);
  for (std::size_t i = 0; i < symbols.size(); ++i) consider(static_cast<int>(i));
  std::make_heap(queue.begin(), queue.end());
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    const Candidate best = queue.back();
    queue.pop_back();
    MergeSymbol& left = at(best.left);
    const int next = left.next;
    if (left.length == 0 || next < 0 || left.length + at(next).length != best.length) continue;
    if (steps && !steps->cut_short && steps->room_for(steps->merges.size())) {
      const bool ranked = kOrder == MergeOrder::by_rank;
      steps->merges.push_back(
          {best.left, next, best.id, ranked ? static_cast<int>(best.order) : -1, ranked ? 0.0 : -best.order});
    }
    left.id = best.id;
    left.length = best.length;
    left.next = at(next).next;
    at(next).length = 0;
    if (left.next >= 0) at(left.next).previous = best.left;
    for (const int changed : {left.previous, best.left})
      if (consider(changed)) std::push_heap(queue.begin(), queue.end());
  }
}

}  // namespace attnscope
