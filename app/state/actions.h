// The table of all user actions, one row each: menus, toolbar, keyboard, the list of keys (F1), the palette,
// lessons and tests read it. A new action is a row in actions_GROUP.cpp, its text "action.<id>" in
// assets/strings/{en,ko}/actions.json, and its id in assets/names.json. Rows hold plain function pointers
// without captures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/look/imgui_compat.h"
#include "core/session/session.h"
#include "core/view/view.h"

namespace attnscope {

struct FrameState;

/// A key with its modifiers.
struct Chord {
  compat::Key key = compat::Key::escape;
  bool ctrl = false, shift = false;
  bool untold = false;  ///< an alternative key of the same character: not on the page of keys
  bool operator==(const Chord&) const = default;
};
/// As printed on keys: "Ctrl+Shift+S", "←".
std::string chord_text(const Chord& chord);

/// When the keys of an action are active.
enum class KeyScope : std::uint8_t {
  everywhere,  ///< even while a text field has the focus
  window,      ///< while no text field has the focus
  presenter    ///< while presenting, with priority over `window`
};

/// Whether a key of scope `everywhere` is also active while a popup is open.
enum class OverPopups : std::uint8_t {
  no,
  lists,   ///< over lists and menus, which are then closed
  dialogs  ///< even over a dialog
};

/// The menu of an action; in the order of the menu bar.
enum class Menu : std::uint8_t { file, edit, view, walk, run, learn, help, none };
constexpr int kMenus = static_cast<int>(Menu::none);
/// "file": string key "toolbar.file".
const char* menu_name(Menu menu);

/// Argument type of an action; choices() lists the possible values.
enum class Takes : std::uint8_t { nothing, model, scene, lesson, lecture, lab, path, language, site };

struct Action {
  using WhyNot = const char* (*)(const FrameState& state);
  using Checked = bool (*)(const FrameState& state, std::string_view argument);
  using Run = void (*)(FrameState& state, std::string_view argument);
  using Label = std::string (*)(const FrameState& state);

  std::string id;  ///< "file.open": stable, used by lessons and saved files
  Run run = nullptr;
  Menu menu = Menu::none;
  std::vector<Chord> keys = {};
  KeyScope scope = KeyScope::window;
  WhyNot why_not = nullptr;   ///< string key of why it is disabled now; null if enabled
  Checked checked = nullptr;  ///< null: not a toggle
  Takes takes = Takes::nothing;
  std::string argument = {};  ///< default argument of `run`
  std::string text = {};      ///< string key; empty: "action.<id>"
  Label label = nullptr;      ///< a label that depends on the state, instead of `text`
  OverPopups over = OverPopups::no;
  bool repeats = false;       ///< while its key is held down
  bool line_above = false;    ///< a separator above it in its menu
  Level level = Level::full;  ///< easy: its keys work in the easy window too; full: only beside all panels
};

/// The row with a key that is heard at both levels, while text is typed and over open lists.
Action everywhere(Action row);

/// Every action: those of the groups in the order of the menus, and one per view.
const std::vector<Action>& actions();
/// Null if there is no such action.
const Action* find_action(std::string_view id);
/// Label of its menu item in the current state.
std::string action_text(const Action& action, const FrameState& state);
/// Its label without state.
std::string action_name(const Action& action);
/// Its first key as text; empty if it has none.
std::string action_key(const Action& action);
/// True where its keys are listened to at this level; in the easy window few are.
bool has_keys(const Action& action, Level level);
bool is_possible(const Action& action, const FrameState& state);
/// One sentence: why it is disabled now; empty if it is enabled.
std::string why_not(const Action& action, const FrameState& state);
/// Values for Action::why_not: no model is open; the open model cannot run.
const char* nothing_open(const FrameState& state);
const char* no_model(const FrameState& state);
bool is_checked(const Action& action, const FrameState& state, std::string_view argument = {});
/// Runs an action as its key or menu item does. Returns false and does nothing if the id is unknown or the
/// action is disabled. An empty argument means the default argument of the action.
bool perform(FrameState& state, std::string_view id, std::string_view argument = {});

/// One possible argument of an action.
struct Choice {
  std::string argument, title, help;
};
std::vector<Choice> choices(FrameState& state, Takes takes);

/// The rows of each group, one file each.
std::vector<Action> file_actions();
std::vector<Action> edit_actions();
std::vector<Action> view_actions();
std::vector<Action> walk_actions();
std::vector<Action> run_actions();
std::vector<Action> compare_actions();
std::vector<Action> present_actions();
std::vector<Action> learn_actions();
std::vector<Action> lecture_actions();
std::vector<Action> help_actions();

}  // namespace attnscope
