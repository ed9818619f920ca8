// Places inside of a tensor: ranges of rows or columns that are cut to it, cells that it has, and its axes.
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

/// The size along an axis of a step with these axes and this shape; `otherwise` where it has no such axis.
inline std::int64_t size_along(Axis axis, const std::vector<Axis>& axes,
                               const std::vector<std::int64_t>& shape, std::int64_t otherwise) {
  const auto at = std::find(axes.begin(), axes.end(), axis);
  return at == axes.end() ? otherwise : shape[static_cast<std::size_t>(at - axes.begin())];
}

}  // namespace attnscope
