// The draft of a lesson from the undo history: a page for the start and one for every change that
// can be undone, each with its document and view. Its author then adds texts and questions.
// Limit: documents of built-in models and scenes; no other program could open the pages of others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/session/history.h"

namespace attnscope {

/// A lesson file with its sentences in the language of the moment. `id` names it; `view` is the view that was
/// open. Errors: nothing is open, or a model from a file.
Result<nlohmann::json> lesson_draft(const History& history, const std::string& id, const std::string& view);
/// A valid id for a lesson: small letters, digits and _ of the text.
std::string lesson_id_of(const std::string& text);

}  // namespace attnscope
