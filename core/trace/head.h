// From the residual stream to logits, without recording: the Trace derives its logits with it, and
// lenses apply it to earlier layers (logit lens).
#pragma once

#include "core/trace/trace.h"

namespace attnscope {

/// A norm by its spec; `none` gives x back with an empty scale. Rows are the last axis: [pos, d_model], or
/// [head, pos, d_head] for norms of single heads.
Normed apply_norm(const NormSpec& spec, const Tensor& weight, const Tensor& bias, const Tensor& x);

/// The result of a norm whose scale was edited: rows whose scale differs from `made`'s are divided by `scale`
/// [pos, 1], the others are made.out's, bit for bit.
Tensor normed_by(const NormSpec& spec, const Tensor& weight, const Tensor& bias, const Tensor& x,
                 const Tensor& scale, const Normed& made);

/// True where any row can be unembedded: there is a head, and its weights are loaded (a recording has none
/// of them).
bool reads_words(const Trace& trace);

/// Rows as the unembedding reads them [row, d_model] times its columns `part` -> [row, part]; scaled before
/// and soft-capped after, by the head's spec.
Tensor unembed(const ModelConfig& config, const Weights& weights, const Tensor& rows, Range part);

/// Rows of the residual stream [row, d_model] through the final norm and the head's transform -> rows as the
/// unembedding reads them.
Tensor through_head(const ModelConfig& config, const Weights& weights, const Tensor& rows);

}  // namespace attnscope
