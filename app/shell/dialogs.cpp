#include "app/shell/dialogs.h"

#include <algorithm>

#include "app/gpu/gl_context.h"
#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/widgets/clipboard.h"
#include "app/widgets/pieces.h"
#include "core/base/percent.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/about.h"

namespace attnscope {
namespace {

using compat::Key;
constexpr ImGuiWindowFlags kDialog = ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoTitleBar |
                                     ImGuiWindowFlags_AlwaysAutoResize;

}  // namespace

bool begin_dialog(const char* id, bool& ask) {
  if (ask) ImGui::OpenPopup(id);
  ask = false;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(screen.x / 2, screen.y / 2), ImGuiCond_Always, ImVec2(0.5f, 0.5f));
  return ImGui::BeginPopupModal(id, nullptr, kDialog);
}

void end_dialog(const char* opened_by, const char* hint) {
  ImGui::Dummy(ImVec2(1, px(4)));
  const bool close = ImGui::Button(Label(tr("frame.close"), "###close").c_str());
  note_item("close");
  if (hint) {
    ImGui::SameLine(0, px(14));
    dim_text(hint);
  }
  const auto& keys = find_action(opened_by)->keys;
  const bool again = !ImGui::IsWindowAppearing() && !keys.empty() &&
                     compat::key_pressed(keys.front().key, false) &&
                     keys.front().ctrl == ImGui::GetIO().KeyCtrl;
  if (close || escape_pressed() || again) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

namespace {

void dialogs_heading(const char* text) {
  const WithFont face(fonts().title);
  ImGui::TextUnformatted(text);
}

std::string all_keys(const Action& action) {
  std::string out;
  for (const Chord& chord : action.keys)
    if (!chord.untold) out += (out.empty() ? "" : ", ") + chord_text(chord);
  return out;
}

// ---- settings ----
void setting(const char* key) {
  ImGui::AlignTextToFramePadding();
  dim_text(tr(key));
  ImGui::SameLine(px(150));
}

// Two words, one highlighted; clicking runs the action that toggles them.
void either(FrameState& state, const char* action, const char* off, const char* on) {
  const bool is_on = is_checked(*find_action(action), state);
  if (raised_button(Label(tr(off), "###", off), !is_on) && is_on) perform(state, action);
  ImGui::SameLine(0, px(6));
  if (raised_button(Label(tr(on), "###", on), is_on) && !is_on) perform(state, action);
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
  if (raised_button(percent_text(static_cast<double>(zoom), 0) + "###size_usual", zoom == 1.f))
    perform(state, "view.usual_size");
  ImGui::SameLine(0, px(6));
  if (raised_button("+###size_more")) perform(state, "view.larger");
}

}  // namespace

std::vector<KeyGroup> key_groups(Level level) {
  std::vector<KeyGroup> groups(kMenus + 1);
  for (int i = 0; i < kMenus; ++i)
    groups[static_cast<std::size_t>(i)].title = tr(std::string("toolbar.") + menu_name(static_cast<Menu>(i)));
  groups.back().title = tr("palette.presenter");
  for (const Action& action : actions()) {
    if (!has_keys(action, level)) continue;
    Menu menu = action.menu;
    if (menu == Menu::none) menu = action.id.starts_with("walk.") ? Menu::walk : Menu::help;
    const auto at = action.scope == KeyScope::presenter ? groups.size() - 1 : static_cast<std::size_t>(menu);
    const bool question =
        level == Level::easy && action.id.starts_with("view.") && find_view(action.argument);
    groups[at].lines.emplace_back(all_keys(action), question
                                                        ? tr(Label("figure.", action.argument, ".question"))
                                                        : action_name(action));
  }
  auto& edits = groups[static_cast<std::size_t>(Menu::edit)].lines;  // keys that figures handle themselves
  if (level == Level::full) edits.emplace_back(chord_text({Key::enter}), tr("keys.type_number"));
  edits.emplace_back(tr("keys.right_button"), tr("keys.menu"));
  return groups;
}

void draw_settings(FrameState& state) {
  if (!begin_dialog("###settings", state.show_settings)) return;
  dialogs_heading(tr("settings.title"));
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

namespace {

struct LeaveAnswer {
  const char *key, *id;
  void (*take)(FrameState& state);
};
constexpr int kLeaveAnswers = 4;
constexpr LeaveAnswer kLeave[kLeaveAnswers] = {{"leave.keep", "leave_keep", leave_and_keep},
                                               {"leave.save", "leave_save", leave_and_save},
                                               {"leave.discard", "leave_discard", leave_and_discard},
                                               {"leave.stay", "leave_stay", leave_not}};

// Index of the button for a key of this frame; -1: none. Arrows and Tab move to another button.
int leave_by_key(int& at) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsWindowAppearing()) return -1;  // the key that opened the dialog
  if (escape_pressed()) return 3;
  if (io.KeyCtrl && compat::key_pressed(Key::q, false)) return 0;
  if (io.KeyCtrl && compat::key_pressed(Key::s, false)) return 1;
  const bool tab = compat::key_pressed(Key::tab, false);
  const bool back = compat::key_pressed(Key::left, false) || (tab && io.KeyShift);
  if (back)
    at = (at + kLeaveAnswers - 1) % kLeaveAnswers;
  else if (tab || compat::key_pressed(Key::right, false))
    at = (at + 1) % kLeaveAnswers;
  const bool taken = compat::key_pressed(Key::enter, false) || compat::key_pressed(Key::space, false);
  return taken ? at : -1;
}

void answer_leaving(FrameState& state) {
  int answer = leave_by_key(state.leave.at);
  for (int i = 0; i < kLeaveAnswers; ++i) {
    if (i > 0) ImGui::SameLine(0, px(8));
    const Label label(tr(kLeave[i].key), "###", kLeave[i].id);
    if (i == state.leave.at ? primary_button(label) : raised_button(label)) answer = i;
    note_item(kLeave[i].id);
  }
  if (answer < 0) return;
  ImGui::CloseCurrentPopup();
  kLeave[answer].take(state);
}

}  // namespace

void draw_leaving(FrameState& state) {
  follow_leaving(state);
  Leaving& leave = state.leave;
  if (leave.ask) {
    leave.asked = true;
    leave.at = 0;
    state.popup_by_key = false;  // keys are handled here
  }
  if (!begin_dialog("###leaving", leave.ask)) {
    leave.asked = false;
    return;
  }
  dialogs_heading(tr("leave.title"));
  ImGui::Dummy(ImVec2(px(470), px(2)));
  const auto opened = asked_about(state);
  const std::string title = opened ? opened_title(*opened) : std::string();
  note_text(title);
  wrapped_text(tr("leave.text", {title}), theme().text);
  if (const int others = others_set_aside(state); others > 0)
    wrapped_text(tr("leave.others", {std::to_string(others)}), theme().text_dim);
  ImGui::Dummy(ImVec2(1, px(2)));
  answer_leaving(state);
  ImGui::Dummy(ImVec2(1, px(2)));
  dim_text(tr("leave.keys"));
  ImGui::EndPopup();
}

void draw_about(FrameState& state) {
  if (!begin_dialog("###about", state.show_about)) return;
  dialogs_heading("attnscope");
  ImGui::Dummy(ImVec2(px(420), px(2)));
  wrapped_text(tr("frame.about"), theme().text_dim);
  ImGui::Dummy(ImVec2(1, px(2)));
  std::string about = about_text();
  if (const std::string graphics = renderer_name(); !graphics.empty())
    about += "\n" + tr("about.graphics", {graphics});
  wrapped_text(about, theme().text);
  if (raised_button(Label(tr("about.copy"), "###about_copy"))) copy_text(about);
  note_item("about_copy");
  end_dialog("help.about");
}

void draw_outside(FrameState& state) {
  constexpr const char* kId = "###outside";
  const auto path = state.asked_outside();
  bool ask = path && !ImGui::IsPopupOpen(kId);
  if (!begin_dialog(kId, ask)) return;
  dialogs_heading(tr("outside.title"));
  ImGui::Dummy(ImVec2(px(460), px(2)));
  wrapped_text(tr("outside.what"), theme().text);
  {
    const WithFont mono(fonts().mono);
    wrapped_text(quoted_path(path.value_or("")), theme().accent);
  }
  wrapped_text(tr("outside.why"), theme().text_dim);
  ImGui::Dummy(ImVec2(1, px(4)));
  const bool leave = raised_button(Label(tr("outside.leave"), "###outside_leave")) || escape_pressed();
  note_item("outside_leave");
  ImGui::SameLine();
  const bool read = raised_button(Label(tr("outside.read"), "###outside_read"));
  note_item("outside_read");
  if (!path || leave || read) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (path && (leave || read)) state.answer_outside(read);
}

}  // namespace attnscope
