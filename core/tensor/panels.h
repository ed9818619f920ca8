// The packed copy of a weight: the same values in the order in which products read them, panel after panel of
// neighbouring columns, made panel by panel on demand; of the transpose of weights of training's size
// likewise. The first product of a large one does without it: a weight that is multiplied once costs nothing
// extra. All weights that view the same memory share one; it is freed with the last of them, and by
// drop_unused() where no product needs it any more. Limit: all packed copies together take at most a quarter
// of the machine's memory; beyond it products pack as they go.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/base/no_copy.h"
#include "core/tensor/tensor.h"

namespace attnscope {

/// The memory of a packed copy. A product holds it for as long as it reads it.
class PackedPanels : NoCopy {
 public:
  /// Room for [rows, columns] in panels of `width` columns, all of them empty. Throws std::bad_alloc.
  PackedPanels(std::int64_t rows, std::int64_t columns, std::int64_t width);
  ~PackedPanels();

  std::int64_t width() const { return width_; }
  std::int64_t bytes() const { return memory_.count() * static_cast<std::int64_t>(sizeof(float)); }
  /// State of a panel for one thread. On `empty` the thread must fill the panel and call done().
  enum class State : std::uint8_t { empty, busy, full };
  State claim(std::int64_t index);
  void done(std::int64_t index);
  /// Room for [rows, width] floats.
  float* panel(std::int64_t index) { return memory_.data() + index * rows_ * width_; }

 private:
  std::int64_t rows_, width_;
  Buffer memory_;
  std::unique_ptr<std::atomic<State>[]> states_;
};

class Panels : NoCopy {
 public:
  /// Those of the matrix `weight` [rows, cols], not encoded: the ones that a weight on the same memory has
  /// already, or new ones. They keep that memory.
  static std::shared_ptr<Panels> of_weight(const Tensor& weight);
  ~Panels();

  /// The packed copy that a view of whole columns reads: this one, or that of the transposed matrix, which
  /// the backward of a product multiplies by. Null: neither.
  Panels* of(const Tensor& view);
  /// The column at which `view` begins, or -1 where it is no range of whole columns of this matrix.
  std::int64_t first_column(const Tensor& view) const;
  std::int64_t columns() const { return cols_; }
  /// True for the whole matrix itself.
  bool covers(const Tensor& view) const { return first_column(view) == 0 && view.size(1) == cols_; }
  /// Counts one product; the panels of `width` columns (of the last one the first few may be all) that it may
  /// use, or null.
  std::shared_ptr<PackedPanels> wanted(std::int64_t width);

  /// Bytes of all packed copies together, and how many they may become.
  static std::int64_t bytes();
  static void set_limit(std::int64_t bytes);
  /// Frees the packed copies that no product has used since the call before this one; the next product of
  /// such a weight packs it again. Any thread, also while products run.
  static void drop_unused();

 private:
  Panels(const Tensor& weight, bool turned);
  struct All;
  static All& all();
  bool lies_on(const Tensor& weight) const;
  void drop_if_unused(std::uint32_t period);
  std::shared_ptr<PackedPanels> allocated(std::int64_t width) const;

  const Tensor weight_;
  const float* data_;
  std::int64_t rows_, cols_, row_step_, col_step_;
  std::atomic<std::uint32_t> used_{0};  ///< the period of drop_unused() in which a product wanted it last
  std::mutex mutex_;
  int products_ = 0;
  std::shared_ptr<PackedPanels> packed_;
  std::unique_ptr<Panels> turned_;  ///< of the transposed matrix; null in that one itself
  std::weak_ptr<Panels> self_;      ///< empty in the transposed one
};

}  // namespace attnscope
