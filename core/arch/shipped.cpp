#include "core/arch/shipped.h"

#include <algorithm>
#include <string_view>

#include "core/base/assets.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::string_view kScene = "scene:", kModel = "model:";

// "assets/models/sorter/card.json" -> sorter, card.json; "assets/models/pilot/causal/card.json" ->
// pilot/causal, card.json
struct ModelFile {
  std::string_view model, file;
};
ModelFile model_file(std::string_view path) {
  constexpr std::string_view kFolder = "assets/models/";
  const std::size_t slash = path.rfind('/');
  if (!starts_with(path, kFolder) || slash == std::string_view::npos || slash < kFolder.size()) return {};
  return {path.substr(kFolder.size(), slash - kFolder.size()), path.substr(slash + 1)};
}

Result<OpenedModel> open_shipped_model(const std::string& name, const OpenOptions& options) {
  const ModelFiles files = shipped_files(std::string_view(name).substr(kModel.size()));
  if (!files.empty()) return open_model_files(files, name, options);
  const std::vector<std::string> known = shipped_models();
  return fail(Code::not_found, known.empty() ? "error.arch.shipped.no_models" : "error.arch.shipped.no_model",
              {in_quotes(name), join(known, ", ")});
}

Result<OpenedModel> open_shipped_scene(const std::string& name) {
  const std::string wanted = "assets/scenes/" + name.substr(kScene.size()) + ".json";
  std::vector<std::string> known;
  for (const auto* asset = kAssets; !asset->first.empty(); ++asset) {
    const std::string_view path = asset->first;
    if (path == wanted) return open_scene_text(asset->second, name);
    if (!starts_with(path, "assets/scenes/") || !ends_with(path, ".json")) continue;
    known.push_back(std::string(kScene) + std::string(path.substr(14, path.size() - 14 - 5)));
  }
  return fail(Code::not_found, "error.arch.shipped.no_scene", {in_quotes(name), join(known, ", ")});
}

// The names that a model is opened by, of those whose own names fit.
template <class Fits>
std::vector<std::string> models_where(const Fits& fits) {
  std::vector<std::string> out;
  for (const auto* asset = kAssets; !asset->first.empty(); ++asset)
    if (const ModelFile found = model_file(asset->first); found.file == "config.json" && fits(found.model))
      out.push_back(std::string(kModel) + std::string(found.model));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<std::string> shipped_models() {
  return models_where([](std::string_view name) { return name.find('/') == std::string_view::npos; });
}

std::vector<std::string> shipped_twins(const std::string& name) {
  if (!starts_with(name, kModel)) return {};
  const std::string_view own = std::string_view(name).substr(kModel.size());
  if (const std::size_t slash = own.find('/'); slash != std::string_view::npos)
    return {name.substr(0, kModel.size() + slash)};
  return models_where([&](std::string_view twin) { return starts_with(twin, std::string(own) + "/"); });
}

ModelFiles shipped_files(std::string_view name) {
  ModelFiles out;
  for (const auto* asset = kAssets; !asset->first.empty(); ++asset)
    if (const ModelFile found = model_file(asset->first); !found.file.empty() && found.model == name)
      out.emplace(found.file, asset->second);
  return out;
}

bool is_shipped_name(const std::string& name) {
  return starts_with(name, kScene) || starts_with(name, kModel);
}

Result<OpenedModel> open_shipped(const std::string& name) {
  return starts_with(name, kModel) ? open_shipped_model(name, {}) : open_shipped_scene(name);
}

Result<OpenedModel> open_shipped_or_path(const std::string& name, const OpenOptions& options) {
  if (starts_with(name, kModel)) return open_shipped_model(name, options);
  if (!is_shipped_name(name)) return open_model(name, options);
  if (!options.lora.empty()) return fail(Code::unsupported, "error.arch.lora.source", {quoted_path(name)});
  return open_shipped_scene(name);
}

}  // namespace attnscope
