// One sequence token by token, with the KV cache and without: which rows are computed, what
// the core multiplies, how long it takes, and by how much the numbers differ. Limit: causal models only; with
// bidirectional attention keys and values change with every token.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

/// One run with its last row of logits.
struct CountedPass {
  std::int64_t rows = 0;  ///< positions computed in the last block
  std::int64_t products =
      -1;  ///< multiply-adds of matrices, the unembedding of the last row included; -1: not run
  std::int64_t attention = 0;  ///< multiply-adds of q·k and pattern·v
  double seconds = 0;
  bool ran() const { return products >= 0; }
  std::int64_t total() const { return products + attention; }
};

struct CacheStep {
  std::int64_t length = 0;  ///< positions after it
  std::int64_t first = 0;   ///< the first position whose keys and values it computed
  CountedPass with, without;
  double difference =
      0;  ///< largest |cached - not| over all keys, values and the last logits; -1: not compared
};

struct CachedRun {
  std::vector<CacheStep> steps;       ///< prefill, then one per token
  std::shared_ptr<const Trace> last;  ///< the cached run of the whole sequence: predictions and their caches
  std::int64_t cache_bytes = 0;       ///< of its keys and values, as the core keeps them (float32)
  std::int64_t cross_bytes = 0;       ///< those of them that belong to cross-attention

  std::int64_t prompt() const { return steps.front().length; }
  std::int64_t length() const { return steps.back().length; }
};

/// True where the main stack is causal and its input is tokens.
bool runs_with_cache(const ModelConfig& config);
/// Positions that the first run must have at least: an image is read at once, padding before the first token
/// with it.
std::int64_t least_prompt(const ModelConfig& config, const Input& input);
/// The first `count` positions of a main stack's input.
Input first_positions(Input input, std::int64_t count);

/// Runs `prompt` positions of `input` (clamped), then one more at a time. `edits` are those of the run; edits
/// of the input are in `input` already. After `budget` seconds of runs from nothing no further ones are made:
/// their `products` are -1. Errors: those of Model::run; a model without runs_with_cache().
Result<CachedRun> run_with_cache(const Model& model, const Input& input, const Edits& edits,
                                 std::int64_t prompt, double budget = 4,
                                 const std::atomic<bool>* cancel = nullptr);

/// Bytes of the keys and values that a run keeps; `part`: of self- or cross-attention.
std::int64_t kept_bytes(const Trace& trace, Part part);

}  // namespace attnscope
