// A folder that one process alone writes into, for as long as its work takes.
#pragma once

#include <memory>
#include <string>

namespace attnscope {

/// Held until the last copy is gone, or the process ends however it may. Null: another process has it. Where
/// the file system has no locks, everybody gets one.
std::shared_ptr<const int> lock_folder(const std::string& folder);

}  // namespace attnscope
