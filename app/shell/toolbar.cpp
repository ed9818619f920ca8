#include "app/shell/toolbar.h"

#include <algorithm>
#include <array>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/shell/measure_box.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool begin_menu(std::string_view title, std::string_view name) {
  const bool open = ImGui::BeginMenu(Label(title, "###", name).c_str());
  if (!open) note_item(name);  // otherwise the last item is the menu's window
  return open;
}

// Menu items for the possible arguments of an action.
void choice_lines(FrameState& state, const Action& action) {
  for (const Choice& choice : choices(state, action.takes)) {
    const std::string name = action.id + "." + choice.argument;
    note_text(choice.title);
    const bool on = is_checked(action, state, choice.argument);
    if (ImGui::MenuItem((shortened(choice.title, px(420)) + "###" + name).c_str(), nullptr, on))
      perform(state, action.id, choice.argument);
    note_item(name);
    if (!choice.help.empty()) compat::item_tooltip(choice.help.c_str());
  }
}

void action_line(FrameState& state, const Action& action) {
  const std::string title = action_text(action, state), key = action_key(action),
                    why = why_not(action, state);
  if (action.takes != Takes::nothing) {
    if (choices(state, action.takes).empty() || !begin_menu(title, action.id)) return;
    choice_lines(state, action);
    ImGui::EndMenu();
    return;
  }
  const bool chosen =
      ImGui::MenuItem((title + "###" + action.id).c_str(), key.empty() ? nullptr : key.c_str(),
                      is_checked(action, state), why.empty());
  note_item(action.id);
  if (!why.empty()) compat::item_tooltip(why.c_str(), true);
  if (chosen) perform(state, action.id);
}

void menu(FrameState& state, Menu which) {
  const Label name("toolbar.", menu_name(which));
  if (!begin_menu(tr(name), name)) return;
  {
    const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(11), px(5)));
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(which == Menu::walk ? 4 : 7)));
    for (const Action& action : actions()) {
      if (action.menu != which) continue;
      if (action.line_above) ImGui::Separator();
      action_line(state, action);
    }
    if (escape_pressed()) ImGui::CloseCurrentPopup();
  }
  ImGui::EndMenu();
}

void menus(FrameState& state) {
  if (std::exchange(state.open_menu, false)) {  // the same ID as in BeginMenu
    ImGui::OpenPopup(Label(tr("toolbar.file"), "###toolbar.file").c_str());
    state.popup_by_key = true;
  }
  for (int which = 0; which < kMenus; ++which) menu(state, static_cast<Menu>(which));
}

void chooser(FrameState& state, const std::string& label) {
  if (raised_button({label, "###chooser"})) ImGui::OpenPopup("###chooser_popup");
  const ImVec2 low(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + px(4));
  compat::item_tooltip(tr("toolbar.chooser.help"));
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  ImGui::SetNextWindowPos(low, ImGuiCond_Appearing);
  if (!ImGui::BeginPopup("###chooser_popup")) return;
  for (const char* id : {"file.open_model", "file.open_scene", "file.open_path"}) {
    const Action& action = *find_action(id);
    if (choices(state, action.takes).empty()) continue;
    dim_text(action_name(action));
    choice_lines(state, action);
    ImGui::Separator();
  }
  action_line(state, *find_action("file.open"));
  ImGui::EndPopup();
}

const std::string& chooser_label(const FrameState& state, float room) {
  static KeptTexts kept;
  const auto& opened = state.session.document().opened;
  Hash hash;
  if (opened) hash.take(opened->path), hash.take(opened->title);
  return kept.get(text_key({hash.value(), opened != nullptr, static_cast<std::uint64_t>(room)}), [&] {
    const std::string title = opened ? opened_title(*opened) : std::string(tr("toolbar.nothing_open"));
    note_text(title);
    return shortened(title, room) + " \u25be";
  });
}

// A toggle of the whole window, an action of the table. `help`: string key, or null.
struct ToolbarSwitch {
  const char *action, *name, *label, *help;
};

bool draw_switch(FrameState& state, const ToolbarSwitch& what) {
  const Action& action = *find_action(what.action);
  const bool shown_on = action.id != "view.theme" && is_checked(action, state);
  ImGui::BeginDisabled(!is_possible(action, state));
  if (raised_button({tr(what.label), "###", what.name}, shown_on)) perform(state, action.id);
  ImGui::EndDisabled();
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return true;
  const std::string key = action_key(action), why = why_not(action, state),
                    help = !why.empty() ? why
                           : what.help  ? tr(what.help)
                                        : action_name(action);
  compat::item_tooltip(key.empty() ? help.c_str() : tr("toolbar.with_key", {help, key}).c_str());
  return true;
}

// Tooltip: which run the difference is taken from.
const char* difference_help(const Session& session) {
  if (session.pinned()) return "toolbar.difference.help.pinned";
  return session.previous() ? "toolbar.difference.help" : "toolbar.difference.help.none";
}

constexpr float kLeastChooser = 110;  // minimum width of the button with the model's name, units

bool several_languages() {
  static const bool several = languages().size() > 1;
  return several;
}

void switches(FrameState& state, ImVec2 position, ImVec2 size) {
  const bool dark = theme().kind == ThemeKind::dark;
  const ToolbarSwitch rows[] = {
      {"view.level", "level", "toolbar.to_easy", "toolbar.level.help"},
      {"compare.pin", "pin", "compare.pin", "compare.pin.help"},
      {"compare.difference", "difference", "toolbar.difference_short", difference_help(state.session)},
      {"view.language", "language", "toolbar.language", nullptr},
      {"view.theme", "theme", dark ? "toolbar.to_light" : "toolbar.to_dark", "toolbar.theme.help"},
      {"file.export", "export", "toolbar.export_short", "toolbar.export.help"}};
  // When there is no room for all, toggles that are also in a menu are hidden, the last one first; then the
  // model's name is truncated.
  std::array<bool, std::size(rows)> shown{true, true, true, several_languages(), true, true};
  const auto needed = [&](float name) {
    float width = std::min(button_width(chooser_label(state, px(220))), name) + px(14);
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (shown[i]) width += button_width(tr(rows[i].label)) + px(14);
    return width;
  };
  for (std::size_t i = shown.size(); i-- > 1 && needed(px(kLeastChooser)) > size.x;) shown[i] = false;
  const float spare = size.x - needed(0) - 2 * ImGui::GetStyle().FramePadding.x;
  const std::string& open = chooser_label(state, std::clamp(spare, px(40), px(220)));
  const float width = needed(button_width(open));
  ImGui::SetCursorScreenPos(
      ImVec2(position.x + size.x - width, position.y + (size.y - ImGui::GetFrameHeight()) / 2));
  const ImVec2 left = ImGui::GetCursorScreenPos();
  draw_measure_box(state, left.x - px(14), left.y + ImGui::GetFrameHeight() / 2,
                   left.x - px(14) - position.x);
  ImGui::SetCursorScreenPos(left);
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(14), px(7)));
  chooser(state, open);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    ImGui::SameLine();
    draw_switch(state, rows[i]);
  }
}

// "easy | full": both words, the level that is shown lit.
void level_switch(FrameState& state) {
  const bool easy = state.workspace.level == Level::easy;
  const WithVar tight(ImGuiStyleVar_ItemSpacing, ImVec2(px(2), px(7)));
  if (raised_button({tr("toolbar.easy"), "###easy"}, easy) && !easy) perform(state, "view.level");
  compat::item_tooltip(tr("toolbar.level.help"));
  ImGui::SameLine();
  if (raised_button({tr("toolbar.full"), "###full"}, !easy) && easy) perform(state, "view.level");
  compat::item_tooltip(tr("toolbar.level.help"));
}

// All that a lecturer needs: the figure alone on the whole screen, the theme, the lectures, a picture to
// keep.
void present_menu(FrameState& state) {
  if (raised_button({tr("toolbar.present"), "###present"})) ImGui::OpenPopup("###present_popup");
  compat::item_tooltip(tr("toolbar.present.help"));
  popup_below_item(true);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
  if (!ImGui::BeginPopup("###present_popup")) return;
  action_line(state, *find_action("view.present"));
  action_line(state, *find_action("view.theme"));
  ImGui::Separator();
  dim_text(tr("toolbar.present.lectures"));
  choice_lines(state, *find_action("lecture.open"));
  ImGui::Separator();
  action_line(state, *find_action("file.export"));
  ImGui::EndPopup();
}

}  // namespace

void draw_easy_toolbar(FrameState& state, ImVec2 position, ImVec2 size) {
  const float y = position.y + (size.y - ImGui::GetFrameHeight()) / 2;
  ImGui::SetCursorScreenPos(ImVec2(position.x + px(20), y));
  ImGui::AlignTextToFramePadding();
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted("attnscope");
  }
  const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(10), px(7)));
  ImGui::SameLine(0, px(22));
  chooser(state, chooser_label(state, std::min(px(420), size.x * 0.3f)));
  ImGui::SameLine();
  draw_switch(state, {"learn.list", "lessons", "toolbar.lessons_short", nullptr});
  const ToolbarSwitch right[] = {{"edit.undo", "undo", "toolbar.undo_short", nullptr},
                                 {"view.language", "language", "toolbar.language", nullptr}};
  float width = button_width(tr("toolbar.easy")) + button_width(tr("toolbar.full")) + px(12) +
                button_width(tr("toolbar.present")) + px(10);
  for (const ToolbarSwitch& one : right) width += button_width(tr(one.label)) + px(10);
  ImGui::SetCursorScreenPos(ImVec2(position.x + size.x - width - px(14), y));
  present_menu(state);
  ImGui::SameLine();
  for (const ToolbarSwitch& one : right) {
    draw_switch(state, one);
    ImGui::SameLine();
  }
  level_switch(state);
}

void draw_toolbar(FrameState& state, ImVec2 position, ImVec2 size) {
  ImGui::SetCursorScreenPos(position);
  float left = px(420);
  {
    const WithVar tall(ImGuiStyleVar_FramePadding, ImVec2(px(8), (size.y - ImGui::GetFontSize()) / 2));
    const WithVar spacing(ImGuiStyleVar_ItemSpacing, ImVec2(px(8), px(7)));
    const WithColour border(ImGuiCol_Border, IM_COL32_BLACK_TRANS);
    compat::begin_child("toolbar", ImVec2(std::max(1.f, size.x), size.y), false,
                        ImGuiWindowFlags_MenuBar | ImGuiWindowFlags_NoScrollbar);
    if (ImGui::BeginMenuBar()) {
      const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
      ImGui::SetCursorPosX(px(metric::kPadding));
      {
        const WithFont face(fonts().body_bold);
        ImGui::TextUnformatted("attnscope");
      }
      menus(state);
      left = ImGui::GetCursorScreenPos().x - position.x + px(4);
      ImGui::EndMenuBar();
    }
    ImGui::EndChild();
  }
  // In a child window: the menu bar would centre only one line vertically.
  ImGui::SetCursorScreenPos(ImVec2(position.x + left, position.y));
  compat::begin_child("switches", ImVec2(std::max(1.f, size.x - left), size.y - 1), false,
                      ImGuiWindowFlags_NoScrollbar);
  switches(state, ImVec2(position.x + left, position.y), ImVec2(size.x - left, size.y));
  ImGui::EndChild();
}

}  // namespace attnscope
