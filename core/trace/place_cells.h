// The cells of a run that a place means: blocks and indices from the end counted from 0, tokens looked up
// among the rows of the run, and the numbers there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The axes of a step, a weight or the input, and how many indices each has.
struct Extent {
  std::vector<Axis> axes;
  std::vector<std::int64_t> shape;
  Tensor values;  ///< empty for steps that are derived on demand
};
/// Errors: a run without that step, weight or input.
Result<Extent> extent_of(const Trace& trace, const Target& where);

/// Errors: a name that is no step and no weight, in whichever of its blocks.
Status check_place_name(const PlaceText& place);
/// The row of a stack that holds this token (its spelling, a blank in front aside), or that has this name
/// where the input is vectors. Errors: none holds it, or several do.
Result<std::int64_t> row_of_token(const Trace& trace, Stack stack, const std::string& token);
/// Of the first `rows` rows of a stack, those from the first to the last that is no padding; all, where every
/// row is.
Indices real_rows(const Trace& trace, Stack stack, std::int64_t rows);
/// Indices among so many rows of a stack, counted from 0. What counts from the end begins at the last row
/// that is no padding; "*" is all of them, padding too. Nothing where there are no such rows.
std::optional<Indices> counted_rows(const Trace& trace, Stack stack, const Indices& asked, std::int64_t rows);
/// The ranges of a target with every index counted from 0 and tokens as `pos` or `query`. Errors:
/// extent_of's, row_of_token's; an index that the place does not have, where it counts from the end.
Result<std::vector<AxisRange>> absolute(const Trace& trace, const Target& where);
/// One target for each block that a place means, as absolute() has it. Errors: also a name that is none, and
/// blocks that the model does not have.
Result<std::vector<Target>> targets_of(const Trace& trace, const PlaceText& place);
/// What a selector asks of one step of the run, as absolute() has it.
Result<std::vector<std::vector<AxisRange>>> parts_of_step(const Trace& trace, const Selector& selector,
                                                          const Site& site);
/// The numbers of a target; axes of one index are gone, (1) where all are. Errors: as Trace::part.
Result<Tensor> numbers_at(const Trace& trace, const Target& where, std::int64_t limit = kMostValues);

}  // namespace attnscope
