// Listing of a folder for the file browser: names, sizes, dates, and which folders are models
// and which files are scenes, sessions (also inside of figures) or GGUF models. Thread-safe. At most
// kMostEntries entries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attnscope {

struct FolderEntry {
  enum class Kind { folder, model, scene, gguf, session, data, file };
  Kind kind = Kind::file;
  std::string name, path;
  std::uint64_t bytes = 0;  ///< of files
  std::string date;         ///< "2026-11-20 12:34", local time
  bool is_folder() const { return kind == Kind::folder || kind == Kind::model; }
};

struct FolderList {
  std::string path;
  std::vector<FolderEntry> entries;  ///< folders first, then by name, ignoring case
  std::string error;                 ///< error message of the system; empty on success
  bool cut = false;                  ///< there were more than kMostEntries
};

inline constexpr std::size_t kMostEntries = 20000;

FolderList read_folder(const std::string& path);
/// The parent folder; the path itself at the root.
std::string folder_above(const std::string& path);
/// Expands a leading "~" to the home folder.
std::string with_home(const std::string& path);

}  // namespace attnscope
