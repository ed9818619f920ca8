// Sequence packing: the short sequences of a batch stand one behind another in a few runs, so that products
// have many rows, norms and activations too, and a batch makes few tensors.
#pragma once

#include <vector>

#include "core/train/task.h"

namespace attnscope {

/// True where a model's rows do not depend on the rows of other sequences beside them: a single stack of
/// tokens with a mask in closed form.
bool can_pack(const ModelConfig& config);
/// Neighbours among `examples` joined into a few runs (Input::starts) of about equally many rows, at least 96
/// where the batch has them; how many follows from the examples alone. Examples of more than tokens stay
/// alone. Notes are dropped.
std::vector<Example> packed_examples(std::vector<Example> examples);

}  // namespace attnscope
