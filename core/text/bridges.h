// Where a long word may be cut before the vocabulary cuts it: between two characters that stand side by side
// in no piece. No piece reaches across such a place, so what stands before and behind it is cut by itself,
// and a text of megabytes that is one word to its vocabulary needs little memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope {

class Bridges {
 public:
  /// Letters from which on a stretch is cut at such places.
  static constexpr std::size_t kStretch = 256;

  /// Every two neighbours in `spelling`.
  void add(std::string_view spelling);
  /// The last character of one and the first of the other.
  void add(std::string_view left, std::string_view right);
  /// Sorts what was added: after the last add, before the first lookup.
  void settle();
  bool between(char32_t left, char32_t right) const;

 private:
  std::vector<std::uint64_t> pairs_;
};

}  // namespace attnscope
