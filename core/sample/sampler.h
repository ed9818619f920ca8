// From logits to the next token: repetition penalty, temperature, top-k, top-p, min-p, a seeded choice, and a
// whole continuation with a KV cache. Order and meaning are those of transformers. No hidden state: the
// same logits, settings, seed and step give the same token on every machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace attnscope {

inline constexpr double kMostTemperature = 1e6, kMostPenalty = 1e3;

struct Sampling {
  float temperature = 1.f;  ///< 0: always the most likely token
  int top_k = 0;            ///< > 0: only the k most likely
  float top_p = 1.f;        ///< < 1: the fewest most likely tokens whose probabilities reach this sum
  std::uint64_t seed = 0;
  float min_p = 0.f;  ///< > 0: only those that are at least this share as likely as the most likely
  float repetition_penalty = 1.f;  ///< != 1: of earlier tokens, logits > 0 / it, others * it
};

/// Errors (out_of_range): a setting outside of its range.
Status check_sampling(const Sampling& sampling);
/// Of a repetition penalty alone.
Status check_penalty(float penalty);

/// Which setting removed a token.
enum class SamplingCut : std::uint8_t { none, greedy, top_k, top_p, min_p };

/// One token of the vocabulary and its probability to come next.
struct NextToken {
  int id = 0;
  float logit = 0.f;
  float prob =
      0.f;  ///< softmax at the temperature over the whole vocabulary (at 1 when the temperature is 0)
  float kept = 0.f;       ///< after the cuts, renormalised; 0 when cut
  float penalised = 0.f;  ///< the logit after the repetition penalty
  float scaled = 0.f;     ///< that divided by the temperature (by 1 when it is 0): what softmax reads
  SamplingCut cut = SamplingCut::none;  ///< the first cut that took it out
};

/// The logits [vocab] after a repetition penalty: those of the ids in `said`, once each, divided by
/// it where they are positive and multiplied where they are not (Keskar et al. 2019).
Tensor penalised(const Tensor& logits_row, std::span<const int> said, float penalty);
/// The whole vocabulary for logits [vocab], most likely first, ties by id; NaN logits stand last with 0.
/// `said`: the tokens before, for the repetition penalty.
std::vector<NextToken> next_tokens(const Tensor& logits_row, const Sampling& sampling,
                                   std::span<const int> said = {});
/// The id drawn from `kept` by SplitMix64 of seed and step; -1 for an empty list.
int choose(const std::vector<NextToken>& tokens, const Sampling& sampling, std::uint64_t step);

/// The logits [vocab] with minus infinity at config.suppressed_tokens (Marian's padding).
Tensor without_suppressed(const ModelConfig& config, const Tensor& logits_row);

/// A continuation.
struct Generated {
  std::vector<int> ids;           ///< the new ones, the end token included
  std::vector<double> log_probs;  ///< of each, nats: softmax of the model's own logits at temperature 1
  bool reached_end = false;       ///< the last token is the end token
  Text note;                      ///< why it stopped early, as shown; usually empty
  Edits unreached;                ///< edits whose place no token's run had
};
/// Prefills `prompt`, then decodes token by token until `max_new_tokens`, the end token or the last position:
/// each run starts from the one before, whose keys and values are the cache. An encoder runs once; a decoder
/// that is given no tokens begins with its start token. Padding of the prompt is taken away, so that the rows
/// of edits count from the first token that is no padding. Errors:
/// those of check_sampling, no vocabulary to predict, a bidirectional model, a
/// prompt or a mask that does not fit, cancelled.
Result<Generated> generate(const Model& model, const Input& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options = {},
                           const std::function<void(int)>& on_token = {});
/// The same for a model that reads tokens alone.
Result<Generated> generate(const Model& model, const std::vector<int>& prompt, int max_new_tokens,
                           const Sampling& sampling, const RunOptions& options = {},
                           const std::function<void(int)>& on_token = {});

}  // namespace attnscope
