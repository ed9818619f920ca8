// Beam search: the `beams` most likely continuations, kept as a tree of all candidates. Order and scores are
// those of transformers (early_stopping=False, do_sample=False): deterministic.
#pragma once

#include <functional>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

inline constexpr int kMostBeams = 64;

struct BeamSettings {
  int beams = 3;
  int max_new_tokens = 8;
  double length_penalty = 1;  ///< scores are sums of log probabilities over length to this power
  float repetition_penalty = 1.f;
};
/// Errors: numbers out of their range.
Status check_beams(const BeamSettings& settings);

/// One candidate token; the tree's first node is the prompt.
struct BeamNode {
  enum class Fate : std::uint8_t { dropped, kept, ended };
  int parent = -1;
  int id = -1;
  int depth = 0;      ///< tokens after the prompt
  double chance = 0;  ///< log probability of this token after its parent (after the repetition penalty), nats
  double sum = 0;     ///< of all tokens from the prompt on
  Fate fate = Fate::dropped;
};
/// A whole continuation: the node it ends in.
struct BeamHypothesis {
  int node = 0;
  double score = 0;  ///< sum / depth^length_penalty
};
struct BeamSearch {
  std::vector<BeamNode> nodes;             ///< parents first; of one depth the most likely first
  std::vector<BeamHypothesis> hypotheses;  ///< best first, `beams` of them
  Edits unreached;                         ///< edits whose place no token's run had
  Text note;                               ///< why it stopped early, as shown; usually empty
  /// The new tokens on the way to a node.
  std::vector<int> ids(int node) const;
};
/// Each beam's run starts from its parent's, whose keys and values are the cache. `on_depth` is called after
/// each token. Errors: those of generate(), settings out of range.
Result<BeamSearch> beam_search(const Model& model, const Input& prompt, const BeamSettings& settings,
                               const RunOptions& options = {},
                               const std::function<void(int depth)>& on_depth = {});

}  // namespace attnscope
