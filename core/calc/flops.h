// FLOPs and bytes of a forward pass. A multiply-add is 2 FLOPs; counted are the products of matrices
// and attention's two products over the pairs that a mask allows (q·k and pattern·v: 4 · h · d_k per pair,
// Kaplan et al. 2020, table 1; Hoffmann et al. 2022, F). Norms, softmax, activations, rotations, biases: not
// counted. A mask that is written as text counts as causal.
#pragma once

#include "core/arch/described.h"
#include "core/calc/count.h"
#include "core/calc/workload.h"

namespace attnscope {

struct Flops {
  Count matrices, attention, unembedding;
  Count total() const { return matrices + attention + unembedding; }
};

/// Of one sequence.
struct ForwardCost {
  /// The whole prompt: `seq` positions with logits for each; in an encoder-decoder the encoder over `source`
  /// positions and the keys and values that cross-attention keeps of them.
  Flops prefill;
  Count prefill_rows;  ///< positions that `prefill` is about
  Flops decode;  ///< the token at position `seq`, with a cache of all before it; 0 where nothing is decoded
  Count images;  ///< the vision encoders and projectors of one image, not part of `prefill`
  /// Without a cache, `seq` tokens take seq (seq + 1) / 2 passes of a token through the model, with it seq.
  Count passes_without_cache, passes_with_cache;

  Count prefill_per_token() const;  ///< rounded to the nearest whole number
  Count decode_per_token() const { return decode.total(); }
};
ForwardCost forward_cost(const Described& described, const Workload& work);

/// Bytes that must come from memory, at least: weights once per pass (of experts those that its tokens can
/// reach; the few rows that are looked up in tables of tokens and positions do not count), keys and values
/// written, and read again by decoding. Prefill of an encoder-decoder is the encoder and the keys and values
/// that cross-attention keeps. Activations stay in caches.
struct MemoryTraffic {
  Count weights;            ///< bytes of all weights
  Count prefill, decode;    ///< of one pass of the whole batch
  Count prefill_per_token;  ///< of one token of one sequence, rounded down
  Count decode_per_token;
};
MemoryTraffic memory_traffic(const Described& described, const Workload& work);

}  // namespace attnscope
