// The inner loops of the mathematics as a table of raw-pointer functions, one table per instruction set.
// The same body (kernels_body.inc) is compiled for SSE2 (or whatever the machine's baseline is), AVX2+FMA and
// AVX-512; dispatch.cpp picks a table when the program starts. Refuses threads and allocation of results:
// callers split the work, and every sum here has an order that does not depend on how they do it.
#pragma once

#include <cstdint>

namespace attnscope {

/// Row-major matrices are (pointer, ld) with ld = floats from one row to the next.
struct Kernels {
  const char* name;  ///< what kernel_name() shows

  /// c [m, n] += a [m, k] b; b is [k, n] with rows ldb apart, or, when `b_transposed`, stored as [n, k].
  void (*gemm)(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, bool b_transposed,
               float* c, std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k);
  /// c [m, n] += a^T b; a is stored [k, m], b [k, n].
  void (*gemm_a_transposed)(const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float* c,
                            std::int64_t ldc, std::int64_t m, std::int64_t n, std::int64_t k);
  /// sum of x[i] y[i]
  float (*dot)(const float* x, const float* y, std::int64_t n);
  /// y [n] += x [k] w, w [k, n] with rows ldw apart. Columns do not see each other, so any split of n at
  /// multiples of 64 gives the same bits.
  void (*gemv_columns)(const float* x, const float* w, std::int64_t ldw, float* y, std::int64_t k,
                       std::int64_t n);
  /// The largest value; NaN when there is one, -inf when n is 0.
  float (*row_max)(const float* x, std::int64_t n);
  /// x[i] = exp(x[i] - shift) in place, and their sum; exp(-inf) is exactly 0.
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
  void (*activation_slope)(int kind, const float* x, const float* dy, float* dx, std::int64_t n);
};

const Kernels* kernels_base();
const Kernels* kernels_v3();  ///< x86-64 builds only
const Kernels* kernels_v4();  ///< x86-64 builds only

/// The table in use: the fastest one that this processor has, or what ATTNSCOPE_KERNELS=base|v3|v4 asks for.
const Kernels& kernels();
/// Switches to "base", "v3" or "v4"; false when this processor or build does not have it. For tests and
/// measurements, while nothing else computes.
bool use_kernels(const char* which);

}  // namespace attnscope
