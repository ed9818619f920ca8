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

}  // namespace

std::vector<Action> present_actions() {
  return {
      {.id = "present.spotlight",
       .run = [](FrameState& state, std::string_view) { toggle(state.presenter.spotlight); },
       .keys = {{Key::s}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.spotlight.on; },
       .level = Level::easy},
      {.id = "present.magnifier",
       .run = [](FrameState& state, std::string_view) { toggle(state.presenter.magnifier); },
       .menu = Menu::view,
       .keys = {{Key::m}},
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.magnifier.on; }},
      {.id = "present.pen",
       .run = [](FrameState& state, std::string_view) { state.presenter.pen = !state.presenter.pen; },
       .keys = {{Key::p}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.pen; },
       .level = Level::easy},
      {.id = "present.erase",
       .run = [](FrameState& state, std::string_view) { wipe_strokes(state); },
       .keys = {{Key::e}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .level = Level::easy},
      {.id = "present.black",
       .run = [](FrameState& state, std::string_view) { state.presenter.black = !state.presenter.black; },
       .keys = {{Key::b}, {Key::period}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.black; },
       .level = Level::easy},
      {.id = "present.words",
       .run = [](FrameState& state, std::string_view) { state.presenter.words = !state.presenter.words; },
       .keys = {{Key::l}},
       .scope = KeyScope::presenter,
       .why_not =
           [](const FrameState& state) {
             return state.lessons.open() ? not_presenting(state) : "why_not.no_lesson";
           },
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.words; }},
      {.id = "present.notes",
       .run = [](FrameState& state, std::string_view) { state.presenter.notes = !state.presenter.notes; },
       .keys = {{Key::n}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .checked = [](const FrameState& state, std::string_view) { return state.presenter.notes; },
       .level = Level::easy},
      {.id = "present.end",
       .run = [](FrameState& state, std::string_view) { set_presenting(state, false); },
       .keys = {{Key::escape}},
       .scope = KeyScope::presenter,
       .why_not = not_presenting,
       .level = Level::easy},
  };
}

std::vector<Action> help_actions() {
  return {
      {.id = "help.keys",
       .run = [](FrameState& state, std::string_view) { state.show_keys = true; },
       .menu = Menu::help,
       .keys = {{Key::f1}},
       .scope = KeyScope::everywhere,
       .over = OverPopups::lists,
       .level = Level::easy},
      {.id = "help.palette",
       .run = [](FrameState& state, std::string_view) { state.show_palette = true; },
       .menu = Menu::help,
       .keys = {{Key::p, true}},
       .scope = KeyScope::everywhere,
       .over = OverPopups::lists,
       .level = Level::easy},
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
