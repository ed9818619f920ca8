#include "app/shell/keyboard.h"

#include <algorithm>

#include "app/look/key_controls.h"
#include "app/state/actions.h"
#include "app/state/controls.h"
#include "app/state/halves.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr double kHoldSeconds = 0.35;  // a key that is held longer switches off what it switched on

bool is_arrow(Key key) { return key == Key::left || key == Key::right || key == Key::up || key == Key::down; }

bool is_digit(Key key) {
  const int digit = static_cast<int>(key) - static_cast<int>(Key::n0);
  return digit >= 0 && digit <= 9;
}

/// The keys that are listened to in this frame.
struct Listening {
  bool ctrl, shift, typing, busy, arrows, presenting;
  bool to(const Action& action) const {
    if (action.scope == KeyScope::everywhere) return true;
    if (typing || busy) return false;
    return action.scope == KeyScope::window || presenting;
  }
  bool hears(const Action& action, const Chord& chord) const {
    if (chord.ctrl != ctrl || chord.shift != shift) return false;
    if (is_arrow(chord.key) && !chord.ctrl && !arrows) return false;
    if (is_digit(chord.key) && !chord.ctrl && digits_taken()) return false;
    return compat::key_pressed(chord.key, action.repeats);
  }
};

Listening listening(const FrameState& state) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool second = keys_in_second(state);
  const View* shown = state.view(second ? state.workspace.second_view : state.workspace.view, second);
  const bool arrows = !shown || !state.run || !shown->takes_arrows(*state.run);
  return {
      io.KeyCtrl || io.KeySuper, io.KeyShift, io.WantTextInput, io.KeyAlt || ImGui::IsAnyItemActive(), arrows,
      state.presenter.on};
}

const Action* heard(const Listening& keys, KeyScope scope) {
  for (const Action& action : actions()) {
    if (action.scope != scope || !keys.to(action)) continue;
    for (const Chord& chord : action.keys)
      if (keys.hears(action, chord)) return &action;
  }
  return nullptr;
}

// Those of the presenter come first: they stand for other things there.
const Action* heard(const Listening& keys) {
  for (const KeyScope scope : {KeyScope::presenter, KeyScope::window, KeyScope::everywhere})
    if (const Action* action = heard(keys, scope)) return action;
  return nullptr;
}

// Enter and the space bar click what Tab came to, Escape gives the pointer back to the mouse.
bool points_with_keys(FrameState& state) {
  if (!key_pointer().on || ImGui::GetIO().WantTextInput || ImGui::IsAnyItemActive()) return false;
  if (compat::key_pressed(Key::escape, false)) {
    key_pointer().on = false;
    return true;
  }
  if (!compat::key_pressed(Key::enter, false) && !compat::key_pressed(Key::space, false)) return false;
  press_key_pointer();
  state.popup_by_key = true;  // arrows walk in what opens
  return true;
}

// While something is open over the window: Escape closes a list or a menu (dialogs hear it themselves, and a
// field that is typed into takes it first); what can be asked for from there closes it, too. Behind a dialog
// only the end of the program is heard.
void handle_keys_of_popup(FrameState& state) {
  const bool behind_nothing = dialog_open() || state.touring;
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

void handle_keys(FrameState& state) {
  release(state.presenter.spotlight, Key::s);
  release(state.presenter.magnifier, Key::m);
  if (open_popups() > 0 || state.touring) return handle_keys_of_popup(state);
  if (points_with_keys(state)) return;
  Listening keys = listening(state);
  const Action* action = heard(keys);
  if (!action && keys.shift) {  // a letter is a letter; Ctrl++ is on many keyboards Ctrl+Shift+=
    keys.shift = false;
    action = heard(keys);
  }
  if (action) perform(state, action->id);
}

}  // namespace attnscope
