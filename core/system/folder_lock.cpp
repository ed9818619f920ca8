#include "core/system/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace attnscope {

std::shared_ptr<const int> lock_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(fd);
    return nullptr;
  }
  return {new int(fd), [](const int* held) {
            if (*held >= 0) ::close(*held);
            delete held;
          }};
}

}  // namespace attnscope
