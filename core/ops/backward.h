// The backward of ops.h, on one page: each function takes dy (the gradient of the loss with respect to the
// forward's result) and what the forward read, and returns the
// gradients with respect to its inputs. Every sum has an order that follows from the shapes, so any number of
// threads gives the same bits. Shapes that do not fit are CHECKed, as in the forward.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ops/ops.h"

namespace attnscope {

// ---- losses --------------------------------------------------------------------------------------

/// The target of a row that does not count; any negative number does it.
inline constexpr int kNotCounted = -100;

/// Cross-entropy of the counted rows, as sums, so that sequences can be added before dividing.
struct CrossEntropy {
  double plain = 0;     ///< of -log p(target)
  double smoothed = 0;  ///< of -sum_v t(v) log p(v), t = (1 - smoothing) at the target + smoothing / vocab
  std::int64_t counted = 0;  ///< rows with a target
  std::int64_t right = 0;    ///< of those, how many have the target as their first largest logit
};
/// logits [pos, vocab]; `targets` holds one token per row or kNotCounted. Label smoothing as in Szegedy et
/// al. 2016, section 7, and Vaswani et al. 2017, section 5.4.
CrossEntropy cross_entropy(const Tensor& logits, const std::vector<int>& targets, double smoothing);
/// Gradients of `factor` times the smoothed sum -> [pos, vocab]; rows that are not counted are 0. The mean
/// over a batch has factor 1 / counted.
Tensor cross_entropy_backward(const Tensor& logits, const std::vector<int>& targets, double smoothing,
                              double factor);

// ---- attention -----------------------------------------------------------------------------------

struct AttentionGrads {
  Tensor q;  ///< [head, query, d_head] as a view of storage [query, head, d_head], like z
  Tensor k,
      v;  ///< [kv_head, key, d_head] as views of storage [key, kv_head, d_head]; summed over their heads
  Tensor table;  ///< [bucket, head] of the bias; empty where it has no buckets
  Tensor sinks;  ///< [head, query, 1]; empty where there are none
};
/// `dz` [head, query, d_head], `out` what attend() gave. Patterns are computed anew by tiles from `out.lse`
/// (Dao et al. 2022, algorithm 4): O(n d) memory. Key/value heads are shared out over the threads.
AttentionGrads attend_backward(const Tensor& dz, const AttentionInputs& in, const AttentionResult& out);

// ---- positions -----------------------------------------------------------------------------------

/// Rotates by the opposite angle: the inverse (transpose) of the rotation.
Tensor rotate_backward(const Tensor& dy, const std::vector<double>& frequencies, const Positions& positions,
                       bool interleaved = false, double magnitude = 1.0);

// ---- norms ---------------------------------------------------------------------------------------

struct NormGrads {
  Tensor x;             ///< [pos, d_model]
  Tensor weight, bias;  ///< [d_model]; empty where the norm has none
};
/// `scale` [pos, 1] is what the forward left in Normed::scale.
NormGrads layer_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& scale, const Tensor& weight,
                              const Tensor& bias);
NormGrads rms_norm_backward(const Tensor& dy, const Tensor& x, const Tensor& scale, const Tensor& weight,
                            float weight_offset = 0.f);

// ---- elementwise ---------------------------------------------------------------------------------

/// Of y = activate(kind, x).
Tensor activate_backward(Activation kind, const Tensor& dy, const Tensor& x);
/// Of y = soft_cap(x, cap), given y.
Tensor soft_cap_backward(const Tensor& dy, const Tensor& y, float cap);
/// Of y = scale(x, factor): scale(dy, factor). Of y = add(a, b): dy for both.
struct ProductGrads {
  Tensor a, b;
};
ProductGrads multiply_backward(const Tensor& dy, const Tensor& a, const Tensor& b);

// ---- linear algebra ------------------------------------------------------------------------------

/// dy [pos, d] scattered to the rows `ids` of a table [rows, d], added in the order of positions.
Tensor gather_rows_backward(const Tensor& dy, const std::vector<int>& ids, std::int64_t rows);

struct LinearGrads {
  Tensor x;     ///< [pos, in]
  Tensor w;     ///< [in, out], in the order of memory that the weight has
  Tensor bias;  ///< [out]; empty where there is none
};
LinearGrads linear_backward(const Tensor& dy, const Tensor& x, const Tensor& w, const Tensor& bias);
/// One use of a weight: rows x [pos, in] went in, the result's gradients dy [pos, out] came back.
struct LinearUse {
  Tensor dy, x;
};
/// The same for weight and bias alone, summed over uses in their order: the bits of all their rows as one
/// use. `x` of the result is empty.
LinearGrads linear_backward_weights(std::span<const LinearUse> uses, const Tensor& w, const Tensor& bias);

}  // namespace attnscope
