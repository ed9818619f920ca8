// A model that was saved anew, opened again under a document: what a person had made of the old one (inputs,
// masks, padding, changed steps and numbers) is put on the new one, where it still fits. Refuses to guess:
// what does not fit is left out, with a sentence.
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

/// Puts on `fresh`, of the same path, what was made of `before`; gives a sentence for each thing left out.
/// `try_runs`: edits of steps that a run no longer has are found by running it.
std::vector<Text> take_over(const Document& before, Document& fresh, bool try_runs = true);

}  // namespace attnscope
