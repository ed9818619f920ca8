// The prompt, as all ways of generating use it. Error: a bidirectional model.
#pragma once

#include "core/model/model.h"

namespace attnscope {

/// The input as it is continued: without its padding; a decoder without tokens gets its start token.
/// Errors: no vocabulary to predict, a model that reads in both directions.
Result<Input> prompt_to_continue(const Model& model, const Input& prompt);
/// Whether a next token can be chosen by these logits of a run under `options`. Errors: one of them is NaN or
/// plus infinity, with the step of the run where the first such number arose.
Status check_logits(const Model& model, const Trace& run, const RunOptions& options, const Tensor& logits);
/// One token more at the end.
void append_token(Input& input, int id);

}  // namespace attnscope
