// The sizes of recorded arrays, which have to be those of one model.
#pragma once

#include <string>
#include <vector>

#include "core/arch/recorded_config.h"

namespace attnscope {

/// The axes of a step, as the catalog names them.
std::vector<Axis> recorded_axes(Slot slot);
/// Compares the sizes of all arrays: rows may differ by sequence, all else belongs to the model. `what`: the
/// recording, as errors name it. Errors: bad_shape, with the two steps that differ.
Status check_recorded_sizes(const std::string& what, const Batch& batch);

}  // namespace attnscope
