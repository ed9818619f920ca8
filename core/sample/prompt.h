// What every way of continuing a text begins with. Refuses models that read in both directions.
#pragma once

#include "core/model/model.h"

namespace attnscope {

/// The input as it is continued: without its padding, a decoder that is given no tokens with its start token.
/// Errors: no vocabulary to predict, a model that reads in both directions.
Result<Input> prompt_to_continue(const Model& model, const Input& prompt);
/// Whether a next token can be chosen by these logits of a run under `options`. Errors: one of them is NaN or
/// plus infinity; says where in the run the first such number came in.
Status check_logits(const Model& model, const Trace& run, const RunOptions& options, const Tensor& logits);
/// One token more at the end.
void append_token(Input& input, int id);

}  // namespace attnscope
