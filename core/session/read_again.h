// A model whose file has changed, opened again under the document: its inputs,
// masks, padding, edits of steps and numbers are applied to the new model where they still fit. What does not
// fit is left out, with a sentence.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/session/history.h"

namespace attnscope {

/// Opens what `before` was opened from once more, under the document and all of its undo points. The model's
/// notes say what was left out of the document. Takes as long as opening, and a run where sizes changed.
/// Errors: those of open_model.
Result<History> read_again(const History& before, const std::atomic<bool>* cancel = nullptr);
/// The same of another model, as it is at `path`: another checkpoint of the same training.
Result<History> read_instead(const History& before, const std::string& path,
                             const std::atomic<bool>* cancel = nullptr);

/// Applies to `fresh`, of the same path, the state of `before`; returns a sentence for each thing left out.
/// `try_runs`: edits of steps that a run no longer has are found by running it.
std::vector<Text> take_over(const Document& before, Document& fresh, bool try_runs = true);
/// Errors: the model's, of an input that it does not take under the edits of it.
Status check_inputs(const Document& document);

}  // namespace attnscope
