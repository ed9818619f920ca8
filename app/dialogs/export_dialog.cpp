#include "app/dialogs/export_dialog.h"

#include <filesystem>

#include "app/dialogs/folder_list.h"
#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
constexpr ImGuiWindowFlags kExportDialogDialog =
    ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize;

/// "attnscope-steps.png" in the last folder, with a number if that exists.
std::string free_name(const FrameState& state) {
  std::error_code error;
  const fs::path folder =
      state.settings.last_folder.empty() ? fs::current_path(error) : fs::path(state.settings.last_folder);
  const std::string stem = "attnscope-" + state.workspace.view;
  fs::path path = folder / (stem + ".png");
  for (int number = 2; number < 1000 && fs::exists(path, error); ++number)
    path = folder / (stem + "-" + std::to_string(number) + ".png");
  return path.string();
}

bool is_svg(const std::string& path) { return ends_with(lower(path), ".svg"); }

/// The path with the extension replaced.
std::string with_ending(const std::string& path, const char* ending) {
  const std::string folded = lower(path);
  const bool known = ends_with(folded, ".png") || ends_with(folded, ".svg");
  return (known ? path.substr(0, path.size() - 4) : path) + ending;
}

std::string pixels(const FrameState& state, bool stage_only, int scale) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float width = stage_only ? state.stage_max.x - state.stage_min.x : size.x;
  const float height = stage_only ? state.stage_max.y - state.stage_min.y : size.y;
  const auto times = static_cast<float>(scale);
  return tr("export.pixels", {format("%.0f", width * times), format("%.0f", height * times)});
}

}  // namespace

void ExportDialog::ask_where(FrameState& state) {
  state.browse =
      BrowseRequest{true, "export.where", file_name(path_), [this, &state](const std::string& path) {
                      path_ = path;
                      state.ask_export = true;
                    }};
}

void ExportDialog::choose_part(const FrameState& state) {
  if (raised_button(Label(tr("export.window"), "###whole"), !stage_only_)) stage_only_ = false;
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("export.stage"), "###stage_only"), stage_only_)) stage_only_ = true;
  ImGui::SameLine(0, px(24));
  for (const int scale : {1, 2, 3}) {
    if (raised_button(std::to_string(scale) + "\u00d7###scale" + std::to_string(scale), scale_ == scale))
      scale_ = scale;
    ImGui::SameLine(0, px(4));
  }
  ImGui::AlignTextToFramePadding();
  dim_text(pixels(state, stage_only_, scale_));
}

void ExportDialog::draw(FrameState& state) {
  if (state.ask_export) {
    if (path_.empty()) path_ = free_name(state);
    ImGui::OpenPopup("###export_dialog");
    state.ask_export = false;
  }
  centre_next_window();
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(14)));
  if (!ImGui::BeginPopupModal("###export_dialog", nullptr, kExportDialogDialog)) return;
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr("export.title"));
  }
  const bool svg = is_svg(path_);
  if (raised_button("PNG###as_png", !svg)) path_ = with_ending(path_, ".png");
  ImGui::SameLine(0, px(4));
  if (raised_button("SVG###as_svg", svg)) path_ = with_ending(path_, ".svg");
  if (svg)
    wrapped_text(tr("export.svg"), theme().text_dim);
  else
    choose_part(state);
  ImGui::SetNextItemWidth(px(440));
  ImGui::InputText("###export_path", &path_);
  note_item("export_path");
  note_text(path_);
  ImGui::SameLine();
  const bool where = ImGui::Button(Label(tr("export.choose"), "###export_where").c_str());
  std::error_code error;
  const bool taken = fs::is_regular_file(with_home(path_), error);
  if (taken) wrapped_text(tr("export.replaces"), theme().warning);
  const bool cancel = ImGui::Button(Label(tr("frame.cancel"), "###cancel").c_str()) ||
                      compat::key_pressed(compat::Key::escape, false);
  ImGui::SameLine();
  const bool save = primary_button(Label(tr("export.save"), "###export_save")) ||
                    compat::key_pressed(compat::Key::enter, false);
  if (where) ask_where(state);
  if (save && !path_.empty()) {
    std::string path = with_home(path_);
    if (!is_svg(path) && !ends_with(path, ".png")) path += ".png";
    state.export_request = ExportRequest{path, static_cast<float>(scale_), stage_only_};
    path_.clear();
  }
  if (where || cancel || save) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace attnscope
