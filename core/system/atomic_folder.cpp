#include "core/system/atomic_folder.h"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/system/atomic_file.h"
#include "core/system/part_files.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

Error folder_error(const std::string& path, const std::error_code& why) {
  return write_error(path, why.value());
}

std::error_code last_reason() { return {errno, std::generic_category()}; }

// The place that a path or a link leads to, as far as it is there.
fs::path whole_path(const std::string& path) {
  std::error_code ignored;
  fs::path out = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  if (out.empty()) out = path;
  return out.has_filename() ? out : out.parent_path();
}

// Whoever stands in a folder that another one takes the place of stands in one that is no more.
bool stands_in(const fs::path& folder) {
  std::error_code error;
  const fs::path now = fs::current_path(error).lexically_relative(folder);
  return error || (!now.empty() && *now.begin() != "..");
}

// Names in the old folder that are not in the new one: both hold the same files from then on.
std::error_code link_rest(const fs::path& old, const fs::path& now) {
  std::error_code error;
  for (fs::directory_iterator at(old, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    if (is_part_file(name.string()) || fs::exists(fs::symlink_status(now / name, error))) continue;
    fs::copy(
        at->path(), now / name,
        fs::copy_options::recursive | fs::copy_options::create_hard_links | fs::copy_options::copy_symlinks,
        error);
    if (error) return error;
  }
  if (error) return error;
  for (fs::recursive_directory_iterator at(now, error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error)) flush_folder(at->path().string());
  flush_folder(now.string());
  return error;
}

// Each file under its own name; those that are folders were the old one's.
std::error_code move_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (fs::directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    std::error_code moved;
    if (at->is_regular_file(moved)) fs::rename(at->path(), to / at->path().filename(), moved);
    if (moved) return moved;
  }
  flush_folder(to.string());
  return error;
}

}  // namespace

Result<AtomicFolder> AtomicFolder::create(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return folder_error(path, std::make_error_code(std::errc::no_such_file_or_directory));
  const fs::path target = whole_path(path), above = target.parent_path();
  std::error_code error, ignored;
  if (fs::exists(target, ignored) && !fs::is_directory(target, ignored))
    return folder_error(path, std::make_error_code(std::errc::not_a_directory));
  if (const Status made = make_folder(above.string()); !made) return about(path, made.error());
  remove_dead_parts(above.string());
  // Beside it, or in it where nothing can be made beside it: then its files get their names one by one.
  for (const fs::path& place : {above, target}) {
    const std::string part = (place / new_part_name()).string();
    std::error_code& why = place == above ? error : ignored;
    if (!fs::create_directory(part, why)) continue;
    const int lock = ::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0) lock_part(lock);
    return AtomicFolder(target.string(), part, lock);
  }
  return folder_error(path, error);
}

AtomicFolder::AtomicFolder(std::string target, std::string part, int lock)
    : target_(std::move(target)), part_(std::move(part)), lock_(lock) {}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : target_(std::move(other.target_)),
      part_(std::exchange(other.part_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!part_.empty()) fs::remove_all(part_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

Status AtomicFolder::commit() {
  std::error_code error;
  const std::string above = fs::path(target_).parent_path().string();
  const bool beside = fs::path(part_).parent_path() == above;
  flush_folder(part_);
  if (!fs::exists(target_, error) || (beside && fs::is_empty(target_, error) && !stands_in(target_))) {
    if (::rename(part_.c_str(), target_.c_str()) != 0) return folder_error(target_, last_reason());
    part_.clear();
    flush_folder(above);
    return Done{};
  }
  if (beside && !stands_in(target_) && !link_rest(target_, part_) &&
      ::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    flush_folder(above);
    return Done{};  // what is left under the other name is the old folder
  }
  if (const std::error_code moved = move_files(part_, target_)) return folder_error(target_, moved);
  return Done{};
}

}  // namespace attnscope
