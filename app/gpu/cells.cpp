// The order of stronger() is total, so the result does not depend on the order of the cells.
#include "app/gpu/cells.h"

#include <algorithm>
#include <cmath>

#include "app/look/colormap.h"
#include "shaders/params.h"

namespace attnscope {
namespace {

constexpr float kInfMarker = 2e38f;
constexpr float kNanMarker = 3.2e38f;
static_assert(kInfMarker > static_cast<float>(HEAT_INF_ABOVE) &&
              kInfMarker < static_cast<float>(HEAT_NAN_ABOVE));
static_assert(kNanMarker > static_cast<float>(HEAT_NAN_ABOVE));
static_assert(kMaskedBelow == static_cast<float>(HEAT_MASKED_BELOW));

}  // namespace

float marked(float value) {
  if (std::isnan(value)) return kNanMarker;
  if (is_masked(value)) return kMasked;
  return std::isinf(value) ? kInfMarker : value;
}

float stronger(float one, float other) {
  if (is_masked(one)) return other;
  if (is_masked(other)) return one;
  const float a = std::fabs(one), b = std::fabs(other);
  if (a == b) return std::max(one, other);
  return a > b ? one : other;
}

CellLayout fit_cells(int count, int columns, int width, int height, int max_side, long long max_texels) {
  CellLayout layout;
  layout.columns = std::clamp(columns, 1, count);
  layout.rows = (count + layout.columns - 1) / layout.columns;
  for (layout.block = 1;; ++layout.block) {
    layout.texels_x = (width + layout.block - 1) / layout.block;
    layout.texels_y = (height + layout.block - 1) / layout.block;
    const long long x = static_cast<long long>(layout.texels_x) * layout.columns;
    const long long y = static_cast<long long>(layout.texels_y) * layout.rows;
    const bool smallest = layout.texels_x == 1 && layout.texels_y == 1;
    if (smallest || (x <= max_side && y <= max_side && x * y <= max_texels)) return layout;
  }
}

void reduce_cells(const float* values, int width, int height, const CellLayout& layout, float* out,
                  int stride) {
  if (layout.block == 1) {  // a texel for each value
    for (int y = 0; y < height; ++y) {
      const float* from = values + static_cast<std::ptrdiff_t>(y) * width;
      float* row = out + static_cast<std::ptrdiff_t>(y) * stride;
      for (int x = 0; x < width; ++x) row[x] = stronger(kMasked, marked(from[x]));
    }
    return;
  }
  for (int y = 0; y < layout.texels_y; ++y) {
    float* row = out + static_cast<std::ptrdiff_t>(y) * stride;
    std::fill(row, row + layout.texels_x, kMasked);
    const int end = std::min(height, (y + 1) * layout.block);
    for (int query = y * layout.block; query < end; ++query) {
      const float* from = values + static_cast<std::ptrdiff_t>(query) * width;
      for (int key = 0; key < width; ++key) {
        float& texel = row[key / layout.block];
        texel = stronger(texel, marked(from[key]));
      }
    }
  }
}

}  // namespace attnscope
