#include "app/shell/keyboard.h"

#include <algorithm>

#include "app/look/imgui_compat.h"
#include "app/panels/lesson/lesson_panel.h"
#include "app/shell/compare_bar.h"
#include "app/state/cursor.h"
#include "app/widgets/navigation.h"

namespace attnscope {
namespace {

using compat::Key;
constexpr float kLeastZoom = 0.6f, kMostZoom = 3.f, kZoomStep = 0.1f;

bool pressed(Key key) { return compat::key_pressed(key, false); }

void zoom(FrameState& state, float by) {
  state.settings.zoom = by == 0.f ? 1.f : std::clamp(state.settings.zoom + by, kLeastZoom, kMostZoom);
}

// Ctrl + a letter: works from anywhere, but that undo belongs to the text field while it has the keys.
void control_keys(FrameState& state, bool typing) {
  const bool shift = ImGui::GetIO().KeyShift;
  if (pressed(Key::o)) state.ask_open = true;
  if (pressed(Key::q)) state.quit = true;
  if (pressed(Key::e)) state.ask_export = true;
  if (pressed(Key::s)) {
    if (shift)
      state.ask_save_as = true;
    else
      state.save();
  }
  if (pressed(Key::t)) state.focus_text = true;
  if (pressed(Key::equal)) zoom(state, kZoomStep);
  if (pressed(Key::minus)) zoom(state, -kZoomStep);
  if (pressed(Key::n0)) zoom(state, 0.f);
  if (typing) return;
  const bool undo = compat::key_pressed(Key::z) && !shift;
  const bool redo = compat::key_pressed(Key::y) || (compat::key_pressed(Key::z) && shift);
  if (undo) state.commands.act([](Session& session) { session.undo(); });
  if (redo) state.commands.act([](Session& session) { session.redo(); });
}

void walk_keys(FrameState& state, const RunResult& run) {
  Workspace& workspace = state.workspace;
  const View* shown = state.view(workspace.view);
  const bool arrows = !shown || !shown->takes_arrows(run);
  const auto direction = [&](Key more, Key less) {
    return !arrows ? 0 : compat::key_pressed(more) ? 1 : compat::key_pressed(less) ? -1 : 0;
  };
  const int step = direction(Key::right, Key::left);
  if (step != 0) {
    workspace.playing = false;
    walk(workspace, run, step);
  }
  const int by = direction(Key::down, Key::up);
  const ModelConfig& config = run.trace(workspace.cursor.sequence).config();
  const bool one_block = config.encoders.empty() && config.n_layers() < 2;
  const bool heads = ImGui::GetIO().KeyShift || one_block;
  if (by != 0 && heads) move_head(workspace.cursor, run, by);
  if (by != 0 && !heads) move_layer(workspace.cursor, run, by);
  if (pressed(Key::home)) walk(workspace, run, -current_step(workspace, run));
  if (pressed(Key::end))
    walk(workspace, run, static_cast<int>(run.steps.size()) - 1 - current_step(workspace, run));
  if (pressed(Key::space)) workspace.playing = !workspace.playing;
  if (pressed(Key::escape)) workspace.cursor.pinned.reset();
}

void plain_keys(FrameState& state) {
  for (int digit = 1; digit <= 9 && digit <= static_cast<int>(state.views.size()); ++digit) {
    const auto key = static_cast<Key>(static_cast<int>(Key::n0) + digit);
    if (!pressed(key)) continue;
    state.workspace.view = state.views[static_cast<std::size_t>(digit - 1)]->id();
  }
  if (pressed(Key::p)) toggle_pin(state);
  if (pressed(Key::d)) state.workspace.show_difference = !state.workspace.show_difference;
  if (pressed(Key::b)) state.workspace.backward = !state.workspace.backward;
  if (pressed(Key::l)) state.workspace.log_scale = !state.workspace.log_scale;
  if (pressed(Key::t)) state.set_theme(theme().kind == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark);
}

}  // namespace

void handle_keys(FrameState& state, const RunResult* run) {
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return;
  if (pressed(Key::f1)) state.show_keys = true;
  const bool control = io.KeyCtrl || io.KeySuper;
  if (control) return control_keys(state, io.WantTextInput);
  if (io.WantTextInput || io.KeyAlt || ImGui::IsAnyItemActive()) return;
  if (run) walk_keys(state, *run);
  lesson_keys(state);
  plain_keys(state);
}

std::vector<KeyLine> key_lines(std::size_t views) {
  return {{"\u2190  \u2192", "keys.step"},
          {"Home  End", "keys.ends"},
          {"Space", "keys.play"},
          {"\u2191  \u2193", "keys.layer"},
          {"Shift+\u2191  Shift+\u2193", "keys.head"},
          {"1 \u2026 " + std::to_string(std::min<std::size_t>(views, 9)), "keys.view"},
          {"Page Up  Page Down", "keys.lesson"},
          {"B", "keys.backward"},
          {"D", "keys.difference"},
          {"P", "keys.pin"},
          {"L", "keys.log"},
          {"T", "keys.theme"},
          {tr("keys.right_button"), "keys.menu"},
          {"Esc", "keys.unpin"},
          {"Ctrl+T", "keys.text"},
          {"Ctrl+O", "keys.open"},
          {"Ctrl+S", "keys.save"},
          {"Ctrl+E", "keys.export"},
          {"Ctrl+Z", "keys.undo"},
          {"Ctrl+Y  Ctrl+Shift+Z", "keys.redo"},
          {"Ctrl++  Ctrl+\u2212  Ctrl+0", "keys.zoom"},
          {"Ctrl+Q", "keys.quit"},
          {"F1", "keys.help"}};
}

}  // namespace attnscope
