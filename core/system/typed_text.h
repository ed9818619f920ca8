// A text as an option of the command line gives it, the same in both programs: "@FILE" is read from that
// file. Refuses files that cannot be read, and says how a text is written that begins with an @.
#pragma once

#include <string>

#include "core/base/result.h"

namespace attnscope {

/// The text; of "@FILE" what the file holds, without the line end behind it; of "@@..." one that begins with
/// @. Errors: read_file's.
Result<std::string> typed_text(const std::string& argument);

}  // namespace attnscope
