// Counts of an actual run, to compare with the formulas: parameters in
// memory, keys and values that a run keeps, multiply-adds that products and attention did. Everything is
// float32, positions beyond a window are kept, and tiles of attention go a little beyond the mask.
#pragma once

#include <atomic>

#include "core/calc/calculation.h"

namespace attnscope {

struct Counted {
  std::int64_t positions = 0;      ///< of the run
  Count parameters, weight_bytes;  ///< of tensors, each counted once
  Count cache_bytes;
  Flops prefill;  ///< of the whole run, with logits of the last row alone
  Flops decode;   ///< of one more token
  double prefill_seconds = 0, decode_seconds = 0;
};
/// Runs `positions` tokens (as many as the model has, at most) and one more. Errors: a model that is no
/// language model or that needs an image; cancelled.
Result<Counted> count_run(const Model& model, std::int64_t positions,
                          const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
