#include "app/shell/keyboard.h"

#include <algorithm>

#include "app/look/key_controls.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/state/halves.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr double kHoldSeconds = 0.35;  // seconds; after a longer press the tool is on only while held

bool is_arrow(Key key) { return key == Key::left || key == Key::right || key == Key::up || key == Key::down; }

int digit_of(Key key) {
  const int digit = static_cast<int>(key) - static_cast<int>(Key::n0);
  return digit >= 0 && digit <= 9 ? digit : -1;
}

bool is_digit(Key key) { return digit_of(key) >= 0; }

// Keys that move without writing: they stay while a question of a lesson is open.
bool moves(Key key) {
  const Key keys[] = {Key::home, Key::end,       Key::page_up, Key::page_down,
                      Key::tab,  Key::backspace, Key::escape,  Key::enter};
  return is_arrow(key) || std::find(std::begin(keys), std::end(keys), key) != std::end(keys) ||
         (key >= Key::f1 && key <= Key::f12);
}

// Keys to another step.
bool steps_away(Key key) { return is_arrow(key) || key == Key::home || key == Key::end; }

/// State of the keyboard in this frame.
struct Listening {
  bool ctrl, shift, typing, busy, arrows, digits, presenting;
  bool asked, held;  ///< a question of a lesson is open; what its page hides would be one step away
  Level level;       ///< whose keys work
  bool to(const Action& action) const {
    if (action.scope == KeyScope::everywhere) return true;
    if (typing || busy) return false;
    return action.scope == KeyScope::window || presenting;
  }
  bool hears(const Action& action, const Chord& chord) const {
    if (chord.ctrl != ctrl || chord.shift != shift) return false;
    if (is_arrow(chord.key) && !chord.ctrl && !arrows) return false;
    if (is_digit(chord.key) && !chord.ctrl && !digits) return false;
    if (!chord.ctrl && action.scope == KeyScope::window) {
      if (asked && !moves(chord.key)) return false;
      if (held && steps_away(chord.key)) return false;
    }
    return compat::key_pressed(chord.key, action.repeats);
  }
};

Listening listening(FrameState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool second = keys_in_second(state);
  const View* shown = state.view(second ? state.workspace.second_view : state.workspace.view, second);
  const bool arrows =
      !state.lessons.takes_arrows() && (!shown || !state.run || !shown->takes_arrows(*state.run));
  return {io.KeyCtrl || io.KeySuper,
          io.KeyShift,
          io.WantTextInput,
          io.KeyAlt || ImGui::IsAnyItemActive(),
          arrows,
          !digits_taken(),
          state.presenter.on,
          state.lessons.asks() && !state.presenter.on,
          state.workspace.hides && shown_level(state) != Level::easy && !state.presenter.on,
          shown_level(state)};
}

const Action* heard(const Listening& keys, KeyScope scope) {
  for (const Action& action : actions()) {
    if (action.scope != scope || !has_keys(action, keys.level) || !keys.to(action)) continue;
    for (const Chord& chord : action.keys)
      if (keys.hears(action, chord)) return &action;
  }
  return nullptr;
}

// Presenter keys first: some keys have another meaning there.
const Action* heard(const Listening& keys) {
  for (const KeyScope scope : {KeyScope::presenter, KeyScope::window, KeyScope::everywhere})
    if (const Action* action = heard(keys, scope)) return action;
  return nullptr;
}

// Enter and the space bar click the control selected with Tab; Escape returns to the mouse pointer.
bool points_with_keys(FrameState& state) {
  if (!key_pointer().on || ImGui::GetIO().WantTextInput || ImGui::IsAnyItemActive()) return false;
  if (compat::key_pressed(Key::escape, false)) {
    key_pointer().on = false;
    return true;
  }
  if (!compat::key_pressed(Key::enter, false) && !compat::key_pressed(Key::space, false)) return false;
  press_key_pointer();
  state.popup_by_key = true;  // arrow keys navigate in the popup it opens
  return true;
}

// While a popup is open: Escape closes a list or menu (dialogs and focused text fields handle it themselves),
// and keys marked OverPopups::lists close it and run their action. Over a dialog only those marked
// OverPopups::dialogs work (exit).
void handle_keys_of_popup(FrameState& state) {
  const bool behind_nothing = dialog_open();
  if (!behind_nothing && !ImGui::GetIO().WantTextInput && compat::key_pressed(Key::escape, false))
    return close_popup();
  const Action* action = heard(listening(state), KeyScope::everywhere);
  if (!action || action->over == OverPopups::no) return;
  if (behind_nothing && action->over != OverPopups::dialogs) return;
  if (!behind_nothing) close_popups();
  perform(state, action->id);
}

void release(Held& held, Key key) {
  if (held.since < 0 || compat::key_down(key)) return;
  if (ImGui::GetTime() - held.since > kHoldSeconds) held.on = false;
  held.since = -1;
}

}  // namespace

namespace {

// A digit answers a question with choices.
bool chooses(FrameState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  if (state.presenter.on || io.KeyCtrl || io.KeySuper || io.KeyAlt || io.KeyShift || io.WantTextInput ||
      digits_taken())
    return false;
  for (int digit = 1; digit <= 9; ++digit) {
    const auto key = static_cast<Key>(static_cast<int>(Key::n0) + digit);
    if (compat::key_pressed(key, false) && state.lessons.choose(digit, state.workspace)) return true;
  }
  return false;
}

}  // namespace

void handle_keys(FrameState& state) {
  release(state.presenter.spotlight, Key::s);
  release(state.presenter.magnifier, Key::m);
  if (open_popups() > 0) return handle_keys_of_popup(state);
  if (points_with_keys(state) || chooses(state)) return;
  Listening keys = listening(state);
  const Action* action = heard(keys);
  if (!action && keys.shift) {  // "?" is Shift+/; Ctrl++ is Ctrl+Shift+= on many keyboards
    keys.shift = false;
    action = heard(keys);
  }
  if (action) perform(state, action->id);
}

}  // namespace attnscope
