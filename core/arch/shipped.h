// Files embedded in the program: the scenes of assets/scenes and the models of assets/models, by their
// names there. Error: an unknown name, with a list of the known ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/arch/open.h"

namespace attnscope {

/// "model:NAME" of every model inside the program, in the order of the alphabet.
std::vector<std::string> shipped_models();
/// What the same task was trained to under another mask: the model in the folder of "model:pilot" is
/// "model:pilot/causal", and the other way round. None of them is one of shipped_models().
std::vector<std::string> shipped_twins(const std::string& name);
/// The files of "sorter", or of "pilot/causal", by their names; empty where there is no such model.
ModelFiles shipped_files(std::string_view name);
/// True for "scene:..." and "model:...".
bool is_shipped_name(const std::string& name);
/// "scene:nine_steps" or "model:sorter".
Result<OpenedModel> open_shipped(const std::string& name);
/// What is shipped by its name, or what lies at a path: whatever a document was opened from. Errors: theirs.
Result<OpenedModel> open_shipped_or_path(const std::string& name, const OpenOptions& options = {});

}  // namespace attnscope
