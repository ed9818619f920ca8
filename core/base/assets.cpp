// A linear search: some dozens of rows, and each asset is looked up once or twice per run.
#include "core/base/assets.h"

#include <algorithm>

namespace attnscope {

std::string_view asset(std::string_view path) {
  for (const auto* row = kAssets; !row->first.empty(); ++row) {
    if (row->first == path) return row->second;
  }
  return {};
}

std::vector<std::string_view> assets_under(std::string_view prefix) {
  std::vector<std::string_view> paths;
  for (const auto* row = kAssets; !row->first.empty(); ++row) {
    if (row->first.substr(0, prefix.size()) == prefix) paths.push_back(row->first);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace attnscope
