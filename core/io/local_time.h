// When a file was written, for people.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope {

/// "2026-01-31 17:05" in the local time zone; empty where that cannot be told.
std::string local_time(std::filesystem::file_time_type time);

}  // namespace attnscope
