// One head's scores or pattern as a plane for display: masked cells marked, the first token left out and the
// rest made to sum to one again, new minus old, and long inputs shrunk to a picture of at most `side` cells
// a side. Reads bands of rows, so that no plane of n^2 numbers is ever in memory. Queries that are padding
// are computed like all others, and shown as the run has them. Only for the stages of an attention
// (is_attention_stage).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/lens/alignment.h"
#include "core/trace/trace.h"

namespace attnscope {

/// A run that is subtracted, and which of its rows and keys belong to those of the run that is shown.
struct Against {
  std::shared_ptr<const Trace> trace;
  Alignment rows, keys;
  bool shifted = false;  ///< some rows or keys have no partner, or stand elsewhere
};
/// For one attention; null where the two cannot be compared: no run, no such step, other heads, no token in
/// common.
std::shared_ptr<const Against> against(const Trace& now, std::shared_ptr<const Trace> before,
                                       const Site& site);

struct PlaneRequest {
  Site site;  ///< scores, scaled, capped, biased, masked or pattern of a block
  std::int64_t head = 0;
  Range rows, cols;            ///< clamped to the step's own
  bool without_first = false;  ///< pattern only: key 0 hidden, the other weights divided by 1 - pattern[q, 0]
  std::shared_ptr<const Against> before = nullptr;  ///< new minus old
};

/// True for the stages of an attention that are planes of numbers: scores up to the pattern, not the mask.
bool is_attention_stage(Slot slot);
/// Those that the run holds at this attention, in order of execution.
std::vector<Slot> attention_stages(const Trace& trace, const Site& any_site_of_it);

/// The rectangle -> [query, key]; in the pattern a masked cell is -inf (not 0), unless an edit set it to a
/// weight. New minus old: masked in both, and without a partner
/// in the older run, is -inf; a masked weight counts as 0. Empty where the run has no such step.
Tensor attention_plane(const Trace& trace, const PlaneRequest& request);
/// The sum of every row of such a plane, hidden cells left out.
std::vector<double> row_sums(const Tensor& plane);

/// A whole plane with `block` x `block` cells per cell, each the one of largest magnitude that is not masked;
/// -inf where all are masked.
struct PooledPlane {
  Tensor cells;            ///< [ceil(queries / block), ceil(keys / block)]; empty: cancelled, or no such step
  std::int64_t block = 1;  ///< smallest with at most `side` cells a side
  std::int64_t row_stride = 1;  ///< > 1: only every row_stride-th query was read
};
/// Called with each band of rows: the trace's numbers, the mask's rows in a pattern (else empty),
/// and the position of the first. Keys at the end that are masked for all of these rows can be missing.
using BandVisitor = std::function<void(const Tensor& band, const Tensor& mask, std::int64_t first_query)>;
/// Ranges of `request` are not read: the whole plane is. `go_on` is called between bands. Of more than
/// `most_rows` queries, every k-th is read.
PooledPlane pooled_plane(const Trace& trace, const PlaneRequest& request, std::int64_t side,
                         const std::function<bool()>& go_on = {}, const BandVisitor& visitor = {},
                         std::int64_t most_rows = 1 << 30);

}  // namespace attnscope
