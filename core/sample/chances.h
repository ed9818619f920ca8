// Probability of a text under a model, token by token (perplexity), and the outcome of many draws at many
// temperatures. Named tensors in, numbers out. For models that predict the next token; the caller checks.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "core/sample/sampler.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The next-token distribution at a row. Logarithms are natural (nats).
struct RowChance {
  std::int64_t row = 0;
  double entropy = 0;  ///< of the whole distribution
  int best = -1;       ///< the most likely token
  float best_prob = 0;
  int next = -1;          ///< the token that follows in the text; -1 after the last one
  double log_prob = 0;    ///< of it
  std::int64_t rank = 0;  ///< of it, 0 the most likely
};
/// One entry per row of `rows` of the main stack, softmax at temperature 1 over the whole vocabulary; shorter
/// when `cancel` is set.
std::vector<RowChance> row_chances(const Trace& trace, Range rows, const std::atomic<bool>* cancel = nullptr);

/// Of a text: exp of the mean of -log_prob over the rows that have a next token.
struct Perplexity {
  std::int64_t tokens = 0;
  double nats = 0;   ///< the mean; NaN without tokens
  double value = 0;  ///< its exp
};
Perplexity perplexity(std::span<const RowChance> rows);
/// The row to look at first: `last`, unless it is decided (its best has more than kDecided); then the row
/// with a next token that is most undecided, the later of equals.
inline constexpr float kDecided = 0.9f;
std::int64_t telling_row(std::span<const RowChance> rows, std::int64_t last);

/// What `draws` draws at one temperature came to, and what is to be expected of them.
struct TemperatureDraws {
  float temperature = 0;
  int right = 0, distinct = 0;
  double chance_right = 0;       ///< of one draw
  double expected_distinct = 0;  ///< sum over the tokens of 1 - (1 - p)^draws
};
/// Draws i = 0, 1, ... are choose(..., step i) with the seed and cuts of `sampling`, at each of
/// `temperatures` in its stead; right is what is `right`.
std::vector<TemperatureDraws> draw_many(const Tensor& logits_row, const Sampling& sampling,
                                        std::span<const int> said, int right, int draws,
                                        std::span<const float> temperatures,
                                        const std::atomic<bool>* cancel = nullptr);

/// Contrastive decoding (Li et al. 2022): tokens that an expert model finds likelier than an amateur model.
struct Contrast {
  int id = 0;
  float expert = 0, amateur = 0;  ///< probabilities at temperature 1
  double score = 0;               ///< log(expert / amateur), nats
};
/// Of the tokens that the expert finds at least `share` as likely as its top token, best score first, ties by
/// id. Both are logits [vocab] of one vocabulary.
std::vector<Contrast> contrast(const Tensor& expert, const Tensor& amateur, double share);

}  // namespace attnscope
