// A text as an option of the command line gives it, the same in both programs: "@FILE" is read from that
// file, "@@..." is a text that begins with one @.
#pragma once

#include <string>

#include "core/base/result.h"

namespace attnscope {

/// The text; of "@FILE" the contents of the file without the newline at its end; of "@@..." the text without
/// its first @. Errors: those of read_file, with a hint about "@@".
Result<std::string> typed_text(const std::string& argument);
/// The same of what never begins with @ itself, as a list of ids: "@FILE", or as it was typed. Errors: those
/// of the file.
Result<std::string> typed_or_file(const std::string& argument);

}  // namespace attnscope
