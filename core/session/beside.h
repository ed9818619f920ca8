// Another model on what is open: the same sequences and edits, to be kept as A.
#pragma once

#include <memory>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// `document` with the model of this name (shipped, or a path) in place of its own: the same sequences, and
/// the edits but for masks, which are the model's own. Errors: those of opening; a model that does not take
/// the document's inputs or edits.
Result<std::shared_ptr<const Document>> under_model(const Document& document, const std::string& name);

/// The name of the shipped model that is the open one trained under another mask; empty where there is none.
std::string twin_of(const Document& document);

}  // namespace attnscope
