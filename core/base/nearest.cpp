#include "core/base/nearest.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

constexpr std::size_t kMostRead = 64;  // bytes of a name

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::vector<std::string> known,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> all;
  for (std::string& one : known) {
    const std::size_t far = distance(name.substr(0, kMostRead), std::string_view(one).substr(0, kMostRead));
    all.emplace_back(far, std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [far, one] : all)
    if (out.size() < count && std::find(out.begin(), out.end(), one) == out.end())
      out.push_back(std::move(one));
  return out;
}

}  // namespace attnscope
