// All spellings of a vocabulary in one trie over bytes: finds every spelling that a text begins with in one
// pass. Built once from a list; a few words of memory per node.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

class ByteTrie {
 public:
  using Entry = std::pair<std::string_view, int>;  // spelling, value from 0 up
  ByteTrie() = default;
  /// Of equal spellings the last one counts. Empty spellings are left out.
  explicit ByteTrie(std::vector<Entry> entries);

  bool empty() const { return nodes_.size() <= 1; }

  /// Calls `found(length, value)` for each spelling that `text` begins with, the shortest first.
  template <class Found>
  void prefixes(std::string_view text, const Found& found) const {
    std::size_t node = 0;
    for (std::size_t length = 1; !nodes_.empty() && length <= text.size(); ++length) {
      node = child(node, static_cast<unsigned char>(text[length - 1]));
      if (node == 0) return;
      if (nodes_[node].value >= 0) found(length, nodes_[node].value);
    }
  }
  /// The longest of them: its length (0 = none) and value.
  std::pair<std::size_t, int> longest(std::string_view text) const;

 private:
  struct Node {
    int value = -1;
    std::uint32_t first = 0;  // of its edges
    std::uint16_t count = 0;
    unsigned char label = 0;  // of the edge that leads here
  };
  std::size_t child(std::size_t node, unsigned char label) const;  // 0 = none

  std::vector<Node> nodes_;  // the children of a node stand in a row, by label; 0 is the root
};

}  // namespace attnscope
