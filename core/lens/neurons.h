// Neurons of an MLP as keys and values (Geva et al. 2021, "Transformer Feed-Forward Layers Are Key-Value
// Memories"): a neuron's column of W₁ is its key, its row of W₂ its value, and the unembedding gives the
// tokens that the value promotes. Limit: heads without a transform; behind one a direction has no fixed
// logits.
#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The MLP of one block.
struct MlpPlace {
  Stack stack = Stack::single;
  int layer = 0;
  bool operator==(const MlpPlace&) const = default;
  Site site(Slot slot) const { return site_of(slot, layer, stack); }
  Site site(StepRole role) const { return site(slot_of(role)); }
};
/// True where the run holds the neurons of this block (mlp.post).
bool has_neurons(const Trace& trace, const MlpPlace& place);
/// The same of any block.
bool has_neurons(const Trace& trace);

struct Neuron {
  std::int64_t index = 0;
  float act = 0;    ///< mlp.post: what its row of W₂ is multiplied by
  double adds = 0;  ///< length of what it adds: |act| · ‖row of W₂‖
};
/// At one position the `count` neurons that add most, or whose |act| is largest where W₂ is not at hand.
std::vector<Neuron> strongest_neurons(const Trace& trace, const MlpPlace& place, std::int64_t pos,
                                      std::size_t count);

/// One token and its relation to a neuron.
struct NeuronToken {
  int token = -1;
  float value = 0;
};
struct NeuronWords {
  std::vector<NeuronToken> reads;       ///< tokens whose embedding lies most along its column of W₁ (gate):
                                        ///< cosine, the norm's gain included, largest first
  std::vector<NeuronToken> promotes;    ///< logits per unit of activation and of the final norm's scale,
  std::vector<NeuronToken> suppresses;  ///< largest first, smallest first
};
/// Lists of `count`; empty where the weights are missing (recordings) or the stack has no vocabulary.
NeuronWords neuron_words(const Trace& trace, const MlpPlace& place, std::int64_t neuron, std::size_t count);

/// Directions [row, d_model] of the main stack's stream through the final norm's gain and the unembedding:
/// logits per unit of the norm's scale -> [row, vocab]. Biases are left out: they belong to no direction.
/// Empty for heads with a transform and where there is no head.
Tensor direction_logits(const ModelConfig& config, const Weights& weights, const Tensor& directions);
/// The same of rows behind the final norm.
Tensor unembedded(const ModelConfig& config, const Weights& weights, const Tensor& rows);
/// Of the first row of [row, vocab] the `count` largest (`sign` 1) or smallest (-1) finite values, in order.
std::vector<NeuronToken> largest_tokens(const Tensor& values, std::size_t count, float sign);

}  // namespace attnscope
