// The rules of the house for source files, checked on text: which room may include which, where raw OpenGL
// and Eigen may appear, that the middle of the core knows no model family, that the app draws no random
// numbers. It reads lines, it does not compile: an include behind a macro is refused rather than followed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope::layering {

/// One line that breaks a rule. `line` counts from 1; 0 stands for the whole file.
struct Finding {
  std::string file;
  int line = 0;
  std::string what;
};

/// Folder of a repository path: "core/ops/ops.h" -> "core/ops", "app/main.cpp" -> "app".
std::string_view room_of(std::string_view path);

/// The rank of a room, nothing for a folder that the design does not have.
std::optional<int> rank_of(std::string_view room);

/// Every rule on one file; `path` is relative to the repository.
std::vector<Finding> check_file(const std::string& path, const std::string& text);

/// "file:line: what" for each finding, one per line.
std::string print(const std::vector<Finding>& findings);

/// True where `word` stands in `text` with no letter or digit on either side; case is ignored, and `_`
/// separates.
bool has_word(std::string_view text, std::string_view word);

}  // namespace attnscope::layering
