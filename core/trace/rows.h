// The rows of one step, perhaps in several pieces: a run that starts from another one shares the rows that
// it did not compute. Joined into one tensor at the first call of whole(), and then cached. An empty one
// has no rows. Thread-safe to read.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor/tensor.h"

namespace attnscope {

/// Half-open range of rows or columns.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

class StepRows {
 public:
  StepRows() = default;
  StepRows(Tensor whole);  // NOLINT(google-explicit-constructor): most steps are one piece
  /// The first `shared` rows of `before`, then `own`; rows count along the axis `pos` or `query`.
  static StepRows joined(const StepRows& before, std::int64_t shared, Tensor own);
  /// The first `count` rows.
  StepRows first(std::int64_t count) const;

  bool empty() const { return state_ == nullptr; }
  /// Number of rows.
  std::int64_t count() const;
  /// All rows as one tensor, which lives as long as this.
  const Tensor& whole() const;
  /// Rows [begin, end), shared where one piece holds them.
  Tensor range(std::int64_t begin, std::int64_t end) const;
  /// One value; `index` on the step's axes.
  float at(const std::vector<std::int64_t>& index) const;

 private:
  struct Piece {
    std::int64_t begin = 0;  ///< its first row
    Tensor rows;
  };
  struct State {
    int axis = 0;
    std::vector<Piece> pieces;
    std::once_flag once;
    Tensor whole;  ///< filled once
  };
  std::shared_ptr<State> state_;
};

/// Index of the axis that counts rows (`pos` or `query`); 0 where there is none.
int row_axis(const Tensor& tensor);
/// Tensors one after another along `axis`; all other sizes are equal.
Tensor joined_along(int axis, const std::vector<Tensor>& parts);

}  // namespace attnscope
