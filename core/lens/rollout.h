// Attention through all blocks of a stack, beside the raw patterns (Abnar & Zuidema 2020, "Quantifying
// attention flow in transformers"): rollout multiplies (A + I)/2, heads averaged, from block to block; flow
// is the maximum flow through the same weights as capacities. Both are readings of the patterns alone: what
// values, MLPs and norms do is not in them. Limits: errors for inputs whose patterns do not fit into memory,
// and for flows that would take minutes.
#pragma once

#include <functional>

#include "core/io/named.h"
#include "core/lens/attention_places.h"

namespace attnscope {

/// Which weights of a block: its own, or those on the input through all blocks up to it.
enum class AttentionPath : std::uint8_t { raw, rollout, flow };
inline constexpr Named<AttentionPath> kAttentionPaths[] = {
    {"raw", AttentionPath::raw}, {"rollout", AttentionPath::rollout}, {"flow", AttentionPath::flow}};
std::string_view path_name(AttentionPath path);

/// One row of attention for every block of a stack.
struct PathRows {
  std::vector<int> layers;  ///< blocks that have this attention, in order
  Tensor weights;           ///< [block, row of the input]
};

/// Step from a block's output to its input: the mean of the heads' patterns, with half of the identity added
/// where queries and keys are the same rows, rows divided by their sum -> [query, key].
/// Errors: a run without such a pattern.
Result<Tensor> block_weights(const Trace& trace, const Site& pattern, bool residual);

/// For row `query` after each block, the weight of each row of the input. Of cross-attention: raw, the mean
/// of the heads; rollout, that times the encoder's own rollout (rows of the source); there is no flow.
/// Errors: no such attention, no such row, too long an input, cancelled by `go_on`.
Result<PathRows> attention_path(const Trace& trace, const AttentionPlace& place, AttentionPath path,
                                std::int64_t query, const std::function<bool()>& go_on = {});

/// The largest flow from `source` to `sink` through capacities[i * count + j] >= 0 (Dinic 1970).
double max_flow(const std::vector<double>& capacities, std::int64_t count, std::int64_t source,
                std::int64_t sink);

}  // namespace attnscope
