// The inner loops of the mathematics as a table of raw-pointer functions, one table per instruction set.
// The same body (kernels_body.inc) is compiled for SSE2 (or whatever the machine's baseline is), AVX2+FMA and
// AVX-512; dispatch.cpp picks a table when the program starts. No threads and no allocation here:
// callers split the work, and every sum here has an order that does not depend on how they do it.
#pragma once

#include <cstdint>

#include "core/tensor/dtype.h"

namespace attnscope {

/// Row-major matrices are (pointer, ld) with ld = floats from one row to the next.
struct Kernels {
  const char* name;          ///< what kernel_name() shows
  std::int64_t width;        ///< floats of a vector
  std::int64_t columns;      ///< of a panel at most: whole vectors
  std::int64_t row_columns;  ///< that multiply() takes of a single row: whole vectors

  /// Writes b [k, n], stored as [n, k] where `transposed`, as panels of `columns` columns (whole vectors),
  /// one behind the other. Rows of a panel are as many whole vectors as it needs, filled up with 0: only the
  /// last panel may be narrower.
  void (*pack)(const float* b, std::int64_t ldb, bool transposed, float* to, std::int64_t columns,
               std::int64_t n, std::int64_t k);
  /// c [m, n] = from [m, n] + a [m, k] b [k, n] for n <= columns, or m = 1 and n <= row_columns in whole
  /// vectors. Cell (i, k) of a is a[i a_row + k a_col], (i, j) of `from` from[i from_row + j]: c itself, or
  /// one row for all. Rows of b are read in whole vectors (as pack leaves them); c and `from` are touched in
  /// n columns only. A cell of c is one chain from + a b + a b + ... in the order of k, each step rounded
  /// once (twice where the processor has no fused product): its bits do not depend on m, on n, on where it
  /// stands, or on whether k is cut into several calls.
  void (*multiply)(const float* a, std::int64_t a_row, std::int64_t a_col, const float* b, std::int64_t ldb,
                   const float* from, std::int64_t from_row, float* c, std::int64_t ldc, std::int64_t m,
                   std::int64_t n, std::int64_t k);
  /// c += a b for b stored as [n, k], n a multiple of 16, rows of a without gaps: for few rows of a, where a
  /// packed copy of b would serve once.
  void (*multiply_transposed)(const float* a, std::int64_t a_row, const float* b, std::int64_t ldb, float* c,
                              std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k);
  /// Values that decode() takes together (first and depth are multiples of it); 0 where it does not know
  /// them.
  std::int64_t (*decoded_unit)(DType type);
  /// Writes values [first, first + depth) of n encoded rows, which begin at rows[0], rows[1], ..., as columns
  /// of a panel whose rows are `columns` floats apart (what lies beyond n has no meaning).
  /// The bits are those of expand().
  void (*decode)(DType type, const std::uint8_t* const* rows, std::int64_t n, std::int64_t first,
                 std::int64_t depth, float* to);
  /// y[j] = y[j] + x[0] w[j][0] + x[1] w[j][1] + ..., one chain in the order of k as in multiply(), for
  /// values [first, first + depth) of n <= columns encoded rows w: decoded in registers, without a panel.
  /// What stands `ahead` rows later is fetched meanwhile.
  void (*multiply_row)(DType type, const std::uint8_t* const* rows, std::int64_t n, std::int64_t first,
                       std::int64_t depth, std::int64_t ahead, const float* x, float* y);
  /// `steps` times 12 vectors of x y + z, in registers, to measure peak speed; the result has no meaning.
  float (*fused_burst)(std::int64_t steps);
  /// sum of x[i] y[i]
  float (*dot)(const float* x, const float* y, std::int64_t n);
  /// The largest value; NaN when there is one, -inf when n is 0.
  float (*row_max)(const float* x, std::int64_t n);
  /// x[i] = exp(x[i] - shift) in place, and their sum; exp(-inf) is exactly 0. The sum is one of floats in
  /// each lane, so give it a few hundred at a time; zeros in front, behind and between do not change its
  /// bits, as long as the others keep their distance to the beginning in whole vectors.
  double (*exp_row)(float* x, float shift, std::int64_t n);
  /// x[i] *= factor
  void (*scale_row)(float* x, float factor, std::int64_t n);
  /// x[i] = cap tanh(x[i] / cap)
  void (*cap_row)(float* x, float cap, std::int64_t n);
  /// x[i] += y[i]
  void (*add_row)(float* x, const float* y, std::int64_t n);
  /// mean of (x - center) and of (x - center)^2 in double
  void (*row_moments)(const float* x, double center, std::int64_t n, double* mean, double* mean_square);
  /// y[i] = activation(x[i]); `kind` is the number of the enum Activation
  void (*activation)(int kind, const float* x, float* y, std::int64_t n);
  /// dx[i] = dy[i] activation'(x[i])
  void (*activation_gradient)(int kind, const float* x, const float* dy, float* dx, std::int64_t n);
  /// sums[i] += x[i]
  void (*add_to_doubles)(double* sums, const float* x, std::int64_t n);
};

/// A row that products without a bias begin with, as long as a panel.
alignas(64) inline constexpr float kZeroRow[128] = {};

const Kernels* kernels_base();
const Kernels* kernels_v3();  ///< x86-64 builds only
const Kernels* kernels_v4();  ///< x86-64 builds only

/// The table in use: the fastest one that this processor has, or the one of ATTNSCOPE_KERNELS=base|v3|v4.
const Kernels& kernels();
/// Switches to "base", "v3" or "v4"; false when this processor or build does not have it. For tests and
/// measurements, while nothing else computes.
bool use_kernels(const char* which);

}  // namespace attnscope
