// Matrix values on their way to a texture: non-finite numbers become markers, matrices that are too large are
// reduced to the largest magnitude per block. Uses no OpenGL, so it can be tested without a context.
#pragma once

#include <vector>

namespace attnscope {

/// The value written into the texture for a cell: finite numbers unchanged, -inf and masked as kMasked, +inf
/// and NaN as the markers of shaders/params.h.
float marked(float value);

/// Which of two cells represents both: NaN before infinity before the larger magnitude before masked.
float stronger(float one, float other);

/// How one map, or an atlas of them, fits into a texture.
struct CellLayout {
  int block = 1;                   // cells per texel and axis
  int texels_x = 1, texels_y = 1;  // of one map
  int columns = 1, rows = 1;       // maps
};
/// The smallest block for which `count` maps of width x height in `columns` fit into max_side texels a side
/// and max_texels in all.
CellLayout fit_cells(int count, int columns, int width, int height, int max_side, long long max_texels);

/// One map, reduced: texels_y x texels_x marked values, written with `stride` values between rows.
void reduce_cells(const float* values, int width, int height, const CellLayout& layout, float* out,
                  int stride);

}  // namespace attnscope
