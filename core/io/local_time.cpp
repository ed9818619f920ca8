#include "core/io/local_time.h"

#include <chrono>
#include <ctime>

namespace attnscope {

std::string local_time(std::filesystem::file_time_type time) {
  const auto seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::file_clock::to_sys(time)));
  std::tm local{};
  if (!localtime_r(&seconds, &local)) return {};
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local));
}

}  // namespace attnscope
