// The modification time of a file as text.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope {

/// "2026-01-31 17:05" in the local time zone; empty where the system cannot convert it.
std::string local_time(std::filesystem::file_time_type time);

}  // namespace attnscope
