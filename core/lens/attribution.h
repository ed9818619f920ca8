// Which parts of a run made a logit, or a difference of two: a sum that closes (direct logit attribution,
// Elhage et al. 2021, "Logits as linear functions of the residual stream"). Norm scales, activations of a
// head's transform (GELU(x) = x Phi(x)) and soft caps (tanh(x)/x) are held as they were in the run, so that
// everything on the way from a part to the logit is linear and the parts add up. Errors: measures that are no
// logits, and runs without them.
#pragma once

#include <string>
#include <vector>

#include "core/model/measure.h"

namespace attnscope {

/// The unit of the addends.
enum class AttributeBy : std::uint8_t {
  part,   ///< each attention and each MLP whole
  head,   ///< each head
  token,  ///< each head by the tokens that it read from
  neuron  ///< each head, and each MLP by its neurons
};

/// What the first block of a stack reads, as parts are called: "embed", or where a norm stands behind the
/// embedding (BERT, BLOOM) what leaves it, "ln_embed.out"; of an encoder with "enc." in front.
std::string stream_entry(const Trace& trace, Stack stack);
/// True for the name of a part that is "ln_embed.out", of any stack.
bool is_normed_entry(const std::string& part);

/// One addend of the measure.
struct LogitPart {
  std::string step;  ///< stream_entry(), "blocks.0.attn.z", "blocks.0.attn.out.bias", "blocks.0.mlp.out",
                     ///< "blocks.0.mlp.post", "blocks.0.mlp.out.bias", or "bias": of norms, the head's
                     ///< transform and the unembedding; a step that an edit changes, by what the edit added
                     ///< there: "blocks.0.resid_post", "ln_final.out", "blocks.0.attn.out"
  std::vector<AxisRange> at;  ///< head, the key that was read from (pos), the neuron (d_mlp)
  double value = 0;
};

struct Attribution {
  double total = 0;  ///< the measure, as the run has it
  double rest = 0;   ///< total minus the sum of the parts: rounding, and edits of the logits
  std::vector<LogitPart> parts;
  std::vector<std::string>
      held;  ///< what was held as it was in the run: "ln_final.scale", "head.act", "logits cap"
};

/// Puts the bias behind the other parts; returns what `total` has more than their sum.
double close_sum(double total, std::vector<LogitPart>& parts);

/// `measure` is logit or logit_diff. Errors: another measure, a run without logits or without its steps.
Result<Attribution> attribute(const Trace& trace, const LogitMeasure& measure, AttributeBy by);

/// One score as a bilinear sum over parts of the residual stream: q.k = sum over (what wrote the
/// query's row) x (what wrote the key's row), norm scales held as they were.
struct ScoreSplit {
  double total = 0, rest = 0;  ///< the scaled score, as the run has it
  std::vector<std::string> query_sources, key_sources;
  std::vector<double> values;  ///< [query source, key source], row-major
};
/// How finely each side is written out.
enum class ScoreBy : std::uint8_t {
  part,  ///< each attention and each MLP whole: "blocks.0.attn.out"
  head,  ///< each head: "blocks.0.attn.z[head=2]"
  token  ///< each head by the positions that it read from: "blocks.0.attn.z[head=2,pos=5]"
};
/// Of attn.scaled at [head, query, key] of a pre-norm or parallel model. Errors: no such cell; the query or
/// the key does not come from the residual stream by one norm.
Result<ScoreSplit> split_score(const Trace& trace, const Site& pattern, std::int64_t head, std::int64_t query,
                               std::int64_t key, ScoreBy by = ScoreBy::part);

/// One direction of a head's QK circuit in a score: singular value times what the query's row and the key's
/// row have along it, norms and rotation at these positions included.
struct ScoreLoading {
  double singular = 0, query = 0, key = 0;
  double value = 0;  ///< singular * query * key, scaled as the score
};
struct ScoreLoadings {
  double total = 0;                      ///< the scaled score, as the run has it
  double bias = 0;                       ///< what the biases of query and key add
  double rest = 0;                       ///< total - bias - sum of the loadings
  std::vector<ScoreLoading> directions;  ///< the largest singular value first
};
Result<ScoreLoadings> score_loadings(const Trace& trace, const Site& pattern, std::int64_t head,
                                     std::int64_t query, std::int64_t key);

}  // namespace attnscope
