// The packed copy of a weight: the same values in the order in which products read them, panel after panel of
// neighbouring columns, made panel by panel on demand and freed with the weight; of the transpose of weights
// of training's size likewise. The first product of a large one does without it: a weight that is multiplied
// once costs nothing extra.
// Limit: all packed copies together take at most a quarter of the machine's memory; beyond it products pack
// as they go.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/base/no_copy.h"
#include "core/tensor/tensor.h"

namespace attnscope {

class Panels : NoCopy {
 public:
  /// Of the matrix `weight` [rows, cols], whose memory outlives this.
  explicit Panels(const Tensor& weight);
  ~Panels();

  /// The packed copy that a view of whole columns reads: this one, or that of the transposed matrix, which
  /// the backward of a product multiplies by. Null: neither.
  Panels* of(const Tensor& view);
  /// The column at which `view` begins, or -1 where it is no range of whole columns of this matrix.
  std::int64_t first_column(const Tensor& view) const;
  std::int64_t columns() const { return cols_; }
  /// True for the whole matrix itself.
  bool covers(const Tensor& view) const { return first_column(view) == 0 && view.size(1) == cols_; }
  /// Counts one product; true where it may use panels of `width` columns (of the last one
  /// the first few may be all).
  bool wanted(std::int64_t width);

  /// State of a panel for one thread. On `empty` the thread must fill the panel and call done().
  enum class State : std::uint8_t { empty, busy, full };
  State claim(std::int64_t index);
  void done(std::int64_t index);
  /// Room for [rows, width] floats.
  float* panel(std::int64_t index) { return memory_->data() + index * rows_ * width_; }

  /// Bytes of all packed copies together, and how many they may become.
  static std::int64_t bytes();
  static void set_limit(std::int64_t bytes);

 private:
  Panels(const Tensor& weight, bool turned);
  bool allocate(std::int64_t width);

  const float* data_;
  std::int64_t rows_, cols_, row_step_, col_step_;
  std::atomic<int> products_{0};
  std::atomic<bool> ready_{false};
  std::mutex mutex_;
  std::int64_t width_ = 0;
  std::unique_ptr<Buffer> memory_;
  std::unique_ptr<std::atomic<State>[]> states_;
  std::unique_ptr<Panels> turned_;  ///< of the transposed matrix; null in that one itself
};

}  // namespace attnscope
