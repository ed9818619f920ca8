// Two vectors compared: norm, angle, cosine; the nearest rows of a table by cosine; and the share of an
// addend in a sum. The vectors have one width.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

struct Relation {
  double length_a = 0, length_b = 0, dot = 0;
  double cosine = 0;   ///< NaN where one of them is 0
  double degrees = 0;  ///< of the angle between them; NaN where one of them is 0
};
/// Of two vectors of one length.
Relation relation(const Tensor& a, const Tensor& b);

/// relation(row i of a, row j of b) of every pair -> [row of a, row of b]; NaN where a length is 0. `dots`:
/// the dot products instead of the cosines.
Tensor cosines(const Tensor& a, const Tensor& b, bool dots = false);

struct NearRow {
  std::int64_t row = 0;
  double cosine = 0;
};
/// The rows of `table` [row, dim] whose cosine with `vector` [dim] is largest, without row `self`.
std::vector<NearRow> nearest_rows(const Tensor& table, const Tensor& vector, std::size_t count,
                                  std::int64_t self = -1);

/// The token embedding table of a stack [token, dim]; empty if it has none, or its weights are not loaded.
Tensor token_table(const Trace& trace, Stack stack);

/// The addends of an embedding, at one row of a stack; the sum is before a norm of embeddings.
struct EmbeddingSum {
  Tensor token;     ///< [d], as it lies in the table, or the patch; empty where none was recorded
  Tensor scaled;    ///< [d], times embed_scale; equal to `token` where that is 1
  Tensor position;  ///< [d]; empty where positions are not added
  Tensor type;      ///< [d]; empty where there are no segments
  Tensor added;     ///< [d], the addends that are there, added up
  Tensor sum;       ///< [d], what the run goes on with: `added` but for edits of it
  float scale = 1;  ///< of the model
};
EmbeddingSum embedding_sum(const Trace& trace, Stack stack, std::int64_t row);
/// The share of the position in `factor` · token + position: (position · x) / (x · x), so that it and the
/// token's share make 1. NaN where x is 0 or one of them is not there.
double position_share(const EmbeddingSum& sum, double factor);

}  // namespace attnscope
