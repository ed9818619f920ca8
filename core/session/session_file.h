// A session on disk (*.attnscope): which model, its inputs and edits, view and cursor, as readable JSON;
// large arrays stand in it too, as base64 of their float32 bytes, under names that follow from their contents
// (earlier versions, and more numbers than a JSON file takes, have a safetensors file beside it). The model
// is referred to, not copied, with a hash of every weight (fingerprint.h); scenes are inside whole, and so is
// a model that trains (session_parts.h). Errors:
// files of newer versions and damaged ones, with the field that is wrong; numbers other than those that
// were saved.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_formats.h"
#include "core/session/document.h"
#include "core/session/training_files.h"

namespace attnscope {

inline constexpr const char* kSessionEnding = ".attnscope";
inline constexpr int kSessionVersion = kSessionFormat.version;
inline constexpr int kSessionOfParts = 3;  ///< what a session with parts is written as
inline constexpr const char* kModelEnding =
    ".model";  ///< behind it: the folder of a model that was in no file
inline constexpr const char* kPinnedEnding = ".pinned.model";  ///< the same of the run that is pinned
inline constexpr const char* kRunEnding = ".run.safetensors";  ///< the checkpoint of a model that trains
bool is_session_path(const std::string& path);

struct SessionFile {
  std::string path;    ///< of the session
  std::string beside;  ///< what the names of its own files begin with: session_beside(), but for parts
                       ///< (session_parts.h)
  int which = 1;       ///< of the two beginnings (session_beside)
  std::string
      model;        ///< what to open: a path that exists where one of the saved ones does, or a shipped name
  LoraChoice lora;  ///< its adapter
  std::string scene;                      ///< the scene's own text, instead of opening a file; empty: none
  std::optional<TrainingShown> training;  ///< the run goes on from its checkpoint
  std::shared_ptr<const nlohmann::json> all;  ///< the whole file
  /// View and cursor, as the window wrote them.
  const nlohmann::json& look() const { return (*all)["look"]; }
};

/// The inputs of a document as a session keeps them, with all their numbers. Errors: one that is too large
/// for that.
Result<nlohmann::json> inputs_to_json(const Document& document);
/// Loads them into a document of that model; `path` is the file that they stand in. Errors: a damaged field,
/// an input that does not fit the model.
Status inputs_from_json(const nlohmann::json& inputs, const std::string& path, Document& document);
/// 16 hexadecimal digits over the sizes and all values of an array: its name in the file of arrays.
std::string fingerprint(const Tensor& tensor);
/// Writes the session; more numbers than it takes itself lie in a file of arrays beside it. `pinned`: the run
/// that it is compared with, by what made it and its own model where it is another one. `training`: the model
/// trains, and the caller writes its checkpoint beside the file. Errors: nothing is open, a model that
/// trains and is in no file, the writers'.
/// `which`: the beginning that its files have been written under; nothing: place_beside(). Those under the
/// other one are removed at the end, but for an autosave's checkpoint.
Status save_session(const std::string& path, const Document& document, const nlohmann::json& look,
                    const Document* pinned = nullptr, std::optional<TrainingShown> training = {},
                    std::optional<int> which = {});
/// The same as one JSON value, to stand in another file (lecture.h). Errors: as above, more numbers than such
/// a file takes.
Result<nlohmann::json> session_to_json(const Document& document, const nlohmann::json& look,
                                       const Document* pinned = nullptr);
/// What the names of the files beside a session begin with. They lie under one of two beginnings, and the
/// session says which: a newer version of it is written with files under the other one, so that the old
/// session keeps its own until the new one has its name.
std::string session_beside(const std::string& path, int which);
/// The beginning that the files of a new version of the session at `path` are written under: the one that
/// the old version does not need, or the one under which a model lies that the document was opened from.
int place_beside(const std::string& path, const Document& document, const Document* pinned);
/// The checkpoint of a session whose model trains: under its own beginning, or, of autosaves, behind `path`.
std::string run_beside(const SessionFile& session);
/// The files that a session at `path` may have beside it, under both beginnings.
std::vector<std::string> beside_session(const std::string& path);
/// Reads the file, not the model. Errors: no session, a newer version, a damaged field.
Result<SessionFile> read_session(const std::string& path);
/// The same of a session that stands in the file `path`. Errors as above.
Result<SessionFile> session_from_json(nlohmann::json file, const std::string& path);
/// Whether the model of the session may be opened without confirmation (core/system/named_files.h).
/// Errors: error.system.outside.
Status may_open_model(const SessionFile& session);
/// The model of a session, before its inputs and edits: its scene, what is shipped, or what lies at its path.
/// Errors: those of opening.
Result<OpenedModel> open_model_of(const SessionFile& session, const OpenOptions& options);
/// The document of a session: the freshly opened model with the session's inputs, edits, padding and
/// sampling. What differs (weights, edits that do not fit) becomes a warning of `opened`. Errors: a damaged
/// field, arrays that are missing.
Result<Document> document_of(const SessionFile& session, OpenedModel opened,
                             const std::atomic<bool>* cancel = nullptr);
/// The document of the session's pinned run, of the model that `document` opened or of its own, opened here;
/// null where none was pinned. What differs in its own model becomes a warning of that. Errors as above, and
/// those of opening.
Result<std::shared_ptr<const Document>> pinned_of(const SessionFile& session, const Document& document,
                                                  const std::atomic<bool>* cancel = nullptr);

}  // namespace attnscope
