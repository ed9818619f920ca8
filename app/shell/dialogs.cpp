#include "app/shell/dialogs.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;
constexpr ImGuiWindowFlags kDialog = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoTitleBar |
                                     ImGuiWindowFlags_AlwaysAutoResize;
constexpr float kColumn = 340.f, kKeys = 118.f, kLine = 19.f;

/// Opens the popup when asked; true while it is drawn. End with end_dialog().
bool begin_dialog(const char* id, bool& ask) {
  if (ask) ImGui::OpenPopup(id);
  ask = false;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(screen.x / 2, screen.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  return ImGui::BeginPopupModal(id, nullptr, kDialog);
}

void end_dialog(const char* opened_by) {
  ImGui::Dummy(ImVec2(1, px(4)));
  const bool close = ImGui::Button((std::string(tr("frame.close")) + "###close").c_str());
  note_item("close");
  const auto& keys = find_action(opened_by)->keys;
  const bool again = !ImGui::IsWindowAppearing() && !keys.empty() &&
                     compat::key_pressed(keys.front().key, false) &&
                     keys.front().ctrl == ImGui::GetIO().KeyCtrl;
  if (close || escape_pressed() || again) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

void heading(const char* text) {
  const WithFont face(fonts().title);
  ImGui::TextUnformatted(text);
}

// ---- help ----
std::string all_keys(const Action& action) {
  std::string out;
  for (const Chord& chord : action.keys) out += (out.empty() ? "" : "  ") + chord_text(chord);
  return out;
}

void draw_group(const KeyGroup& group, float width) {
  {
    const WithFont bold(fonts().body_bold);
    ImGui::TextUnformatted(group.title.c_str());
  }
  for (const auto& [keys, what] : group.lines) {
    const float x = ImGui::GetCursorPosX();
    {
      const WithFont face(fonts().mono);
      const WithColour ink(ImGuiCol_Text, theme().accent);
      ImGui::TextUnformatted(keys.c_str());
    }
    ImGui::SameLine(0, 0);
    ImGui::SetCursorPosX(std::max(x + px(kKeys), ImGui::GetCursorPosX() + px(8)));
    const float room = x + width - ImGui::GetCursorPosX() - px(12);
    const std::string shown = shortened(what, room);
    ImGui::TextUnformatted(shown.c_str());
    if (shown != what) compat::item_tooltip(what.c_str());
  }
  ImGui::Dummy(ImVec2(1, px(6)));
}

constexpr float kHeading = 1.6f;  // lines that a group takes beside its own

// Fills the columns one after the other, groups whole.
void draw_groups(const std::vector<KeyGroup>& groups, int columns, float each, float target) {
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(3)));
  const ImVec2 corner = ImGui::GetCursorPos();
  std::size_t next = 0;
  float taken = 0, lowest = corner.y;
  for (int column = 0; column < columns; ++column) {
    const float end = target * static_cast<float>(column + 1);
    float y = corner.y;
    for (; next < groups.size(); ++next) {
      const float wanted = static_cast<float>(groups[next].lines.size()) + kHeading;
      if (column + 1 < columns && taken > 0 && taken + wanted / 2 > end) break;
      ImGui::SetCursorPos(ImVec2(corner.x + each * static_cast<float>(column), y));
      ImGui::BeginGroup();
      draw_group(groups[next], each);
      ImGui::EndGroup();
      y = ImGui::GetCursorPosY();
      taken += wanted;
    }
    lowest = std::max(lowest, y);
  }
  ImGui::SetCursorPosY(lowest);
}

void draw_key_columns(const std::vector<KeyGroup>& groups, float width, float most_height) {
  const int columns = std::clamp(static_cast<int>(width / px(kColumn)), 1, 3);
  float lines = 0;
  for (const KeyGroup& group : groups) lines += static_cast<float>(group.lines.size()) + kHeading;
  const float target = lines / static_cast<float>(columns);
  compat::begin_child("keys", ImVec2(width, std::min(most_height, px(kLine) * (target + 5))), false);
  draw_groups(groups, columns, width / static_cast<float>(columns), target);
  ImGui::EndChild();
}

// ---- settings ----
void setting(const char* key) {
  ImGui::AlignTextToFramePadding();
  dim_text(tr(key));
  ImGui::SameLine(px(150));
}

// Two words of which one is on; the action goes from one to the other.
void either(FrameState& state, const char* action, const char* off, const char* on) {
  const bool is_on = is_checked(*find_action(action), state);
  if (raised_button(std::string(tr(off)) + "###" + off, !is_on) && is_on) perform(state, action);
  ImGui::SameLine(0, px(6));
  if (raised_button(std::string(tr(on)) + "###" + on, is_on) && !is_on) perform(state, action);
}

void draw_languages(FrameState& state) {
  bool first = true;
  for (const Choice& choice : choices(state, Takes::language)) {
    if (!std::exchange(first, false)) ImGui::SameLine(0, px(6));
    note_text(choice.title);
    if (raised_button(choice.title + "###language_" + choice.argument, language() == choice.argument))
      perform(state, "view.set_language", choice.argument);
  }
}

void draw_size(FrameState& state) {
  if (raised_button("\u2212###size_less")) perform(state, "view.smaller");
  ImGui::SameLine(0, px(6));
  const float zoom = state.presenter.on ? state.presenter.zoom : state.settings.zoom;
  if (raised_button(format("%.0f %%", static_cast<double>(zoom) * 100) + "###size_usual", zoom == 1.f))
    perform(state, "view.usual_size");
  ImGui::SameLine(0, px(6));
  if (raised_button("+###size_more")) perform(state, "view.larger");
}

}  // namespace

std::vector<KeyGroup> key_groups() {
  std::vector<KeyGroup> groups(kMenus + 1);
  for (int i = 0; i < kMenus; ++i)
    groups[static_cast<std::size_t>(i)].title = tr(std::string("toolbar.") + menu_name(static_cast<Menu>(i)));
  groups.back().title = tr("palette.presenter");
  for (const Action& action : actions()) {
    if (action.keys.empty()) continue;
    Menu menu = action.menu;
    if (menu == Menu::none) menu = action.id.starts_with("walk.") ? Menu::walk : Menu::help;
    const auto at = action.scope == KeyScope::presenter ? groups.size() - 1 : static_cast<std::size_t>(menu);
    groups[at].lines.emplace_back(all_keys(action), action_name(action));
  }
  auto& edits = groups[static_cast<std::size_t>(Menu::edit)].lines;  // what the figures listen to themselves
  edits.emplace_back(chord_text({Key::enter}), tr("keys.type_number"));
  edits.emplace_back(tr("keys.right_button"), tr("keys.menu"));
  return groups;
}

void draw_help(FrameState& state) {
  if (!begin_dialog("###keys_help", state.show_keys)) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(px(3 * kColumn), screen.x - px(60));
  const std::string view = state.workspace.view, own = "help.view." + view;
  heading(tr("view." + view));
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  const std::string text = has_string(own) ? tr(own) : tr("view." + view + ".help");
  note_text(text);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::Dummy(ImVec2(width, px(4)));
  const float used = ImGui::GetCursorPosY() + px(90);
  draw_key_columns(key_groups(), width, std::max(px(120), screen.y - used));
  end_dialog("help.keys");
}

void draw_settings(FrameState& state) {
  if (!begin_dialog("###settings", state.show_settings)) return;
  heading(tr("settings.title"));
  ImGui::Dummy(ImVec2(px(440), px(2)));
  setting("settings.language");
  draw_languages(state);
  setting("settings.size");
  draw_size(state);
  setting("settings.theme");
  either(state, "view.theme", "settings.dark", "settings.light");
  setting("settings.contrast");
  either(state, "view.contrast", "settings.contrast.usual", "settings.contrast.high");
  setting("settings.colours");
  either(state, "view.safe_colours", "settings.colours.usual", "settings.colours.safe");
  setting("settings.motion");
  either(state, "view.animate", "settings.motion.off", "settings.motion.on");
  ImGui::Dummy(ImVec2(1, px(2)));
  dim_text(tr("settings.kept"));
  end_dialog("view.settings");
}

void draw_about(FrameState& state) {
  if (!begin_dialog("###about", state.show_about)) return;
  heading("attnscope 0.1.0");
  ImGui::Dummy(ImVec2(px(420), px(2)));
  wrapped_text(tr("frame.about"), theme().text_dim);
  end_dialog("help.about");
}

}  // namespace attnscope
