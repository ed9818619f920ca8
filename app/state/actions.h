// The table of everything that a person can do, one row each: menus, toolbar, keys, the list of keys (F1),
// the palette, lessons and tests read it. A new action is its row in actions_GROUP.cpp, its text
// "action.<id>" in assets/strings/{en,ko}/actions.json, and its id in assets/names.json. Refuses captures: a
// row is data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/look/imgui_compat.h"
#include "core/session/session.h"

namespace attnscope {

struct FrameState;

/// A key with what is held down beside it.
struct Chord {
  compat::Key key = compat::Key::escape;
  bool ctrl = false, shift = false;
  bool untold = false;  ///< another place of the same sign: not on the page of keys
  bool operator==(const Chord&) const = default;
};
/// As printed on the keys: "Ctrl+Shift+S", "←".
std::string chord_text(const Chord& chord);

/// Where the keys of an action are listened to.
enum class KeyScope : std::uint8_t {
  everywhere,  ///< even while somebody types
  window,      ///< while nobody types
  presenter    ///< while presenting, before those of the window
};

/// Whether the keys of an action that are heard everywhere are heard over what is open above the window, too.
enum class OverPopups : std::uint8_t {
  no,
  lists,   ///< over lists and menus, which close
  dialogs  ///< even over a dialog
};

/// The menu an action stands in; the order is that of the bar.
enum class Menu : std::uint8_t { file, edit, view, walk, run, learn, help, none };
constexpr int kMenus = static_cast<int>(Menu::none);
/// "file": string key "toolbar.file".
const char* menu_name(Menu menu);

/// What an action wants to be told; `choices` lists what there is.
enum class Takes : std::uint8_t { nothing, model, scene, lesson, lab, path, language, site };

struct Action {
  using WhyNot = const char* (*)(const FrameState& state);
  using Checked = bool (*)(const FrameState& state, std::string_view argument);
  using Run = void (*)(FrameState& state, std::string_view argument);
  using Label = std::string (*)(const FrameState& state);

  std::string id;  ///< "file.open": stable, lessons and saved things say it
  Run run = nullptr;
  Menu menu = Menu::none;
  std::vector<Chord> keys = {};
  KeyScope scope = KeyScope::window;
  WhyNot why_not = nullptr;   ///< the string key that says why it is not possible now; null where it is
  Checked checked = nullptr;  ///< null: nothing that is on or off
  Takes takes = Takes::nothing;
  std::string argument = {};  ///< what `run` gets where nobody says otherwise
  std::string text = {};      ///< string key; empty: "action.<id>"
  Label label = nullptr;      ///< says more than `text`, now
  OverPopups over = OverPopups::no;
  bool repeats = false;     ///< while its key is held
  bool line_above = false;  ///< in its menu
};

/// Every action: those of the groups in the order of the menus, and one for each view.
const std::vector<Action>& actions();
/// Null where there is none such.
const Action* find_action(std::string_view id);
/// The words of its menu line.
std::string action_text(const Action& action, const FrameState& state);
/// Its name alone, whatever can be said of it now.
std::string action_name(const Action& action);
/// Its first key; empty where it has none.
std::string action_key(const Action& action);
bool is_possible(const Action& action, const FrameState& state);
/// One sentence that says why it is not possible now; empty where it is.
std::string why_not(const Action& action, const FrameState& state);
/// Of Action::why_not: nothing is open; nothing that can run.
const char* nothing_open(const FrameState& state);
const char* no_model(const FrameState& state);
bool is_checked(const Action& action, const FrameState& state, std::string_view argument = {});
/// Runs an action as its key or its menu line does; false, and nothing is done, where there is none of this
/// id or it is not possible now. An empty argument is the action's own.
bool perform(FrameState& state, std::string_view id, std::string_view argument = {});

/// What an action that takes something can be told.
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
std::vector<Action> help_actions();

}  // namespace attnscope
