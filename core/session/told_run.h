// What was run, as answers and figures carry it: the program's version, the model with its fingerprint,
// inputs with their tokens, edits.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// "1.4.0 (0a1b2c3)": the program's version and, where it is known, its commit.
std::string told_version();
/// {"version", "model": {"name", "title", "fingerprint"}}, and of a model with an adapter its "lora".
nlohmann::json told_model(const OpenedModel& opened, const std::string& name);
/// {"text", "ids", "tokens": [{"pos", "id", "text"}]}, of an encoder also "source", of vectors "rows".
nlohmann::json told_input(const OpenedModel& opened, const Input& input);
/// Both of every sequence of a document, and its edits.
nlohmann::json told_document(const Document& document);

}  // namespace attnscope
