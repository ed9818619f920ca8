// What a session file says besides model, inputs and edits: padding, sampling, notes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// "padding" and "sampling" of a document.
void put_settings(nlohmann::json& file, const Document& document);
/// Both, where they are there. Errors: a field that lacks or has another type or size; `path` is for
/// messages.
Status settings_from(const nlohmann::json& file, const std::string& path, Document& document);
/// Notes by the text of a step or a cell. Errors: a place that does not read, words that are no text.
Status notes_from(const nlohmann::json& file, const std::string& path, Document& document);

}  // namespace attnscope
