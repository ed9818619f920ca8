#include "core/text/own_text.h"

#include <nlohmann/json.hpp>

#include "core/base/assets.h"
#include "core/base/text.h"

namespace attnscope {

std::vector<std::string> own_sentences() {
  std::vector<std::string> out;
  for (const std::string_view path : assets_under("assets/strings/")) {
    if (path.find("/lesson_") == std::string_view::npos) continue;
    const nlohmann::json file = nlohmann::json::parse(asset(path), nullptr, false);
    if (!file.is_object()) continue;
    for (const auto& [key, value] : file.items())
      if (value.is_string()) out.push_back(value.get<std::string>());
  }
  return out;
}

}  // namespace attnscope
