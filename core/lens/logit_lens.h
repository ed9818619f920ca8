// The logit lens (nostalgebraist 2020): final norm and unembedding applied to the residual stream after every
// part, as if the model ended there; and the norm of what each part adds. Named tensors in, numbers out.
// Error: a model without a head.
#pragma once

#include <atomic>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// One row of the lens: a place on the residual stream.
struct LensRow {
  Site site;
  bool final = false;  ///< the model's own output: equal to its logits
};
/// embed, then after attention and after the MLP of every block; the last is the output. First rows first.
std::vector<LensRow> lens_rows(const Trace& trace);

/// One cell: the prediction of this layer at this position.
struct LensCell {
  int token = -1;
  float probability = 0;
  float entropy = 0;            ///< nats, of the whole distribution
  float kl_to_final = 0;        ///< KL(final || here) in nats at the same position
  float asked_probability = 0;  ///< of the token `asked`, and its rank: 0 the most likely
  int asked_rank = -1;          ///< -1: no token was given
};
/// All positions in `positions` of one row -> one cell each; `asked` is a token to look up in all of them.
/// Stops early (shorter result) when `cancel` is set.
std::vector<LensCell> lens_row(const Trace& trace, const LensRow& row, Range positions,
                               const std::atomic<bool>* cancel = nullptr, int asked = -1);

/// Logits of one row of the residual stream through the final norm and the unembedding -> [vocab].
Tensor lens_logits(const Trace& trace, const LensRow& row, std::int64_t pos);

struct LensToken {
  int token = -1;
  float probability = 0;
  int rank = 0;
};
/// The `count` most likely tokens at a cell, and their ranks.
std::vector<LensToken> lens_top(const Trace& trace, const LensRow& row, std::int64_t pos, int count);

/// What one part adds to the residual stream at a position: its norm and the stream's norm after it.
struct Addition {
  Site site;          ///< attn.out, mlp.out or embed
  double norm = 0;    ///< ‖what is added‖
  double stream = 0;  ///< ‖residual stream after adding‖
  double cosine = 0;  ///< between what is added and the stream before; NaN where there was or is none
};
/// Those that the run holds, in order of execution.
std::vector<Addition> additions(const Trace& trace, std::int64_t pos);
/// Direct logit attribution of one logit: the contribution of each addition, through the final norm and the
/// unembedding (attribution.h: the norm's scale as in the run). of + bias + rest = total.
struct Pushes {
  std::vector<double> of;  ///< of additions(), in their order
  double bias = 0;         ///< of norms and the unembedding
  double rest = 0;         ///< rounding, and parts that are not among the additions
  double total = 0;        ///< the logit, as the run has it
};
/// Errors: those of attribute().
Result<Pushes> pushes(const Trace& trace, const std::vector<Addition>& parts, std::int64_t pos, int token);
/// True where the run holds a sum of the main stack's residual stream and its addends.
bool has_additions(const Trace& trace);

}  // namespace attnscope
