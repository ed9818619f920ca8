// Whole matrices in double: products, norms, singular values and eigenvalues, for what is read off weights
// rather than off a run. The caller compares the sizes.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

/// Row-major.
struct Matrix64 {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> cells;
  double at(std::int64_t row, std::int64_t col) const {
    return cells[static_cast<std::size_t>(row * cols + col)];
  }
};

/// Of a weight of two axes, whatever its strides and its encoding.
Matrix64 matrix64(const Tensor& weight);
Matrix64 transposed(const Matrix64& a);
/// a b, on all threads.
Matrix64 product(const Matrix64& a, const Matrix64& b);
/// Columns begin .. end-1, or rows.
Matrix64 columns_of(const Matrix64& a, std::int64_t begin, std::int64_t end);
Matrix64 rows_of(const Matrix64& a, std::int64_t begin, std::int64_t end);
/// sqrt of the sum of the squares (Frobenius).
double norm_of(const Matrix64& a);
/// R of a = Q R, with no more rows than columns: |a x| = |R x| for every x.
Matrix64 triangle_of(const Matrix64& a);

/// The largest first.
std::vector<double> singular_values(const Matrix64& a);
/// Singular values with their directions: a = sum values[i] left column i x right column i.
struct Singular {
  Matrix64 left, right;  ///< [rows, n], [cols, n]
  std::vector<double> values;
};
Singular singular_parts(const Matrix64& a);
/// Of a square matrix, the largest modulus first.
std::vector<std::complex<double>> eigenvalues(const Matrix64& a);

}  // namespace attnscope
