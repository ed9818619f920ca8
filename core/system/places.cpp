#include "core/system/places.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/text.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

// A variable that names a folder from the root on, or "".
std::string folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value && value[0] == '/' ? value : "";
}

}  // namespace

std::string home_folder() {
  const std::string home = folder_in("HOME");
  return home.empty() ? "/" : home;
}

std::string config_folder() {
  const std::string config = folder_in("XDG_CONFIG_HOME");
  if (!config.empty()) return config + "/attnscope";
  const char* home = std::getenv("HOME");
  return home && home[0] != 0 ? std::string(home) + "/.config/attnscope" : std::string();
}

Result<std::string> rescued(const std::string& name, const std::function<Status(const std::string&)>& write) {
  Status last = fail(Code::io_failed, "error.system.no_place");
  for (const std::string& place : {std::string("/var/tmp"), folder_in("HOME"), folder_in("TMPDIR"),
                                   std::string("/tmp"), std::string(".")}) {
    std::string folder = (fs::path(place) / ("attnscope-" + name + "-XXXXXX")).string();
    if (place.empty()) continue;
    if (!::mkdtemp(folder.data())) {
      last = fail(Code::io_failed, "error.system.no_folder_in", {quoted_path(place), std::strerror(errno)});
      continue;
    }
    last = write(folder);
    if (last) return folder;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  return last.error();
}

std::uint64_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::uint64_t{8} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

}  // namespace attnscope
