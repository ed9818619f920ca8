// The inputs of a document as a session file has them: words or ids, and arrays for what is no text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/session/document.h"
#include "core/session/session_arrays.h"

namespace attnscope {

nlohmann::json input_json(const Sequence& sequence, ArraysOut& arrays);
/// Puts the inputs of a file into a document; `path` is that of the file. Errors: what is damaged there.
Status take_inputs(const nlohmann::json& inputs, const std::string& path, Document& document,
                   ArraysIn& arrays);

}  // namespace attnscope
