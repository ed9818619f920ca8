// Rows of attention weights that no longer sum to 1 because of an edit; the text "each row sums to one"
// depends on it. Probabilities always do: they follow from logits. Other steps give nothing.
#pragma once

#include <optional>

#include "core/trace/trace.h"

namespace attnscope {

struct RowOffOne {
  std::int64_t head = 0, row = 0;
  double sum = 0;
};
/// The first row of a pattern without sinks that an edit of its weights leaves with another
/// sum than one (further than 0.001); a fully masked row, whose sum is 0, is none. `head`: one
/// head; -1: every one. Reads the rows that edits name alone, of each edit and head the first kMostRowsOff.
inline constexpr std::int64_t kMostRowsOff = 256;
std::optional<RowOffOne> row_off_one(const Trace& trace, const Site& site, std::int64_t head = -1);

struct RowSums {
  double least = 0, most = 0;
};
/// What the rows of a pattern sum to whose softmax has sinks, as they stand after all edits; nothing for
/// other steps and patterns.
std::optional<RowSums> row_sums_with_sinks(const Trace& trace, const Site& site, std::int64_t head = -1);

}  // namespace attnscope
