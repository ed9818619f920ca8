// Files that are named inside of other files (the model of a session, the numbers of an edit in a scene): who
// wrote that file chose the path, so it is read without confirmation only where it lies beside the file or
// below it, where this user opened or allowed it before, or where all is allowed. Paths that a person typed
// are not restricted. Errors: error.system.outside, with the path and what to do.
#pragma once

#include <optional>
#include <string>

#include "core/base/no_copy.h"
#include "core/base/result.h"

namespace attnscope {

/// While it lives, paths that this thread reads stand in `file`; the innermost one counts. With an empty
/// name nothing may be read.
class PathsIn : NoCopy {
 public:
  explicit PathsIn(std::string file);
  ~PathsIn();
  /// The file, where one is read; nothing where a person types.
  static std::optional<std::string> now();

 private:
  std::optional<std::string> outer_;
};

/// What `path` leads to: relative to the folder of the file that it stands in; itself where it was typed.
/// What stands in the program's own folder (autosaves) may name any file. Errors: error.system.outside, with
/// the file and the whole path as arguments.
Result<std::string> named_file(const std::string& path);

/// From now on this file, or this folder with all below it, may be named. For as long as the program runs.
void allow_file(const std::string& path);
/// The same, and in the user's list where that is kept.
void know_file(const std::string& path);
/// Whether the user's list is read and written: known_files in the folder of settings, the newest few
/// hundred. Off at first, for tests and tools.
void keep_known_files(bool keep);
/// Every file may be named: --allow-outside.
void allow_all_files();
/// The path that a named_file error is about, wherever it stands in it.
std::optional<std::string> refused_path(const Error& error);

}  // namespace attnscope
