// Stands before the system's calls that change files, writes down what they did, and keeps no state but the
// list of open files. The log is a sequence of records: a letter, and for each of its fields a length of
// eight bytes and the bytes. disk.h reads it.
#include "tests/power/record/record.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>

namespace {

struct Recording {
  std::mutex mutex;
  std::string root;
  int log = -1;
  std::map<int, std::string> open;  // files that are written, by descriptor: device and number
};

Recording& recording() {
  static Recording* const kept = new Recording;  // outlives everything that writes at the end
  return *kept;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

void put(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const long wrote = ::syscall(SYS_write, recording().log, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) std::abort();
    done += static_cast<std::size_t>(wrote);
  }
}

void note(char letter, std::initializer_list<std::string> fields) {
  std::string out(1, letter);
  for (const std::string& field : fields) {
    const std::uint64_t size = field.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += field;
  }
  put(out);
}

// The path below the root, without a slash in front; empty: elsewhere.
std::string below(int folder, const char* path) {
  std::string whole = path ? path : "";
  if (whole.empty() || recording().log < 0) return {};
  if (whole[0] != '/') {
    char name[PATH_MAX] = {};
    const std::string link =
        folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/" + std::to_string(folder);
    if (::readlink(link.c_str(), name, sizeof name - 1) < 0) return {};
    whole = std::string(name) + "/" + whole;
  }
  std::string plain;  // without "//" and "/./"
  for (std::size_t at = 0; at < whole.size();) {
    const std::size_t end = std::min(whole.find('/', at), whole.size());
    const std::string part = whole.substr(at, end - at);
    if (!part.empty() && part != ".") plain += "/" + part;
    at = end + 1;
  }
  const std::string& root = recording().root;
  return plain.size() > root.size() && plain.compare(0, root.size(), root) == 0 && plain[root.size()] == '/'
             ? plain.substr(root.size() + 1)
             : std::string();
}

// The file or folder behind a descriptor, below the root; "." is the root itself.
std::string name_of(int fd) {
  char name[PATH_MAX] = {};
  if (::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name - 1) < 0) return {};
  return name == recording().root ? "." : below(AT_FDCWD, name);
}

std::string number_of(const struct stat& file) {
  return std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

bool there(const std::string& path) {
  struct stat file {};
  return ::lstat((recording().root + "/" + path).c_str(), &file) == 0;
}

// A file was opened: C made, O was there; T emptied.
void opened(int fd, const std::string& path, int flags, bool before) {
  struct stat file {};
  if (fd < 0 || path.empty() || ::fstat(fd, &file) != 0) return;
  recording().open.erase(fd);
  if (!S_ISREG(file.st_mode) || (flags & O_ACCMODE) == O_RDONLY) return;
  recording().open[fd] = number_of(file);
  note(before ? 'O' : 'C', {path, number_of(file)});
  if (before && (flags & O_TRUNC)) note('T', {number_of(file), "0"});
}

int open_at(const char* name, int folder, const char* path, int flags, mode_t mode) {
  static const auto real = next<int (*)(int, const char*, int, ...)>("openat");
  (void)name;
  const std::lock_guard lock(recording().mutex);
  const std::string at = (flags & O_ACCMODE) == O_RDONLY ? std::string() : below(folder, path);
  const bool before = !at.empty() && there(at);
  const int fd = real(folder, path, flags, mode);
  const int reason = errno;
  recording().open.erase(fd);
  opened(fd, at, flags, before);
  errno = reason;
  return fd;
}

// W: bytes at a place of a file that is open.
template <class Write>
ssize_t written(int fd, const void* data, std::int64_t at, const Write& write) {
  const std::lock_guard lock(recording().mutex);
  const auto file = recording().open.find(fd);
  const bool noted = recording().log >= 0 && file != recording().open.end();
  if (noted && at < 0) {
    struct stat now {};
    at = (::fcntl(fd, F_GETFL) & O_APPEND) && ::fstat(fd, &now) == 0 ? now.st_size : ::lseek(fd, 0, SEEK_CUR);
  }
  const ssize_t done = write();
  const int reason = errno;
  if (noted && done > 0)
    note('W', {file->second, std::to_string(at),
               std::string(static_cast<const char*>(data), static_cast<std::size_t>(done))});
  errno = reason;
  return done;
}

int synced(int fd, const char* name) {
  const auto real = next<int (*)(int)>(name);
  const std::lock_guard lock(recording().mutex);
  const int done = real(fd);
  const int reason = errno;
  struct stat file {};
  if (done == 0 && recording().log >= 0 && ::fstat(fd, &file) == 0) {
    if (S_ISDIR(file.st_mode)) {
      if (const std::string path = name_of(fd); !path.empty()) note('D', {path});
    } else if (recording().open.count(fd)) {
      note('S', {number_of(file)});
    }
  }
  errno = reason;
  return done;
}

template <class Call>
int changed(char letter, int folder, const char* path, const Call& call) {
  const std::lock_guard lock(recording().mutex);
  const std::string at = below(folder, path);
  const int done = call();
  const int reason = errno;
  if (done == 0 && !at.empty()) note(letter, {at});
  errno = reason;
  return done;
}

template <class Call>
int renamed(int from_folder, const char* from, int to_folder, const char* to, const Call& call,
            char letter = 'R') {
  const std::lock_guard lock(recording().mutex);
  const std::string before = below(from_folder, from), after = below(to_folder, to);
  const int done = call();
  const int reason = errno;
  if (done == 0 && (!before.empty() || !after.empty())) note(letter, {before, after});
  errno = reason;
  return done;
}

// F: what the C library's buffers write is seen by nobody here.
std::FILE* opened_buffered(const char* name, const char* path, const char* mode) {
  const auto real = next<std::FILE* (*)(const char*, const char*)>(name);
  const std::lock_guard lock(recording().mutex);
  if (std::strpbrk(mode, "wa+"))
    if (const std::string at = below(AT_FDCWD, path); !at.empty()) note('F', {at});
  return real(path, mode);
}

mode_t mode_of(int flags, va_list values) {
  return (flags & (O_CREAT | O_TMPFILE)) ? static_cast<mode_t>(va_arg(values, int)) : 0;
}

[[gnu::constructor]] void begin() {
  const char *root = std::getenv("ATTNSCOPE_POWER_ROOT"), *log = std::getenv("ATTNSCOPE_POWER_LOG");
  if (root && log) power_record(root, log);
}

}  // namespace

extern "C" {

void power_record(const char* root, const char* log) {
  const std::lock_guard lock(recording().mutex);
  recording().root = root;
  recording().log =
      static_cast<int>(::syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}
void power_mark() {
  const std::lock_guard lock(recording().mutex);
  if (recording().log >= 0) note('K', {});
}
void power_stop() {
  const std::lock_guard lock(recording().mutex);
  if (recording().log >= 0) ::syscall(SYS_close, recording().log);
  recording().log = -1;
}

#define ATTNSCOPE_MODE                        \
  va_list values;                             \
  va_start(values, flags);                    \
  const mode_t mode = mode_of(flags, values); \
  va_end(values)

int open(const char* path, int flags, ...) {
  ATTNSCOPE_MODE;
  return open_at("open", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  ATTNSCOPE_MODE;
  return open_at("open64", AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  ATTNSCOPE_MODE;
  return open_at("openat", folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  ATTNSCOPE_MODE;
  return open_at("openat64", folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return open_at("creat", AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

std::FILE* fopen(const char* path, const char* mode) { return opened_buffered("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return opened_buffered("fopen64", path, mode); }

ssize_t write(int fd, const void* data, std::size_t bytes) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t)>("write");
  return written(fd, data, -1, [&] { return real(fd, data, bytes); });
}
ssize_t pwrite(int fd, const void* data, std::size_t bytes, off_t at) {
  static const auto real = next<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite");
  return written(fd, data, at, [&] { return real(fd, data, bytes, at); });
}
// Files are copied with it: nothing is said of their bytes, as with F.
ssize_t sendfile(int to, int from, off_t* at, std::size_t bytes) {
  static const auto real = next<ssize_t (*)(int, int, off_t*, std::size_t)>("sendfile");
  const std::lock_guard lock(recording().mutex);
  if (recording().log >= 0 && recording().open.count(to)) note('F', {name_of(to)});
  return real(to, from, at, bytes);
}
ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, std::size_t bytes,
                        unsigned flags) {
  static const auto real =
      next<ssize_t (*)(int, off64_t*, int, off64_t*, std::size_t, unsigned)>("copy_file_range");
  const std::lock_guard lock(recording().mutex);
  if (recording().log >= 0 && recording().open.count(to)) note('F', {name_of(to)});
  return real(from, from_at, to, to_at, bytes, flags);
}

int fsync(int fd) { return synced(fd, "fsync"); }
int fdatasync(int fd) { return synced(fd, "fdatasync"); }

int ftruncate(int fd, off_t size) {
  static const auto real = next<int (*)(int, off_t)>("ftruncate");
  const std::lock_guard lock(recording().mutex);
  const int done = real(fd, size);
  const auto file = recording().open.find(fd);
  if (done == 0 && recording().log >= 0 && file != recording().open.end())
    note('T', {file->second, std::to_string(size)});
  return done;
}

int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return renamed(AT_FDCWD, from, AT_FDCWD, to, [&] { return real(from, to); });
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static const auto real = next<int (*)(int, const char*, int, const char*)>("renameat");
  return renamed(from_folder, from, to_folder, to, [&] { return real(from_folder, from, to_folder, to); });
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, unsigned)>("renameat2");
  return renamed(
      from_folder, from, to_folder, to, [&] { return real(from_folder, from, to_folder, to, flags); },
      flags & RENAME_EXCHANGE ? 'E' : 'R');
}
int link(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("link");
  return renamed(
      AT_FDCWD, from, AT_FDCWD, to, [&] { return real(from, to); }, 'L');
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, int)>("linkat");
  return renamed(
      from_folder, from, to_folder, to, [&] { return real(from_folder, from, to_folder, to, flags); }, 'L');
}
int unlink(const char* path) {
  static const auto real = next<int (*)(const char*)>("unlink");
  return changed('U', AT_FDCWD, path, [&] { return real(path); });
}
int remove(const char* path) {
  struct stat file {};
  if (::lstat(path, &file) == 0 && S_ISDIR(file.st_mode)) return ::rmdir(path);
  return ::unlink(path);
}
int unlinkat(int folder, const char* path, int flags) {
  static const auto real = next<int (*)(int, const char*, int)>("unlinkat");
  return changed(flags & AT_REMOVEDIR ? 'X' : 'U', folder, path, [&] { return real(folder, path, flags); });
}
int mkdir(const char* path, mode_t mode) {
  static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
  return changed('M', AT_FDCWD, path, [&] { return real(path, mode); });
}
int mkdirat(int folder, const char* path, mode_t mode) {
  static const auto real = next<int (*)(int, const char*, mode_t)>("mkdirat");
  return changed('M', folder, path, [&] { return real(folder, path, mode); });
}
int rmdir(const char* path) {
  static const auto real = next<int (*)(const char*)>("rmdir");
  return changed('X', AT_FDCWD, path, [&] { return real(path); });
}

int close(int fd) {
  static const auto real = next<int (*)(int)>("close");
  {
    const std::lock_guard lock(recording().mutex);
    recording().open.erase(fd);
  }
  return real(fd);
}

}  // extern "C"
