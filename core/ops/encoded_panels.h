// Panels of a weight that stays as its file stores it, decoded for one product and then forgotten.
#pragma once

#include <cstdint>

#include "core/ops/kernels.h"
#include "core/tensor/tensor.h"

namespace attnscope {

class EncodedPanels {
 public:
  /// Of an encoded `w` [k, n], which outlives this.
  explicit EncodedPanels(const Tensor& w);

  /// True where panels are decoded in registers; otherwise blocks are expanded first.
  bool decodes() const { return unit_ > 0; }
  /// Steps of k that a panel for `rows` rows of x holds at a time: so many that the panel stays in the first
  /// cache where its numbers are used once or a few times.
  std::int64_t depth(std::int64_t rows) const;
  /// As Kernels::pack, for columns [col, col + n) and steps [at, at + depth), but for rows of a panel, which
  /// are all `columns` floats. Meanwhile the bytes that come next are fetched.
  void pack(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to,
            std::int64_t columns) const;

  /// y [n] += x [k] w[:, col : col + n] for a single row x, decoded in registers, where it can be; else
  /// false, and nothing is done. The bits are those of the product with panels. What stands `ahead` columns
  /// later is fetched meanwhile.
  bool multiply_row(std::int64_t col, std::int64_t n, std::int64_t ahead, const float* x, float* y) const;

 private:
  bool decodes(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth) const;
  void fetch(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth) const;
  void expand(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to,
              std::int64_t columns) const;

  const Tensor& w_;
  const Kernels& kernel_ = kernels();
  std::int64_t unit_ = 0;          // 0: nothing but expand() will do
  std::int64_t row_ = 0, at_ = 0;  // of the first value, in the encoded matrix
};

}  // namespace attnscope
