// Places that lie inside of a tensor: ranges of rows or columns that are cut to it, and cells that it has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace/rows.h"

namespace attnscope {

/// What of `range` lies in [0, size); empty where nothing does.
inline Range cut_to(Range range, std::int64_t size) {
  range.begin = std::clamp<std::int64_t>(range.begin, 0, size);
  range.end = std::clamp<std::int64_t>(range.end, range.begin, size);
  return range;
}

/// True where `index` is a cell of a tensor with these sizes.
inline bool is_cell(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& sizes) {
  return std::equal(index.begin(), index.end(), sizes.begin(), sizes.end(),
                    [](std::int64_t at, std::int64_t size) { return at >= 0 && at < size; });
}

}  // namespace attnscope
