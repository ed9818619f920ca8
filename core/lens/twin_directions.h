// The matrix by which a token of the input is multiplied in the linear twin of a run (linear_twin.h), by its
// strongest directions (Golden 2025).
#pragma once

#include "core/lens/linear_twin.h"
#include "core/lens/neurons.h"

namespace attnscope {

/// One direction of a token's matrix: what of the token's row lies along `reads` is written along `writes`,
/// `singular` times as long.
struct TwinDirection {
  double singular = 0;
  double input = 0;            ///< of the token's row, along `reads`
  double measure = 0;          ///< what a length of 1 along `writes` adds to the measure
  double value = 0;            ///< singular * input * measure
  std::vector<double> writes;  ///< over the row that leaves the stack, of length 1, turned so that `input` is
                               ///< not below 0
};
struct TwinDirections {
  double total = 0;  ///< what the token adds to the measure: its addend of the twin
  double rest = 0;   ///< total minus the sum over all directions: rounding
  std::vector<TwinDirection>
      directions;  ///< the largest singular value first; none where nothing is read there
};
/// The widest model whose matrix is computed beside the bars.
inline constexpr std::int64_t kWidestTwin = 256;
/// The row of the main stack's input that a matrix is of: `row` where the twin has an addend for it, else
/// that of the largest addend. -1: of a twin that is not by token.
std::int64_t twin_row(const LinearTwin& twin, Stack stack, std::int64_t row);
/// The matrix [d_model, d_model] that leads in the twin from the row `pos` of the main stack's input to the
/// row that the measure reads, behind the final norm, by its singular values. Takes a backward pass for each
/// of the d_model numbers: a tenth of a second at 64, minutes at 768. Errors: as linear_twin(); no such row.
Result<TwinDirections> twin_directions(const Trace& trace, const LogitMeasure& measure, std::int64_t pos);
/// The `count` tokens whose logits a length of 1 along `writes` raises most (`sign` 1) or lowers most (-1),
/// by how much before a soft cap; empty for heads with a transform and where there is no vocabulary.
std::vector<NeuronToken> twin_tokens(const Trace& trace, const TwinDirection& one, std::size_t count,
                                     float sign);

}  // namespace attnscope
