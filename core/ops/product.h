// Products on all threads: x w + bias with every cell one chain of fused steps, so that a cell has the same
// bits whatever is computed with it. How the work is cut therefore follows from the machine alone. The
// caller compares the shapes.
#pragma once

#include <cstdint>

#include "core/tensor/tensor.h"

namespace attnscope {

/// A right factor [k, n] as products read it: rows of memory are rows of the matrix, or its columns, or
/// values that are decoded on the way.
struct Right {
  const float* data = nullptr;
  std::int64_t ld = 0;      ///< floats from one row of memory to the next
  bool transposed = false;  ///< rows of memory are columns of the matrix
  Tensor keep;              ///< owns `data`, which is null where it is encoded; its packed copy is used
  std::int64_t first_column = -1;  ///< of that packed copy; -1: there is none
  Panels* panels = nullptr;        ///< that packed copy

  Right(const float* values, std::int64_t step, bool columns) : data(values), ld(step), transposed(columns) {}
  /// A matrix with any strides: where it lies in memory and neither rows nor columns are whole, a copy.
  explicit Right(const Tensor& w);
};

/// Rows of memory that are read after a product, `ld` floats apart; `width` floats of each.
struct RowsAhead {
  const float* rows = nullptr;
  std::int64_t count = 0, ld = 0, width = 0;
};

/// y [m, n] = bias [n] + x [m, k] w [k, n].
struct Product {
  const float* x;  ///< cell (i, k) is x[i x_row + k x_col]
  std::int64_t x_row, x_col;
  const float* bias;  ///< null: none
  float* y;           ///< rows ldy apart
  std::int64_t ldy;
  std::int64_t m, n, k;
  bool add = false;                      ///< to what y holds, instead of the bias
  RowsAhead ahead = {}, ahead_too = {};  ///< fetched into the cache on the way, where w is read as it lies
};

/// On all threads, or on this one where the product is small.
void multiply(const Product& product, const Right& w);
/// On this thread.
void multiply_alone(const Product& product, const Right& w);

}  // namespace attnscope
