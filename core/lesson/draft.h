// The draft of a lesson out of what somebody has done: a page for how it began and one for every change that
// can be undone, each with what was open and where it happened. Its author then says what one sees, and asks.
// Refuses documents that do not travel with the program: nobody else could open the pages.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/session/history.h"

namespace attnscope {

/// A lesson file with its sentences in the language of the moment. `id` names it; `view` is the view that was
/// open. Errors: nothing is open, or a model of one's own.
Result<nlohmann::json> lesson_draft(const History& history, const std::string& id, const std::string& view);
/// A name that a lesson may have: small letters, digits and _ of the text.
std::string lesson_id_of(const std::string& text);

}  // namespace attnscope
