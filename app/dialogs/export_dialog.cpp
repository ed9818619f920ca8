#include "app/dialogs/export_dialog.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "app/dialogs/folder_list.h"
#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "app/state/shown_figure.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/export.h"
#include "core/view/walk.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;
constexpr ImGuiWindowFlags kExportDialogDialog =
    ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize;

/// "attnscope-steps.png" in the last folder, with a number if that exists.
std::string free_name(const FrameState& state, const std::string& form) {
  std::error_code error;
  const fs::path folder =
      state.settings.last_folder.empty() ? fs::current_path(error) : fs::path(state.settings.last_folder);
  const std::string stem = "attnscope-" + state.workspace.view, ending = "." + form;
  fs::path path = folder / (stem + ending);
  for (int number = 2; number < 1000 && fs::exists(path, error); ++number)
    path = folder / (stem + "-" + std::to_string(number) + ending);
  return path.string();
}

std::string ending_of(const std::string& path) {
  const std::string ending = lower(fs::path(path).extension().string());
  return ending.empty() ? ending : ending.substr(1);
}
const Exporter* exporter_named(const std::string& id) {
  const auto found = find_exporter(id);
  return found ? *found : nullptr;
}

/// The form of the last file; PNG where this view cannot have it.
std::string first_form(const FrameState& state) {
  const std::string& last = state.settings.exporting.form;
  const bool pixels = last == "png" || (last == "svg" && !state.easy_spec);
  return pixels || !why_no_figure(state) ? last : "png";
}

/// The path with the extension of another form.
std::string with_ending(const std::string& path, const std::string& id) {
  const std::string own = ending_of(path);
  const bool known = exporter_named(own) != nullptr || is_report_path(path);
  return (known ? path.substr(0, path.size() - own.size() - 1) : path) + "." + id;
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

// Beside the easy window the pictures and one table; the other forms after a click.
void ExportDialog::choose_format(const FrameState& state) {
  const std::string now = ending_of(path_);
  bool pictures = true;
  const bool few = state.easy_spec != nullptr && !all_forms_;
  const auto rare = [](const Exporter& one) { return one.picture ? one.id == "apng" : one.id != "csv"; };
  for (const Exporter* one : exporters()) {
    if (few && rare(*one) && one->id != now) continue;
    if (one != exporters().front() && one->picture == pictures) ImGui::SameLine(0, px(4));
    pictures = one->picture;
    std::string name = one->id;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (raised_button(name + "###as_" + one->id, now == one->id)) path_ = with_ending(path_, one->id);
  }
  if (!few) {
    ImGui::SameLine(0, px(4));
    if (raised_button(Label(tr("export.report"), "###as_html"), is_report_path(path_)))
      path_ = with_ending(path_, "html");
    return;
  }
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("export.more"), "###as_more"))) all_forms_ = true;
}

void ExportDialog::choose_scale(bool figure) {
  for (const int scale : {1, 2, 3, 4, kMostExportScale}) {
    if (scale > 3 && !figure) continue;
    if (raised_button(std::to_string(scale) + "\u00d7###scale" + std::to_string(scale),
                      chosen_.scale == scale))
      chosen_.scale = scale;
    ImGui::SameLine(0, px(4));
  }
}

void ExportDialog::choose_part(const FrameState& state) {
  if (raised_button(Label(tr("export.window"), "###whole"), chosen_.part == ExportPart::window))
    chosen_.part = ExportPart::window;
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("export.stage"), "###stage_only"), chosen_.part == ExportPart::stage))
    chosen_.part = ExportPart::stage;
  if (has_figure(state)) {
    ImGui::SameLine(0, px(4));
    if (raised_button(Label(tr("export.figure"), "###figure_only"), chosen_.part == ExportPart::figure))
      chosen_.part = ExportPart::figure;
  } else if (chosen_.part == ExportPart::figure) {
    chosen_.part = ExportPart::stage;
  }
  ImGui::SameLine(0, px(24));
  const bool figure = chosen_.part == ExportPart::figure;
  if (!figure) chosen_.scale = std::min(chosen_.scale, 3);
  choose_scale(figure);
  ImGui::AlignTextToFramePadding();
  if (!figure) return dim_text(pixels(state, chosen_.part == ExportPart::stage, chosen_.scale));
  ImGui::NewLine();
  choose_page();
}

// Which walk a film takes; false where the view has none.
bool ExportDialog::choose_walk(const FrameState& state) {
  const auto shown = shown_view(state);
  const std::vector<Walk> known = shown ? walks_of(*shown->view, shown->state) : std::vector<Walk>();
  if (known.empty()) {
    wrapped_text(tr("export.no_walk"), theme().warning);
    return false;
  }
  const auto now = value_of_name(walk_, kWalks);
  if (!now || std::find(known.begin(), known.end(), *now) == known.end())
    walk_ = name_of_value(known.front(), kWalks);
  for (const Walk walk : known) {
    const std::string name(name_of_value(walk, kWalks));
    if (walk != known.front()) ImGui::SameLine(0, px(4));
    if (raised_button(Label(tr("export.walk." + name), ("###walk_" + name).c_str()), walk_ == name))
      walk_ = name;
  }
  return true;
}

void ExportDialog::choose_page(bool still) {
  bool first = true;
  constexpr std::pair<const char*, const char*> kSizes[] = {{"1280x720", "1280 \u00d7 720"},
                                                            {"1920x1080", "1920 \u00d7 1080"},
                                                            {"8.5cm", "8.5 cm"},
                                                            {"17cm", "17 cm"}};
  for (const auto& [size, shown] : kSizes) {
    if (!std::exchange(first, false)) ImGui::SameLine(0, px(4));
    if (raised_button(std::string(shown) + "###export_size_" + size, chosen_.size == size))
      chosen_.size = size;
  }
  if (raised_button(Label(tr("export.paper"), "###export_paper"), chosen_.paper))
    chosen_.paper = !chosen_.paper;
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("export.caption"), "###export_caption"), chosen_.caption))
    chosen_.caption = !chosen_.caption;
  if (!still) return;
  ImGui::SameLine(0, px(4));
  if (raised_button(Label(tr("export.transparent"), "###export_transparent"), chosen_.transparent))
    chosen_.transparent = !chosen_.transparent;
}

bool ExportDialog::choose(const FrameState& state) {
  const std::string form = ending_of(path_);
  const Exporter* exporter = exporter_named(form);
  const bool report = is_report_path(path_);
  if (report) wrapped_text(tr("export.report.help"), theme().text_dim);
  if (report && has_figure(state)) return true;
  if (form == "png" || (!exporter && !report)) {
    choose_part(state);
    return true;
  }
  if (form == "svg" && !state.easy_spec) {
    wrapped_text(tr("export.svg"), theme().text_dim);
    if (!has_figure(state)) chosen_.figure_alone = false;
    if (has_figure(state) &&
        raised_button(Label(tr("export.figure"), "###figure_only"), chosen_.figure_alone))
      chosen_.figure_alone = !chosen_.figure_alone;
    if (chosen_.figure_alone) choose_page();
    return true;
  }
  if (const auto why = why_no_figure(state)) {
    wrapped_text(why->text(), theme().warning);
    note_item("export_none");
    return false;
  }
  if (exporter->moves && !choose_walk(state)) return false;
  if (exporter->picture)
    choose_page(!exporter->moves);
  else
    wrapped_text(tr("export.data"), theme().text_dim);
  return true;
}

ExportRequest ExportDialog::request() const {
  ExportRequest out;
  out.path = with_home(path_);
  if (!exporter_named(ending_of(out.path)) && !is_report_path(out.path)) out.path += ".png";
  const std::string form = ending_of(out.path);
  out.scale = static_cast<float>(chosen_.scale);
  out.stage_only = chosen_.part == ExportPart::stage;
  out.figure = form == "png" ? chosen_.part == ExportPart::figure : form != "svg" || chosen_.figure_alone;
  out.paper = chosen_.paper, out.caption = chosen_.caption, out.transparent = chosen_.transparent,
  out.size = chosen_.size;
  if (const Exporter* exporter = exporter_named(ending_of(out.path)); exporter && exporter->moves)
    out.walk = walk_;
  return out;
}

void ExportDialog::draw(FrameState& state) {
  if (state.ask_export) {
    if (path_.empty()) chosen_ = state.settings.exporting, path_ = free_name(state, first_form(state));
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
  choose_format(state);
  const bool can = choose(state);
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
  if (save && can && !path_.empty()) {
    state.export_request = request();
    state.settings.exporting = chosen_;
    state.settings.exporting.form = ending_of(state.export_request->path);
    if (state.easy_spec && ending_of(state.export_request->path) == "svg")
      state.export_request->figure = true;
    path_.clear();
  }
  if (where || cancel || save) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace attnscope
