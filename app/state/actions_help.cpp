// Presenter mode, and help.
#include "app/look/key_controls.h"
#include "app/look/theme.h"
#include "app/state/actions.h"
#include "app/state/frame_state.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr float kTabs = 38.f;  // units

bool presents(const FrameState& state) { return state.presenter.on; }
const char* not_presenting(const FrameState& state) {
  return presents(state) ? nullptr : "why_not.not_presenting";
}
const char* presenting(const FrameState& state) { return presents(state) ? "why_not.presenting" : nullptr; }

// Tab: the first control is one of the view, below its tabs.
void point_on(FrameState& state, int by) {
  if (ImGui::IsAnyItemActive()) ImGui::SetWindowFocus(nullptr);  // removes the focus of a text field
  const float tabs = state.presenter.on ? 0.f : kTabs * ui_scale();
  step_key_pointer(by, ImVec2(state.stage_min.x, state.stage_min.y + tabs), state.stage_max);
}

void toggle(Held& held) {
  held.on = !held.on;
  held.since = held.on ? ImGui::GetTime() : -1;
}

// The row with a key that is heard while one presents.
Action on_projector(Action row) {
  row.scope = KeyScope::presenter;
  row.why_not = not_presenting;
  row.level = Level::easy;
  return row;
}

}  // namespace

std::vector<Action> present_actions() {
  return {
      on_projector({.id = "present.spotlight",
                    .run = [](FrameState& state, std::string_view) { toggle(state.presenter.spotlight); },
                    .keys = {{Key::s}},
                    .checked = [](const FrameState& state,
                                  std::string_view) { return state.presenter.spotlight.on; }}),
      {.id = "present.magnifier",
       .run = [](FrameState& state, std::string_view) { toggle(state.presenter.magnifier); },
       .menu = Menu::view,
       .keys = {{Key::m}},
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.magnifier.on; }},
      on_projector(
          {.id = "present.pen",
           .run = [](FrameState& state, std::string_view) { state.presenter.pen = !state.presenter.pen; },
           .keys = {{Key::p}},
           .checked = [](const FrameState& state, std::string_view) { return state.presenter.pen; }}),
      on_projector({.id = "present.erase",
                    .run = [](FrameState& state, std::string_view) { wipe_strokes(state); },
                    .keys = {{Key::e}}}),
      on_projector(
          {.id = "present.black",
           .run = [](FrameState& state, std::string_view) { state.presenter.black = !state.presenter.black; },
           .keys = {{Key::b}, {Key::period}},
           .checked = [](const FrameState& state, std::string_view) { return state.presenter.black; }}),
      {.id = "present.words",
       .run = [](FrameState& state, std::string_view) { state.presenter.words = !state.presenter.words; },
       .keys = {{Key::l}},
       .scope = KeyScope::presenter,
       .why_not =
           [](const FrameState& state) {
             return state.lessons.open() ? not_presenting(state) : "why_not.no_lesson";
           },
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.words; }},
      on_projector(
          {.id = "present.notes",
           .run = [](FrameState& state, std::string_view) { state.presenter.notes = !state.presenter.notes; },
           .keys = {{Key::n}},
           .checked = [](const FrameState& state, std::string_view) { return state.presenter.notes; }}),
      on_projector({.id = "present.end",
                    .run = [](FrameState& state, std::string_view) { set_presenting(state, false); },
                    .keys = {{Key::escape}}}),
  };
}

std::vector<Action> help_actions() {
  return {
      everywhere({.id = "help.keys",
                  .run = [](FrameState& state, std::string_view) { state.show_keys = true; },
                  .menu = Menu::help,
                  .keys = {{Key::f1}}}),
      everywhere({.id = "help.palette",
                  .run = [](FrameState& state, std::string_view) { state.show_palette = true; },
                  .menu = Menu::help,
                  .keys = {{Key::p, true}}}),
      {.id = "help.menus",
       .run = [](FrameState& state, std::string_view) { state.open_menu = true; },
       .keys = {{Key::f10}},
       .scope = KeyScope::everywhere,
       .why_not = presenting},
      {.id = "focus.next",
       .run = [](FrameState& state, std::string_view) { point_on(state, 1); },
       .keys = {{Key::tab}},
       .scope = KeyScope::everywhere,
       .level = Level::easy},
      {.id = "focus.back",
       .run = [](FrameState& state, std::string_view) { point_on(state, -1); },
       .keys = {{Key::tab, false, true}},
       .scope = KeyScope::everywhere,
       .level = Level::easy},
      {.id = "help.about",
       .run = [](FrameState& state, std::string_view) { state.show_about = true; },
       .menu = Menu::help,
       .line_above = true},
  };
}

}  // namespace attnscope
