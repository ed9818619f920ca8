// The table of the backward pass: how the gradient of each step follows from gradients that are known
// already, and the gradients of the weights that the step used. One row per step that has a gradient; keyed
// like the catalog.
#pragma once

#include <string>
#include <string_view>

#include "core/step/site.h"

namespace attnscope {

struct BackwardStep {
  Slot slot;
  std::string_view formula;  ///< Unicode; "dX" is the gradient of the loss with respect to X; empty where it
                             ///< has words: they are in the tables
  std::string_view weights;  ///< the same for the step's weights; empty where it has none
  std::string_view through = {};  ///< key "gradient.through.NAME", where it has texts of its own
};
/// The beginning of the keys of its words in the tables (assets/strings/*/catalog.json): "gradient.attn.q",
/// to be continued by ".sentence", and by ".formula" and ".weights" where those have words in them.
std::string words_key(const BackwardStep& row);
/// The row of a step, or null where the step never has a gradient.
const BackwardStep* backward_step(Slot slot);
/// The backward of a norm; `centred`: LayerNorm, else RMSNorm. Used where a gradient comes through
/// one.
const BackwardStep& backward_through_norm(bool centred);
/// The backward from a score to the one before it, whose order differs from model to model, and through the
/// scale of an embedding; null elsewhere.
const BackwardStep* backward_through(Slot site, Slot reader);
/// What a product sends back to what it read: "dQ · W_Qᵀ"; empty where the step is no product with a weight.
std::string_view backward_product(Slot reader);

}  // namespace attnscope
