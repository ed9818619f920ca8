// The edits of one step of a run, carried out anew in double on other numbers than those of the run: for what
// the step would hold if something before it were different (core/trace/path.h), and for sums that go back
// through it (core/lens/linear_twin.h). Cut paths are left out: they are about what a step reads.
#pragma once

#include <vector>

#include "core/ops/matrices.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The last `count` rows that a step has so far.
Tensor last_rows(const Trace& trace, const Site& site, std::int64_t count);
/// [head, query, d_head] -> [query, head*d_head]; a matrix as it is.
Matrix64 side_by_side(const Tensor& values);

class StepEdits {
 public:
  /// For matrices of the rows `rows` of a recorded step, its heads side by side in the columns.
  StepEdits(const Trace& trace, const Site& site, Range rows);

  bool any() const { return !edits_.empty(); }
  /// The step after its edits; `x` is what it was before them.
  void apply(Matrix64& x) const;
  /// What a step that was `was` before its edits changes by before them -> what it changes by behind them.
  void carry(Matrix64 was, Matrix64& change) const;
  /// Backward, for a step that was `before` without its edits: `g`, a direction over the edited step, becomes
  /// one over `before`. Returns the part of the product that comes from the edits' own numbers. A product
  /// with a mean or another row of the step itself counts as one with a fixed number.
  double back(const Matrix64& before, Matrix64& g) const;

 private:
  struct One {
    EditOp op = EditOp::set;
    enum class Operand : std::uint8_t { numbers, mean, row } operand = Operand::numbers;
    std::int64_t row = 0;       // of Operand::row
    Matrix64 covered;           // 1 where the edit reaches
    Matrix64 numbers;           // of Operand::numbers, 0 elsewhere
    std::vector<bool> counted;  // rows of Operand::mean
    std::vector<double> of_rows(const Matrix64& x) const;
    double at(const std::vector<double>& own, std::int64_t row, std::int64_t col) const;
    void send(std::int64_t col, double part, Matrix64& g) const;
  };
  static void carry_out(const One& edit, Matrix64& x);
  static double back(const One& edit, const Matrix64& before, Matrix64& g);

  std::vector<One> edits_;
};

}  // namespace attnscope
