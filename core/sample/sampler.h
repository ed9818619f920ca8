// From logits to the next token: temperature, top-k, top-p, a seeded choice, and a whole continuation with a
// KV cache. Refuses hidden state: the same logits, settings, seed and step give the same token on every
// machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

inline constexpr double kMostTemperature = 1e6;

struct Sampling {
  float temperature = 1.f;  ///< 0: always the most likely token
  int top_k = 0;            ///< > 0: only the k most likely
  float top_p = 1.f;        ///< < 1: the fewest most likely tokens whose probabilities reach this sum
  std::uint64_t seed = 0;
};

/// Errors: a temperature, top-k or top-p that is no number of its range. Whoever sets them anew asks this.
Status check_sampling(const Sampling& sampling);

/// One word of the vocabulary and its chance to come next.
struct NextToken {
  int id = 0;
  float logit = 0.f;
  float prob =
      0.f;  ///< softmax at the temperature over the whole vocabulary (at 1 when the temperature is 0)
  float kept = 0.f;  ///< after top-k and top-p, renormalised; 0 when cut
};

/// The whole vocabulary for logits [vocab], most likely first, ties by id; NaN logits stand last with 0.
std::vector<NextToken> next_tokens(const Tensor& logits_row, const Sampling& sampling);
/// The id drawn from `kept` by SplitMix64 of seed and step; -1 for an empty list.
int choose(const std::vector<NextToken>& tokens, const Sampling& sampling, std::uint64_t step);

/// The logits [vocab] with minus infinity for the words that the model may never say (Marian's padding).
Tensor without_suppressed(const ModelConfig& config, const Tensor& logits_row);

/// A continuation.
struct Generated {
  std::vector<int> ids;      ///< the new ones, the end token included
  bool reached_end = false;  ///< the model said its end token
  Text note;                 ///< why it stopped early, for people; usually empty
  Edits unreached;           ///< edits whose place no token's run had
};
/// Prefills `prompt`, then decodes token by token until `max_new_tokens`, the end token or the last position:
/// each run starts from the one before, whose keys and values are the cache. An encoder runs once; a decoder
/// that is given no tokens begins with its start token. Padding of the prompt is taken away, so that the rows
/// of edits count from the first real token. Errors:
/// settings that check_sampling refuses, no vocabulary to predict, a model that reads in both directions, a
/// prompt or a mask that does not fit, cancelled.
Result<Generated> generate(const Model& model, const Input& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options = {},
                           const std::function<void(int)>& on_token = {});
/// The same for a model that reads tokens alone.
Result<Generated> generate(const Model& model, const std::vector<int>& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options = {},
                           const std::function<void(int)>& on_token = {});

}  // namespace attnscope
