// Size of the KV cache of a decoder: 2 · L · g · d_k numbers per position (Pope et al.
// 2022), for self-attention up to its window, for cross-attention for every position of the encoder; a latent
// cache holds one vector of r + d_r numbers instead (DeepSeek-AI 2024, 2.1). Encoders keep nothing.
#pragma once

#include "core/arch/described.h"
#include "core/calc/count.h"
#include "core/calc/workload.h"

namespace attnscope {

/// True where the main stack is autoregressive.
bool decodes(const ModelConfig& config);

struct CacheSize {
  Count self, cross;   ///< bytes of the whole batch
  Count per_position;  ///< bytes that one more position takes in one sequence, while no window is full
  Count total() const { return self + cross; }
};
CacheSize kv_cache(const Described& described, const Workload& work);

/// The KV cache of the same model with other kinds of attention; bytes.
struct CacheForms {
  Count mha;         ///< multi-head: a key/value head for every query head, no latent
  Count own;         ///< as the model is
  Count gqa;         ///< `groups` key/value heads; in each block as many as this rule gives it
  Count mqa;         ///< multi-query: one key/value head for all
  Count no_windows;  ///< as the model is, but every position kept
  int groups = 1;    ///< the last block's own, or 8 (half of few heads) where it has a pair or one for all
};
CacheForms cache_forms(const Described& described, const Workload& work);

}  // namespace attnscope
