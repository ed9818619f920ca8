// What the blocks of a stack have in common: for a line of facts, a field of a form, or a file that states a
// value once. Whatever computes reads the block itself.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/trace/config.h"

namespace attnscope {

/// The field of a block at the end of a path of members: &BlockSpec::attention, &AttentionSpec::n_heads.
template <class Of, class First, class... Rest>
auto field_of(const Of& of, First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return std::invoke(first, of);
  else
    return field_of(std::invoke(first, of), rest...);
}

/// The value that all blocks have; none where blocks differ or there are none.
template <class... Path>
auto common(const ModelConfig& stack, Path... path) {
  std::optional<decltype(field_of(std::declval<BlockSpec>(), path...))> out;
  for (const BlockSpec& block : stack.blocks) {
    const auto value = field_of(block, path...);
    if (out && !(*out == value)) return decltype(out){};
    out = value;
  }
  return out;
}

/// The smallest and the largest value; zeros where there are no blocks.
template <class... Path>
auto extent(const ModelConfig& stack, Path... path) {
  using Value = decltype(field_of(std::declval<BlockSpec>(), path...));
  std::pair<Value, Value> out{};
  for (std::size_t i = 0; i < stack.blocks.size(); ++i) {
    const Value value = field_of(stack.blocks[i], path...);
    out.first = i == 0 ? value : std::min(out.first, value);
    out.second = i == 0 ? value : std::max(out.second, value);
  }
  return out;
}

/// "8", or "4–8" where blocks differ.
template <class... Path>
std::string range_text(const ModelConfig& stack, Path... path) {
  const auto [least, most] = extent(stack, path...);
  return least == most ? std::to_string(least) : std::to_string(least) + "\u2013" + std::to_string(most);
}

}  // namespace attnscope
