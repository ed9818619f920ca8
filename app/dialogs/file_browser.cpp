#include "app/dialogs/file_browser.h"

#include <imgui_internal.h>  // ClearActiveID

#include <algorithm>
#include <filesystem>

#include "app/look/item_map.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/system/places.h"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

constexpr ImGuiWindowFlags kFileBrowserDialog = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                                ImGuiWindowFlags_NoSavedSettings |
                                                ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoScrollbar;
constexpr float kPlaces = 170.f, kKind = 96.f, kSize = 84.f, kDate = 136.f;

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// An image, or a file that may hold pixel values.
bool is_pixels(const FolderEntry& entry) {
  return is_picture_file(entry.path) || ends_with(lower(entry.name), ".safetensors");
}

/// Icon: a folder, layers for a model, a grid for a scene, a sheet for another file.
void draw_sign(FolderEntry::Kind kind, ImVec2 at, float side) {
  const Theme& t = theme();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 p0(at.x, at.y + side * 0.15f), p1(at.x + side, at.y + side * 0.9f);
  if (kind == FolderEntry::Kind::folder) {
    list->AddRectFilled(ImVec2(p0.x, p0.y), ImVec2(p0.x + side * 0.45f, p0.y + side * 0.3f), t.residual,
                        px(1.5f));
    list->AddRectFilled(ImVec2(p0.x, p0.y + side * 0.13f), p1, mix(t.residual, t.ground, 0.25f), px(2));
  } else if (kind == FolderEntry::Kind::model || kind == FolderEntry::Kind::gguf) {
    for (int i = 0; i < 3; ++i) {
      const float y = at.y + side * (0.12f + 0.29f * static_cast<float>(i));
      list->AddRectFilled(ImVec2(p0.x, y), ImVec2(p1.x, y + side * 0.2f), t.accent, px(1.5f));
    }
  } else if (kind == FolderEntry::Kind::scene || kind == FolderEntry::Kind::session) {
    const float cell = side * 0.4f;
    const ImU32 colours[] = {t.q, t.k, t.v, t.residual};
    for (int i = 0; i < 4; ++i) {
      const ImVec2 a(at.x + static_cast<float>(i % 2) * side * 0.5f,
                     at.y + static_cast<float>(i / 2) * side * 0.5f);
      list->AddRectFilled(a, ImVec2(a.x + cell, a.y + cell), colours[i], px(1));
    }
  } else {
    list->AddRect(ImVec2(p0.x + side * 0.14f, at.y), ImVec2(p1.x - side * 0.14f, at.y + side), t.text_dim,
                  px(1.5f));
  }
}

const char* kind_key(FolderEntry::Kind kind) {
  switch (kind) {
    case FolderEntry::Kind::folder: return "browser.folder";
    case FolderEntry::Kind::model: return "browser.model";
    case FolderEntry::Kind::scene: return "browser.scene";
    case FolderEntry::Kind::gguf: return "browser.gguf";
    case FolderEntry::Kind::session: return "browser.session";
    case FolderEntry::Kind::data: return "browser.data";
    case FolderEntry::Kind::file: break;
  }
  return "browser.file";
}

}  // namespace

const FolderEntry* FileBrowser::selected() const {
  if (at_ < 0 || at_ >= static_cast<int>(shown_.size())) return nullptr;
  return &list_.entries[static_cast<std::size_t>(shown_[static_cast<std::size_t>(at_)])];
}

std::string FileBrowser::target() const {
  return name_.empty() ? std::string() : (fs::path(folder_) / name_).string();
}

void FileBrowser::begin(FrameState& state) {
  request_ = std::exchange(state.browse, std::nullopt);
  name_ = request_->name;
  complaint_.clear();
  focus_ = true;
  close_ = false;
  hidden_ = state.settings.hidden_files;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const Settings& settings = state.settings;
  const std::string last = request_->pictures && is_folder(settings.last_picture_folder)
                               ? settings.last_picture_folder
                               : settings.last_folder;
  go(state, is_folder(last) ? last : error ? home_folder() : here.string());
  ImGui::OpenPopup("###browser");
}

void FileBrowser::go(FrameState& state, const std::string& folder) {
  folder_ = fs::path(folder).lexically_normal().string();
  if (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  path_text_ = folder_;
  filter_.clear();
  ++fields_;
  if (!request_->save) take_keyboard_ = true;  // without a file name field the list gets the keyboard focus
  complaint_.clear();
  at_ = 0;
  scroll_ = true;
  (request_->pictures ? state.settings.last_picture_folder : state.settings.last_folder) = folder_;
  reading_.begin(state.session.workers(), [path = folder_] { return read_folder(path); });
}

void FileBrowser::take_reading() {
  auto read = reading_.take();
  if (!read) return;
  if (!*read) {
    complaint_ = read->error().sentence();
    return;
  }
  list_ = **std::move(read);
  for (const FolderEntry& entry : list_.entries) note_text(entry.name);
  if (!list_.error.empty()) complaint_ = tr("browser.unreadable", {list_.path, list_.error});
  if (list_.cut) complaint_ = tr("browser.cut", {format_count(kMostEntries)});
}

void FileBrowser::refilter(const FrameState& state) {
  shown_.clear();
  const std::string wanted = lower(filter_);
  for (std::size_t i = 0; i < list_.entries.size(); ++i) {
    const FolderEntry& entry = list_.entries[i];
    if (!state.settings.hidden_files && entry.name.front() == '.' &&
        (wanted.empty() || wanted.front() != '.'))
      continue;
    if (request_->pictures && !entry.is_folder() && !is_pixels(entry)) continue;
    if (lower(entry.name).find(wanted) != std::string::npos) shown_.push_back(static_cast<int>(i));
  }
  at_ = std::clamp(at_, 0, std::max(0, static_cast<int>(shown_.size()) - 1));
}

void FileBrowser::finish(FrameState& state, const std::string& path) {
  state.commands.act([chosen = request_->chosen, path](Session&) { chosen(path); });
  close_ = true;
}

// A typed path, relative to the folder shown; if that does not exist, relative to the working
// directory.
std::string FileBrowser::path_of(const std::string& typed) const {
  const std::string path = with_home(typed);
  if (fs::path(path).is_absolute()) return path;
  const std::string here = (fs::path(folder_) / path).lexically_normal().string();
  std::error_code error;
  const fs::path started = fs::absolute(path, error);
  return exists(here) || error || !exists(started.string()) ? here : started.lexically_normal().string();
}

// A typed path: opens a folder in the browser, chooses anything else.
void FileBrowser::go_or_finish(FrameState& state, const std::string& typed) {
  const bool model = request_->models && exists(typed + "/config.json");
  if (is_folder(typed) && !model)
    go(state, typed);
  else if (!request_->save && exists(typed))
    finish(state, typed);
  else
    complaint_ = tr("browser.no_such", {typed}), focus_ = !typing_path_;  // Enter removed the focus
}

// Enter and the button: open a folder, choose a model or file, or save under the name.
void FileBrowser::choose(FrameState& state) {
  if (request_->save) {
    if (name_.empty()) return;
    if (is_folder(target())) return go(state, target());
    return finish(state, target());
  }
  const FolderEntry* entry = selected();
  const bool path = filter_.find('/') != std::string::npos || starts_with(filter_, "~");
  if (path || (!entry && !filter_.empty())) return go_or_finish(state, path_of(filter_));
  if (!entry) return;
  if (entry->kind == FolderEntry::Kind::folder || (!request_->models && entry->is_folder()))
    return go(state, entry->path);
  finish(state, entry->path);
}

void FileBrowser::keys(FrameState& state) {
  using compat::Key;
  const int last = static_cast<int>(shown_.size()) - 1;
  const int by = (compat::key_pressed(Key::down) ? 1 : 0) - (compat::key_pressed(Key::up) ? 1 : 0) +
                 (compat::key_pressed(Key::page_down) ? 10 : 0) -
                 (compat::key_pressed(Key::page_up) ? 10 : 0);
  if (by != 0) {
    at_ = std::clamp(at_ + by, 0, std::max(0, last));
    scroll_ = true;
    if (const FolderEntry* entry = selected(); entry && request_->save && !entry->is_folder())
      name_ = entry->name;
  }
  if (compat::key_pressed(Key::escape, false)) close_ = true;
  if (typing_path_) return;
  const std::string& typed = request_->save ? name_ : filter_;
  if (compat::key_pressed(Key::backspace, false) && typed.empty()) go(state, folder_above(folder_));
  if (compat::key_pressed(Key::enter, false)) choose(state);
}

void FileBrowser::draw_path(FrameState& state, float width) {
  if (ImGui::Button("\u2191###up", ImVec2(px(34), 0))) go(state, folder_above(folder_));
  compat::item_tooltip(tr("browser.up"));
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width - px(34) - ImGui::GetStyle().ItemSpacing.x);
  if (const WithId scope(fields_);
      ImGui::InputText("###path", &path_text_, ImGuiInputTextFlags_EnterReturnsTrue))
    go_or_finish(state, path_of(path_text_));
  note_item("browser.path");
  note_text(path_text_);
  typing_path_ = ImGui::IsItemActive();
}

void FileBrowser::draw_places(FrameState& state, ImVec2 size) {
  compat::begin_child("places", size, false);
  const auto place = [&](const std::string& label, const std::string& path, const char* id) {
    if (ImGui::Selectable((label + "###" + id).c_str(), folder_ == path)) go(state, path);
  };
  dim_text(tr("browser.places"));
  place(tr("browser.home"), home_folder(), "home");
  if (const std::string desktop = home_folder() + "/Desktop"; is_folder(desktop))
    place(tr("browser.desktop"), desktop, "desktop");
  place(tr("browser.root"), "/", "root");
  if (request_->models && !state.settings.recent.empty()) {
    ImGui::Dummy(ImVec2(1, px(4)));
    dim_text(tr("browser.recent"));
    int number = 0;
    for (const std::string& path : state.settings.recent) {
      const WithId scope(number++);
      note_text(path);
      if (ImGui::Selectable((shortened(file_name(path), size.x - px(8)) + "###recent").c_str()))
        finish(state, path);
      compat::item_tooltip(path.c_str());
    }
  }
  ImGui::EndChild();
}

bool FileBrowser::draw_row(FrameState& state, int row) {
  const FolderEntry& entry = list_.entries[static_cast<std::size_t>(shown_[static_cast<std::size_t>(row)])];
  const float height = ImGui::GetTextLineHeight() + px(8), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const WithId scope(row);
  const bool clicked = ImGui::Selectable(
      "###entry", row == at_, ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups,
      ImVec2(0, height));
  note_item("browser.entry." + entry.name);
  if (clicked) {
    at_ = row;
    if (request_->save && !entry.is_folder()) name_ = entry.name;
  }
  const bool twice = clicked && ImGui::IsMouseDoubleClicked(0);
  const float y = at.y + px(4), side = px(15);
  draw_sign(entry.kind, ImVec2(at.x + px(6), y + px(1)), side);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool picture = request_->pictures && !entry.is_folder();
  const bool any = !request_->models && !request_->save && !request_->pictures;  // any file can be chosen
  const bool known = picture || any || entry.kind != FolderEntry::Kind::file;
  const float room = width - px(kKind + kSize + kDate + 34);
  list->AddText(ImVec2(at.x + px(30), y), known ? theme().text : theme().text_dim,
                shortened(entry.name, room).c_str());
  const float kind_x = at.x + width - px(kKind + kSize + kDate);
  const bool strong = known && !any && entry.kind != FolderEntry::Kind::folder;
  list->AddText(ImVec2(kind_x, y), strong ? theme().accent : theme().text_dim,
                tr(picture ? "browser.picture" : kind_key(entry.kind)));
  const std::string size = entry.is_folder() ? std::string() : format_bytes(entry.bytes);
  list->AddText(ImVec2(kind_x + px(kKind + kSize - 14) - ImGui::CalcTextSize(size.c_str()).x, y),
                theme().text_dim, size.c_str());
  list->AddText(ImVec2(kind_x + px(kKind + kSize), y), theme().text_dim, entry.date.c_str());
  if (!twice) return false;
  if (request_->save && entry.is_folder())
    go(state, entry.path);
  else
    choose(state);
  return true;
}

void FileBrowser::draw_list(FrameState& state, ImVec2 size) {
  compat::begin_child("files", size, true);
  const float height = ImGui::GetTextLineHeight() + px(8);
  {
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), 0));
    if (scroll_ && !shown_.empty()) {
      const float top = static_cast<float>(at_) * height, room = ImGui::GetWindowHeight() - px(24);
      if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
      if (top + height > ImGui::GetScrollY() + room) ImGui::SetScrollY(top + height - room);
      scroll_ = false;
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown_.size()), height);
    bool left = false;
    while (clipper.Step())
      for (int row = clipper.DisplayStart; row < clipper.DisplayEnd && !left; ++row)
        left = draw_row(state, row);
    clipper.End();
  }
  if (reading_.waits())
    dim_text(tr("browser.reading"));
  else if (shown_.empty() && complaint_.empty())
    dim_text(tr(filter_.empty() ? "browser.empty" : "browser.no_match"));
  ImGui::EndChild();
}

void FileBrowser::draw_foot(FrameState& state, float width) {
  const bool save = request_->save;
  const float field = width * 0.42f;
  if (std::exchange(take_keyboard_, false) && !typing_path_) {
    if (ImGui::IsAnyItemActive()) ImGui::ClearActiveID();
    focus_ = true;
  }
  const bool focus = std::exchange(focus_, false);
  if (focus) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(field);
  if (save) {
    ImGui::InputTextWithHint("###name", tr("browser.name"), &name_);
  } else {
    const WithId scope(fields_);
    ImGui::InputTextWithHint("###filter", tr("browser.filter"), &filter_);
  }
  note_item("browser.name");
  note_text(save ? name_ : filter_);
  ImGui::SameLine();
  ImGui::Checkbox(Label(tr("browser.hidden"), "###hidden").c_str(), &state.settings.hidden_files);
  const FolderEntry* entry = selected();
  const bool replaces = save && !name_.empty() && exists(target()) && !is_folder(target());
  const std::string go_label = tr(save ? replaces ? "browser.replace" : "browser.save" : "browser.open");
  const std::string cancel = tr("frame.cancel"), inside = tr("browser.inside");
  const bool model = request_->models && entry && entry->kind == FolderEntry::Kind::model;
  float buttons = button_width(go_label) + button_width(cancel) + ImGui::GetStyle().ItemSpacing.x;
  if (model) buttons += button_width(inside) + ImGui::GetStyle().ItemSpacing.x;
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + width - buttons);
  if (model) {
    if (ImGui::Button((inside + "###inside").c_str())) go(state, entry->path);
    ImGui::SameLine();
  }
  if (ImGui::Button((cancel + "###cancel").c_str())) close_ = true;
  ImGui::SameLine();
  if (primary_button(go_label + "###choose")) choose(state);
}

void FileBrowser::draw(FrameState& state) {
  if (state.browse && !request_) begin(state);
  if (!request_) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(px(860), screen.x - px(40)), std::min(px(560), screen.y - px(40)));
  centre_next_window();
  ImGui::SetNextWindowSize(size);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(16), px(14)));
  if (!ImGui::BeginPopupModal("###browser", nullptr, kFileBrowserDialog)) {
    request_.reset();
    return;
  }
  take_reading();
  refilter(state);
  keys(state);
  {
    const WithFont face(fonts().title);
    ImGui::TextUnformatted(tr(request_->title));
  }
  const float width = ImGui::GetContentRegionAvail().x;
  draw_path(state, width);
  const float foot = ImGui::GetFrameHeightWithSpacing() +
                     (complaint_.empty() ? 0.f : ImGui::GetTextLineHeightWithSpacing() * 2);
  const float middle = std::max(px(80), ImGui::GetContentRegionAvail().y - foot);
  draw_places(state, ImVec2(px(kPlaces), middle));
  ImGui::SameLine();
  draw_list(state, ImVec2(width - px(kPlaces) - ImGui::GetStyle().ItemSpacing.x, middle));
  if (!complaint_.empty()) {
    note_text(complaint_);
    wrapped_text(complaint_, theme().error);
    note_item("browser.complaint");
  }
  draw_foot(state, width);
  if (close_) {
    ImGui::CloseCurrentPopup();
    request_.reset();
  }
  ImGui::EndPopup();
}

}  // namespace attnscope
