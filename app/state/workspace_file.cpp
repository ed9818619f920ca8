#include "app/state/workspace_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/export/export.h"
#include "core/export/page.h"
#include "core/io/json_file.h"
#include "core/system/atomic_file.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kMostBytes = 1 << 20;

void workspace_file_read(const Json& file, const char* key, float& value, float least, float most) {
  const auto at = file.find(key);
  if (at == file.end() || !at->is_number()) return;
  const float read_value = at->get<float>();
  if (std::isfinite(read_value)) value = std::clamp(read_value, least, most);
}

void workspace_file_read(const Json& file, const char* key, int& value, int least, int most) {
  float number = static_cast<float>(value);
  workspace_file_read(file, key, number, static_cast<float>(least), static_cast<float>(most));
  value = static_cast<int>(number);
}

void workspace_file_read(const Json& file, const char* key, bool& value) {
  const auto at = file.find(key);
  if (at != file.end() && at->is_boolean()) value = at->get<bool>();
}

void workspace_file_read(const Json& file, const char* key, std::string& value) {
  const auto at = file.find(key);
  if (at != file.end() && at->is_string()) value = at->get<std::string>();
}

void read_recent(const Json& file, std::vector<std::string>& recent) {
  const auto at = file.find("recent");
  if (at == file.end() || !at->is_array()) return;
  recent.clear();
  for (const Json& path : *at)
    if (path.is_string() && recent.size() < 10) recent.push_back(path.get<std::string>());
}

constexpr Named<ExportPart> kExportParts[] = {
    {"figure", ExportPart::figure}, {"stage", ExportPart::stage}, {"window", ExportPart::window}};

void read_export(const Json& file, ExportChoice& chosen) {
  const auto at = file.find("export");
  if (at == file.end() || !at->is_object()) return;
  std::string form = chosen.form, size = chosen.size, part(name_of_value(chosen.part, kExportParts));
  workspace_file_read(*at, "form", form);
  if (form == "html" || find_exporter(form)) chosen.form = form;
  workspace_file_read(*at, "size", size);
  if (parse_page_size(size)) chosen.size = size;
  workspace_file_read(*at, "part", part);
  chosen.part = value_of_name(part, kExportParts).value_or(chosen.part);
  workspace_file_read(*at, "scale", chosen.scale, 1, kMostExportScale);
  workspace_file_read(*at, "figure_alone", chosen.figure_alone);
  workspace_file_read(*at, "paper", chosen.paper);
  workspace_file_read(*at, "caption", chosen.caption);
  workspace_file_read(*at, "transparent", chosen.transparent);
}
Json export_json(const ExportChoice& chosen) {
  return {{"form", chosen.form},
          {"size", chosen.size},
          {"part", name_of_value(chosen.part, kExportParts)},
          {"scale", chosen.scale},
          {"figure_alone", chosen.figure_alone},
          {"paper", chosen.paper},
          {"caption", chosen.caption},
          {"transparent", chosen.transparent}};
}

}  // namespace

std::string workspace_path() {
  const std::string folder = config_folder();
  return folder.empty() ? folder : folder + "/workspace.json";
}

std::string training_folder() {
  const std::string path = workspace_path();
  return path.empty() ? path : (fs::path(path).parent_path() / "training").string();
}

bool load_workspace(const std::string& path, Workspace& workspace, Settings& settings) {
  if (path.empty()) return false;
  const Result<Json> parsed = read_json_file(path, kMostBytes);
  if (!parsed || !parsed->is_object()) return false;
  const Json& file = *parsed;
  std::string theme_name = settings.theme == ThemeKind::light ? "light" : "dark";
  workspace_file_read(file, "theme", theme_name);
  settings.theme = theme_name == "light" ? ThemeKind::light : ThemeKind::dark;
  workspace_file_read(file, "language", settings.language);
  workspace_file_read(file, "zoom", settings.zoom, 0.6f, 3.f);
  workspace_file_read(file, "window_width", settings.window_width, 320, 8192);
  workspace_file_read(file, "window_height", settings.window_height, 320, 8192);
  workspace_file_read(file, "last_folder", settings.last_folder);
  workspace_file_read(file, "last_picture_folder", settings.last_picture_folder);
  workspace_file_read(file, "hidden_files", settings.hidden_files);
  workspace_file_read(file, "unsaved", settings.unsaved);
  workspace_file_read(file, "contrast", settings.contrast);
  workspace_file_read(file, "safe_colours", settings.safe_colours);
  read_recent(file, settings.recent);
  read_export(file, settings.exporting);
  std::string level = "full";
  workspace_file_read(file, "level", level);
  workspace.level = value_of_name(level, kLevels).value_or(Level::full);
  workspace_file_read(file, "view", workspace.view);
  workspace_file_read(file, "second_view", workspace.second_view);
  if (workspace.second_view == workspace.view) workspace.second_view.clear();  // run A is not saved here
  workspace_file_read(file, "log_scale", workspace.log_scale);
  workspace_file_read(file, "animate", workspace.animate);
  workspace_file_read(file, "speed", workspace.speed, 0.1f, 20.f);
  workspace_file_read(file, "stage_share", workspace.stage_share, 0.2f, 0.8f);
  workspace_file_read(file, "map_width", workspace.map_width, 120.f, 520.f);
  workspace_file_read(file, "inspector_width", workspace.inspector_width, 120.f, 520.f);
  workspace_file_read(file, "timeline_height", workspace.timeline_height, 64.f, 260.f);
  return true;
}

Status save_workspace(const std::string& path, const Workspace& workspace, const Settings& settings) {
  if (path.empty()) return Done{};
  if (const Status made = make_folder(fs::path(path).parent_path().string()); !made)
    return made.error().advising(Text::of("error.app.workspace_not_kept"));
  const Json file{{"version", 1},
                  {"theme", settings.theme == ThemeKind::light ? "light" : "dark"},
                  {"language", settings.language},
                  {"zoom", settings.zoom},
                  {"window_width", settings.window_width},
                  {"window_height", settings.window_height},
                  {"recent", settings.recent},
                  {"last_folder", settings.last_folder},
                  {"last_picture_folder", settings.last_picture_folder},
                  {"hidden_files", settings.hidden_files},
                  {"unsaved", settings.unsaved},
                  {"contrast", settings.contrast},
                  {"safe_colours", settings.safe_colours},
                  {"export", export_json(settings.exporting)},
                  {"level", name_of_value(workspace.level, kLevels)},
                  {"view", workspace.view},
                  {"second_view", workspace.second_view},
                  {"log_scale", workspace.log_scale},
                  {"animate", workspace.animate},
                  {"speed", workspace.speed},
                  {"stage_share", workspace.stage_share},
                  {"map_width", workspace.map_width},
                  {"inspector_width", workspace.inspector_width},
                  {"timeline_height", workspace.timeline_height}};
  return write_file(path, file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace attnscope
