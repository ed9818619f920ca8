// The first few of a list in some order, without sorting the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace attnscope {

/// Leaves of `all` the `count` that come first by `before`, in that order.
template <class T, class Before>
void keep_first(std::vector<T>& all, std::size_t count, const Before& before) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), end, all.end(), before);
  all.erase(end, all.end());
}

}  // namespace attnscope
