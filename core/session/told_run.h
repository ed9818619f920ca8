// What was run, as answers and figures carry it: the program's version, the model with its fingerprint,
// inputs with their tokens, edits.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// The word that stands for a session in the command of an answer that the window saved: the session is in
/// the run itself, under this name.
inline constexpr const char* kRunSession = "session";

/// "1.4.0 (0a1b2c3)": the program's version and, where it is known, its commit.
std::string told_version();
/// {"version", "model": {"name", "title", "fingerprint"}}, and of a model with an adapter its "lora".
nlohmann::json told_model(const OpenedModel& opened, const std::string& name);
/// {"text", "ids", "tokens": [{"pos", "id", "text"}]}, of an encoder also "source", of vectors "rows".
nlohmann::json told_input(const OpenedModel& opened, const Input& input);
/// Both of every sequence of a document, and its edits.
nlohmann::json told_document(const Document& document);
/// Puts a session (its JSON, as text) and the command that answers from it into a run; nothing where the text
/// is no JSON, as of what no session keeps.
void put_session_command(nlohmann::json& run, const std::string& session, std::vector<std::string> command);

}  // namespace attnscope
