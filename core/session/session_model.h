// How a session names a model, and finds it again: by its path, beside the session, as a scene whole; with
// the hashes of its weights. What the parts of session files share. Refuses to open files elsewhere that this
// user does not know.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// A session with a field that is wrong.
Error damaged_session(const std::string& path, const Text& problem);
/// The text of a field; empty where there is none.
std::string session_text_at(const nlohmann::json& object, const char* field);

/// Which model it is: a scene whole, others by path and by the hashes of all weights (and by the sample that
/// older programs know). `path`: of the session.
Result<nlohmann::json> session_model_json(const Document& document, const std::string& path);
/// Where the model lies: under the session's own name where it was written with it, at the saved path, or
/// beside the session, whichever is there.
std::string session_model_path(const nlohmann::json& model, const std::string& path);
/// Errors: a file elsewhere that the file being read names and this user never opened (named_files.h).
Status model_may_be_read(const std::string& model);
/// Says in the warnings of `opened` which numbers are others than those that were saved; older sessions know
/// only that some are.
void warn_of_other_numbers(const nlohmann::json& model, OpenedModel& opened);
/// Opens it. Errors: as model_may_be_read, those of opening.
Result<OpenedModel> open_session_model(const nlohmann::json& model, const std::string& path);

}  // namespace attnscope
