#include "core/text/byte_trie.h"

#include <algorithm>

namespace attnscope {

// Level by level: each task is a range of sorted spellings that share the path to one node.
ByteTrie::ByteTrie(std::vector<Entry> entries) {
  std::erase_if(entries, [](const Entry& entry) { return entry.first.empty(); });
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  struct Task {
    std::size_t node, begin, end, depth;
  };
  nodes_.emplace_back();
  std::vector<Task> level{{0, 0, entries.size(), 0}}, next;
  while (!level.empty()) {
    next.clear();
    for (Task task : level) {
      while (task.begin < task.end && entries[task.begin].first.size() == task.depth)
        nodes_[task.node].value = entries[task.begin++].second;
      nodes_[task.node].first = static_cast<std::uint32_t>(nodes_.size());
      while (task.begin < task.end) {
        const char label = entries[task.begin].first[task.depth];
        std::size_t end = task.begin;
        while (end < task.end && entries[end].first[task.depth] == label) ++end;
        nodes_.emplace_back();
        nodes_.back().label = static_cast<unsigned char>(label);
        ++nodes_[task.node].count;
        next.push_back({nodes_.size() - 1, task.begin, end, task.depth + 1});
        task.begin = end;
      }
    }
    std::swap(level, next);
  }
}

std::size_t ByteTrie::child(std::size_t node, unsigned char label) const {
  const Node& from = nodes_[node];
  const auto begin = nodes_.begin() + from.first;
  const auto end = begin + from.count;
  const auto place =
      std::lower_bound(begin, end, label, [](const Node& a, unsigned char b) { return a.label < b; });
  if (place == end || place->label != label) return 0;
  return static_cast<std::size_t>(place - nodes_.begin());
}

std::pair<std::size_t, int> ByteTrie::longest(std::string_view text) const {
  std::pair<std::size_t, int> out{0, -1};
  prefixes(text, [&](std::size_t length, int value) { out = {length, value}; });
  return out;
}

}  // namespace attnscope
