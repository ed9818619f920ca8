// What every way of continuing a text begins with. Refuses models that read in both directions.
#pragma once

#include "core/model/model.h"

namespace attnscope {

/// The input as it is continued: without its padding, a decoder that is given no tokens with its start token.
/// Errors: no vocabulary to predict, a model that reads in both directions.
Result<Input> prompt_to_continue(const Model& model, const Input& prompt);
/// One token more at the end.
void append_token(Input& input, int id);

}  // namespace attnscope
