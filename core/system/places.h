// A person's folders (XDG), and how much memory the machine has. Makes no folders, except the one of
// rescued().
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace attnscope {

/// HOME, or "/" where it names no folder from the root on.
std::string home_folder();
/// $XDG_CONFIG_HOME/attnscope or ~/.config/attnscope; empty where neither is set.
std::string config_folder();

/// For what its own place could not take: calls `write` with a new folder attnscope-NAME-XXXXXX, in one place
/// after the other until it succeeds (/var/tmp, the home, that for temporary files, the current one). Gives
/// the folder, or the last error.
Result<std::string> rescued(const std::string& name, const std::function<Status(const std::string&)>& write);

/// Bytes of memory that the machine has; 8 GB where the system gives no number.
std::uint64_t machine_memory();

}  // namespace attnscope
