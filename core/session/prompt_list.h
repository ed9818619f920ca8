// The prompts of a document's data set: opening one as its text, going back to the text of one's own, and how
// a session keeps them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/session/data_runs.h"
#include "core/session/document.h"

namespace attnscope {

/// The prompts that a document has; null: none.
inline const DataPrompts* prompts_of(const Document& document) { return document.data.prompts.get(); }
/// A data set takes the place of the one before; what is read stays.
void put_prompts(Document& document, std::shared_ptr<const DataPrompts> prompts);
/// The prompt whose text is what the document reads; -1: it reads a text of one's own.
std::int64_t prompt_looked_at(const Document& document);
/// What the document reads is the corrupt side of that prompt.
inline bool looks_at_corrupt(const Document& document) {
  return document.data.corrupt && prompt_looked_at(document) >= 0;
}
/// The prompt, or its corrupt side, becomes what the document reads; a text of one's own is kept. Errors:
/// words that the model does not read, with line and column.
Status open_prompt(Document& document, std::int64_t index, DataSide side = DataSide::clean);
/// The text of one's own becomes what the document reads again. Does nothing where there is none.
Status open_own_text(Document& document);
/// A prompt in words: its text, or what its ids spell.
std::string prompt_text(const OpenedModel& opened, const DataLine& line);
/// The same of its corrupt side; empty: it has none.
std::string corrupt_text(const OpenedModel& opened, const DataLine& line);
/// The name of a data set: that of its file, or of its task.
std::string data_name(const DataChoice& choice);
/// The choice of examples of the model's own task; nothing where it has none that gives prompts.
std::optional<DataChoice> own_task_choice(const OpenedModel& opened);

/// The data set that a lesson's page or a scene names, as text ("task:NAME", a file beside `path`) or as
/// prompt_list_json has it. Errors: no such data set, a file that lies elsewhere, its lines, one that is not
/// what it was.
Status give_prompts(const nlohmann::json& data, const std::string& path, Document& document);

/// {"path", "where", "limit", "seed", "hash", "opened", "lines"}; lines where they are few. `path`: of the
/// file that it will stand in.
nlohmann::json prompt_list_json(const PromptList& list, const std::string& path);
/// Reads it; prompts that do not stand in the file itself are read where they lie, and what is not there, or
/// not what it was, becomes a warning. Errors: a damaged field.
Status take_prompt_list(const nlohmann::json& list, const std::string& path, Document& document,
                        std::vector<Text>& warnings);

}  // namespace attnscope
