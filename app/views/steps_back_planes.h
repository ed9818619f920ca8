// Planes of numbers by the rectangle, put together: rows and columns that are picked, matrices side by side
// or one below the other. For figures of gradients.
#pragma once

#include <functional>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

using PlaneSource = std::function<Tensor(Range, Range)>;

/// The rows and columns of `source` that are picked, by the cell; empty = all.
PlaneSource with_picks(PlaneSource source, std::vector<std::int64_t> rows, std::vector<std::int64_t> cols);
/// The rectangle of matrices side by side (`below` false) or one below the other.
PlaneSource joined_planes(std::vector<PlaneSource> parts, std::vector<std::int64_t> sizes, bool below);
/// A whole plane that is there already.
PlaneSource plane_of(Tensor plane);

}  // namespace attnscope
