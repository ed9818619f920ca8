#include "app/cli/command.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace attnscope {
extern const std::pair<std::string_view, std::string_view> kAssets[];
}

namespace attnscope::cli {
namespace {

constexpr std::string_view kScene = "scene:";

Result<OpenedModel> open_shipped(const std::string& name) {
  const std::string wanted = "assets/scenes/" + name.substr(kScene.size()) + ".json";
  std::vector<std::string> known;
  for (const auto* asset = kAssets; !asset->first.empty(); ++asset) {
    const std::string_view path = asset->first;
    if (path == wanted) return open_scene_text(asset->second, name);
    if (!starts_with(path, "assets/scenes/") || !ends_with(path, ".json")) continue;
    known.push_back(std::string(kScene) + std::string(path.substr(14, path.size() - 14 - 5)));
  }
  return fail(Code::not_found, format("There is no shipped scene \"%s\".", name.c_str()),
              "Shipped scenes are " + join(known, ", ") + ".");
}

}  // namespace

Result<OpenedModel> open_named(const std::string& name) {
  return starts_with(name, kScene) ? open_shipped(name) : open_model(name);
}

void print_json(const nlohmann::json& value) {
  std::printf("%s\n", value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace attnscope::cli
