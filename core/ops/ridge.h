// Ridge regression (Hoerl & Kennard 1970) in closed form, in double: linear probes are fitted with it. The
// caller compares the sizes.
#pragma once

#include <cstdint>
#include <vector>

namespace attnscope {

/// The weights [in, out] and offsets [out] that minimise sum |x W + b - y|^2 + punish * |W|^2 over the rows
/// of x [row, in] and y [row, out], all row-major; the offset is not punished. punish > 0.
struct Ridge {
  std::vector<double> weights, offset;
};
Ridge ridge(const std::vector<float>& x, const std::vector<float>& y, std::int64_t rows, std::int64_t in,
            std::int64_t out, double punish);

}  // namespace attnscope
