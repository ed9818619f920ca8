// Functions that return rectangles of a matrix, and combinations: picked rows and columns, matrices side by
// side or stacked. For figures of gradients.
#pragma once

#include <functional>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

using PlaneSource = std::function<Tensor(Range, Range)>;

/// Picks rows and columns of `source`; an empty list = all.
PlaneSource with_picks(PlaneSource source, std::vector<std::int64_t> rows, std::vector<std::int64_t> cols);
/// Rectangles of matrices side by side (`below` false) or stacked.
PlaneSource joined_planes(std::vector<PlaneSource> parts, std::vector<std::int64_t> sizes, bool below);
/// A matrix that is already in memory.
PlaneSource plane_of(Tensor plane);

}  // namespace attnscope
