#include "core/figure/pooled.h"

#include <cmath>
#include <limits>

namespace attnscope::figure {

bool hidden_cell(double value) { return std::isinf(value) && value < 0; }

double pooled(const MatrixMark& matrix, std::int64_t row0, std::int64_t row1, std::int64_t col0,
              std::int64_t col1) {
  double out = -std::numeric_limits<double>::infinity();
  for (std::int64_t row = row0; row < row1; ++row) {
    for (std::int64_t col = col0; col < col1; ++col) {
      const auto value = static_cast<double>(matrix.values.at(row, col));
      if (!hidden_cell(value) && (hidden_cell(out) || !(std::abs(value) <= std::abs(out)))) out = value;
    }
  }
  return out;
}

std::int64_t pooled_together(std::int64_t cells, std::int64_t most) { return (cells + most - 1) / most; }

}  // namespace attnscope::figure
