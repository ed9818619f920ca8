// Files on a disk that others write to while they are open, and one that no memory holds.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/system/mapped_file.h"
#include "tests/fuzz/format.h"

namespace attnscope::fuzz {
namespace {

std::vector<Files> changed_seeds() {
  return {{{"before", "sixteen letters."}, {"after", "another sixteen."}},
          {{"before", "a file"}, {"after", "a longer file"}},
          {{"before", "the same"}, {"after", "the same"}}};
}

// Mapped, written over in place, and asked whether it is what was opened; a copy stays what it was.
bool read_changed(const Files& files) {
  const auto part = [&](const char* name) {
    const auto at = files.find(name);
    return at == files.end() ? std::string() : at->second;
  };
  const std::string path = on_disk({}) + "/changing";
  const auto write = [&](const std::string& text) { std::ofstream(path, std::ios::binary) << text; };
  write(part("before"));
  const FilesRead mapped(0);
  const auto open = MappedFile::open(path);
  if (!open) return refused(open.error(), "changing");
  const auto whole = read_file(path, 1 << 20);
  must(whole.ok() && *whole == part("before") && (*open)->intact().ok() && intact(mapped.all()).ok(),
       "a file that nobody touched is called changed");
  const auto stamp = std::filesystem::last_write_time(path) + std::chrono::seconds(2);
  write(part("after"));
  std::filesystem::last_write_time(path, stamp);
  const Status now = (*open)->intact();
  must(!now && !intact(mapped.all()), "a file that was written over is called what it was");
  return refused(now.error(), "changing") || true;
}

// A file with room for more than addresses reach.
std::vector<Files> endless_seeds() { return {{{"bits", "30"}}}; }

std::vector<Files> endless_misses() { return {{{"bits", "56"}}, {{"bits", "62"}}}; }

bool read_endless(const Files& files) {
  const std::string path = on_disk({{"endless", "x"}}) + "/endless";
  const int bits = static_cast<int>(std::strtol(only_file(files).c_str(), nullptr, 10));
  if (::truncate(path.c_str(), static_cast<off_t>(1) << std::clamp(bits, 30, 62)) != 0) return false;
  const auto open = MappedFile::open(path);
  std::filesystem::remove(path);
  return open.ok() || refused(open.error(), "endless");
}

}  // namespace

std::vector<Format> formats_of_disks() {
  return {{"changed-file", changed_seeds, read_changed},
          {"endless-file", endless_seeds, read_endless, {}, endless_misses}};
}

}  // namespace attnscope::fuzz
