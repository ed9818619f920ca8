#include "core/text/bridges.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

namespace {

std::uint64_t bridges_pair_of(char32_t left, char32_t right) {
  return (static_cast<std::uint64_t>(left) << 32) | right;
}

char32_t last_of(std::string_view text) {
  char32_t last = 0;
  for (std::size_t at = 0; at < text.size();) last = next_code_point(text, at);
  return last;
}

}  // namespace

void Bridges::add(std::string_view spelling) {
  char32_t left = 0;
  for (std::size_t at = 0; at < spelling.size();) {
    const bool first = at == 0;
    const char32_t right = next_code_point(spelling, at);
    if (!first) pairs_.push_back(bridges_pair_of(left, right));
    left = right;
  }
}

void Bridges::add(std::string_view left, std::string_view right) {
  std::size_t at = 0;
  if (!left.empty() && !right.empty())
    pairs_.push_back(bridges_pair_of(last_of(left), next_code_point(right, at)));
}

void Bridges::settle() {
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  pairs_.shrink_to_fit();
}

bool Bridges::between(char32_t left, char32_t right) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), bridges_pair_of(left, right));
}

}  // namespace attnscope
