#include "core/base/names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/assets.h"

namespace attnscope {
namespace {

Names read_names() {
  Names out;
  const std::string_view text = asset("assets/names.json");
  const nlohmann::json file = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  const auto read = [&](const char* key, std::vector<std::string>& into) {
    if (!file.is_object() || !file.contains(key)) return;
    for (const auto& name : file[key])
      if (name.is_string()) into.push_back(name.get<std::string>());
  };
  read("actions", out.actions);
  read("views", out.views);
  read("items", out.items);
  return out;
}

}  // namespace

const Names& names() {
  static const Names list = read_names();
  return list;
}

bool is_view(std::string_view name) {
  const auto& views = names().views;
  return std::find(views.begin(), views.end(), name) != views.end();
}

bool is_item(std::string_view name) {
  const auto& items = names().items;
  return std::any_of(items.begin(), items.end(),
                     [&](const std::string& pattern) { return fits_pattern(pattern, name); });
}

bool fits_pattern(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at)
    if (fits_pattern(rest, text.substr(at))) return true;
  return false;
}

}  // namespace attnscope
