#include "app/dialogs/folder_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "core/export/carried.h"
#include "core/io/local_time.h"
#include "core/session/data_set.h"
#include "core/session/session_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestScene = 64u << 20;
constexpr std::size_t kSceneHead = 4096;  // bytes of a file that are searched for a scene's format tag

std::string date_of(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_time_type time = entry.last_write_time(error);
  if (error) return {};
  return local_time(time);
}

bool says_scene(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kSceneHead, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return head.find("attnscope-scene") != std::string::npos;
}

// A figure with a session inside: SVG and PNG say it at their beginning, PDF at its end.
bool says_session(const fs::path& path, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string ends(2 * kSceneHead, '\0');
  file.read(ends.data(), static_cast<std::streamsize>(kSceneHead));
  std::size_t got = static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount()));
  if (bytes > kSceneHead) {
    file.clear();
    file.seekg(-static_cast<std::streamoff>(std::min<std::uint64_t>(kSceneHead, bytes)), std::ios::end);
    file.read(ends.data() + got, static_cast<std::streamsize>(kSceneHead));
    got += static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount()));
  }
  return std::string_view(ends).substr(0, got).find(kCarriedName) != std::string_view::npos;
}

FolderEntry describe(const fs::directory_entry& entry) {
  std::error_code error;
  FolderEntry out;
  out.path = entry.path().string();
  out.name = entry.path().filename().string();
  out.date = date_of(entry);
  if (entry.is_directory(error)) {
    const bool model = fs::is_regular_file(entry.path() / "config.json", error) ||
                       !lora_folder(entry.path().string()).empty();
    out.kind = model ? FolderEntry::Kind::model : FolderEntry::Kind::folder;
    return out;
  }
  const std::uintmax_t bytes = entry.is_regular_file(error) ? entry.file_size(error) : 0;
  out.bytes = error ? 0 : bytes;
  const bool json = entry.path().extension() == ".json" && out.bytes > 0 && out.bytes <= kLargestScene;
  if (json && says_scene(entry.path())) out.kind = FolderEntry::Kind::scene;
  if (entry.path().extension() == ".gguf" && out.bytes > 0) out.kind = FolderEntry::Kind::gguf;
  if (is_data_path(out.name) && out.bytes > 0) out.kind = FolderEntry::Kind::data;
  if (is_session_path(out.name) && out.bytes > 0) out.kind = FolderEntry::Kind::session;
  if (is_figure_path(out.name) && out.bytes > 0 && says_session(entry.path(), out.bytes))
    out.kind = FolderEntry::Kind::session;
  return out;
}

}  // namespace

FolderList read_folder(const std::string& path) {
  FolderList out;
  out.path = path;
  std::error_code error;
  fs::directory_iterator at(path, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (out.entries.size() >= kMostEntries) {
      out.cut = true;
      break;
    }
    out.entries.push_back(describe(*at));
  }
  if (error) out.error = error.message();
  std::sort(out.entries.begin(), out.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    if (a.is_folder() != b.is_folder()) return a.is_folder();
    return std::pair(lower(a.name), a.name) < std::pair(lower(b.name), b.name);
  });
  return out;
}

std::string folder_above(const std::string& path) {
  fs::path whole = fs::path(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const fs::path above = whole.parent_path();
  return above.empty() ? path : above.string();
}

std::string with_home(const std::string& path) {
  if (path == "~") return home_folder();
  return starts_with(path, "~/") ? home_folder() + path.substr(1) : path;
}

}  // namespace attnscope
