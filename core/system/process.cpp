#include "core/system/process.h"

#include <signal.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace attnscope {

bool process_runs(int process) {
  if (process <= 0 || (::kill(process, 0) != 0 && errno == ESRCH)) return false;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");  // "12 (name) Z ..."
  std::string text;
  if (!std::getline(file, text)) return true;
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= text.size() || text[name_end + 2] != 'Z';
}

}  // namespace attnscope
