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
  /// Columns of a panel for so many rows.
  std::int64_t columns(std::int64_t rows) const {
    return rows == 1 && decodes() && unit_ <= kOneRowDepth ? kernel_.wide : kernel_.columns;
  }
  /// Floats from one row of a panel to the next.
  std::int64_t row_step(std::int64_t columns) const {
    return columns == kernel_.wide ? kernel_.wide_step : columns;
  }
  /// As Kernels::pack, for columns [col, col + n) and steps [at, at + depth), with columns() and row_step().
  /// Meanwhile the bytes that come next are fetched.
  void pack(std::int64_t col, std::int64_t n, std::int64_t at, std::int64_t depth, float* to,
            std::int64_t columns) const;

 private:
  static constexpr std::int64_t kOneRowDepth = 64;

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
