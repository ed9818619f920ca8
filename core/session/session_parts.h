// The files that a session of a model in training needs (the model of the shown step, that of the pinned one,
// the run's checkpoint) as parts of the session file itself, base64 under the names that they would have
// beside it: one file that can be renamed and sent. Reading such a session writes its parts into a folder of
// this process, which is removed when the program ends. Errors: names that no session writes, damaged base64,
// a folder for temporary files that takes nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace attnscope {

inline constexpr std::uint64_t kMostPartBytes = 96ull << 20;  ///< of all parts; more stay beside the file

/// Takes the files beside the session at `path` into it and removes them there. Nothing changes where there
/// are none, or more than kMostPartBytes. Errors: the readers' and the writers'; then they stay beside it.
Status take_in_parts(const std::string& path);
/// Writes the same to another path, and leaves the session as it is. False where take_in_parts() changes
/// nothing.
Result<bool> write_with_parts(const std::string& path, const std::string& to);
/// What the names of the session's own files begin with: `beside`, or, where it has parts, the place where
/// they were put, which files may name from now on. The parts are taken out of `file`.
Result<std::string> put_out_parts(nlohmann::json& file, const std::string& path, const std::string& beside);
/// Whether a model lies where parts were put: a session that is saved must have it among its own.
bool is_put_out(const std::string& path);

}  // namespace attnscope
