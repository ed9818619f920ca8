// The model of a session file: written and found again by its path, beside the session, as a whole scene;
// with the hashes of its weights. Shared by the parts of session files. Error: a file elsewhere that this
// user has not opened before.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"

namespace attnscope {

/// The error for a field that is wrong.
Error damaged_session(const std::string& path, const Text& problem);

/// Identity of the model: a scene whole, others by path and by the hashes of all weights (and the sample of
/// older versions). `path`: of the session; empty: it has no file yet.
Result<nlohmann::json> session_model_json(const Document& document, const std::string& path);
/// Where the model lies: under the session's own name where it was written with it, at the saved path, or
/// beside the session, whichever is there. `own`: what the names of its own files begin with where that is
/// not `path` (SessionFile::beside).
std::string session_model_path(const nlohmann::json& model, const std::string& path,
                               const std::string& own = {});
/// Says where the models of a session lie for whoever reads it from another file: found as those of the file
/// `from` (empty: it was in none), named for the file `to` (empty: for none).
void place_session_models(nlohmann::json& session, const std::string& from, const std::string& to);
/// Errors: a file elsewhere that the file being read names and this user never opened (named_files.h).
Status model_may_be_read(const std::string& model);
/// Adds warnings to `opened` for the numbers that differ from those that were saved; older sessions have one
/// hash for all.
void warn_of_other_numbers(const nlohmann::json& model, OpenedModel& opened);
/// The adapter that a session's model was opened with, by its place as session_model_path finds that; empty:
/// none. Errors: a damaged field.
Result<LoraChoice> session_lora(const nlohmann::json& model, const std::string& path);
/// Opens it. Errors: as model_may_be_read, those of opening.
Result<OpenedModel> open_session_model(const nlohmann::json& model, const std::string& path,
                                       const std::string& own = {});

}  // namespace attnscope
