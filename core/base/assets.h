// The files of assets/ and shaders/, which travel inside the program.
// Paths are relative to the repository root ("shaders/heatmap.frag"). Nothing is read from the disk.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace attnscope {

/// (path, content) rows made by CMakeLists.txt, closed by a row with an empty path. Filled when the program
/// starts: not to be read by initialisers of other globals.
extern const std::pair<std::string_view, std::string_view> kAssets[];

/// The content of one file, followed by a zero byte; data() is null when there is no such file.
std::string_view asset(std::string_view path);
/// The paths that start with `prefix`, in the order of the alphabet.
std::vector<std::string_view> assets_under(std::string_view prefix);

}  // namespace attnscope
