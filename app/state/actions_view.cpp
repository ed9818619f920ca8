// Display: two views, colours, theme, language, size.
#include <algorithm>

#include "app/state/actions.h"
#include "app/state/frame_state.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;
constexpr float kLeastZoom = 0.6f, kMostZoom = 3.f, kZoomStep = 0.1f;

float& zoom_of(FrameState& state) { return state.presenter.on ? state.presenter.zoom : state.settings.zoom; }

void zoom(FrameState& state, float by) {
  float& zoom = zoom_of(state);
  zoom = by == 0.f ? 1.f : std::clamp(zoom + by, kLeastZoom, kMostZoom);
}

// A and B side by side in one view, or a second view of the same run.
void toggle_second_view(FrameState& state, std::string_view) {
  Workspace& workspace = state.workspace;
  if (!workspace.second_view.empty()) return workspace.second_view.clear();
  state.open_second_view(workspace.view);
}

// `wanted`: a lab and its values, "sqrt,d_k=64".
void open_lab(FrameState& state, std::string_view wanted) {
  state.workspace.view = "labs";
  const auto request = parse_lab_request(wanted);
  if (!request) return state.session.report(request.error());
  state.workspace.lab = request->lab->id();
  state.workspace.lab_values[request->lab->id()] = request->values;
}

void next_language(FrameState& state, std::string_view) {
  const std::vector<std::string> all = languages();
  const auto at = std::find(all.begin(), all.end(), language());
  if (all.size() > 1) state.set_language(at == all.end() || at + 1 == all.end() ? all.front() : at[1]);
}

const char* one_language(const FrameState& /*state*/) {
  static const bool several = languages().size() > 1;  // asked in every frame; their tables ship
  return several ? nullptr : "why_not.one_language";
}

std::vector<Action> shown_actions() {
  return {{.id = "view.two",
           .run = toggle_second_view,
           .menu = Menu::view,
           .keys = {{Key::v}},
           .checked = [](const FrameState& state,
                         std::string_view) { return !state.workspace.second_view.empty(); },
           .line_above = true},
          {.id = "labs.open",
           .run = open_lab,
           .menu = Menu::learn,
           .why_not = nothing_open,
           .checked =
               [](const FrameState& state, std::string_view id) {
                 return state.workspace.view == "labs" && state.workspace.lab == id;
               },
           .takes = Takes::lab},
          {.id = "view.log_scale",
           .run = [](FrameState& state,
                     std::string_view) { state.workspace.log_scale = !state.workspace.log_scale; },
           .menu = Menu::view,
           .keys = {{Key::l}},
           .checked = [](const FrameState& state, std::string_view) { return state.workspace.log_scale; }},
          {.id = "view.level",
           .run =
               [](FrameState& state, std::string_view) {
                 Level& level = state.workspace.level;
                 level = level == Level::easy ? Level::full : Level::easy;
               },
           .menu = Menu::view,
           .keys = {{Key::l, true}},
           .checked = [](const FrameState& state,
                         std::string_view) { return state.workspace.level == Level::easy; },
           .level = Level::easy},
          {.id = "view.theme",
           .run =
               [](FrameState& state, std::string_view) {
                 state.set_theme(theme().kind == ThemeKind::dark ? ThemeKind::light : ThemeKind::dark);
               },
           .menu = Menu::view,
           .keys = {{Key::t}},
           .checked = [](const FrameState&, std::string_view) { return theme().kind == ThemeKind::light; },
           .level = Level::easy},
          {.id = "view.language", .run = next_language, .menu = Menu::view, .why_not = one_language},
          {.id = "view.set_language",
           .run = [](FrameState& state, std::string_view name) { state.set_language(std::string(name)); },
           .checked = [](const FrameState&, std::string_view name) { return language() == name; },
           .takes = Takes::language}};
}

std::vector<Action> look_actions() {
  return {
      {.id = "view.larger",
       .run = [](FrameState& state, std::string_view) { zoom(state, kZoomStep); },
       .menu = Menu::view,
       .keys = {{Key::equal, true}, {Key::equal, true, true, true}, {Key::pad_plus, true, false, true}},
       .scope = KeyScope::everywhere,
       .line_above = true,
       .level = Level::easy},
      {.id = "view.smaller",
       .run = [](FrameState& state, std::string_view) { zoom(state, -kZoomStep); },
       .menu = Menu::view,
       .keys = {{Key::minus, true}, {Key::pad_minus, true, false, true}},
       .scope = KeyScope::everywhere,
       .level = Level::easy},
      {.id = "view.usual_size",
       .run = [](FrameState& state, std::string_view) { zoom(state, 0.f); },
       .menu = Menu::view,
       .keys = {{Key::n0, true}, {Key::pad_0, true, false, true}},
       .scope = KeyScope::everywhere,
       .checked = [](const FrameState& state, std::string_view) { return state.settings.zoom == 1.f; },
       .level = Level::easy},
      {.id = "view.animate",
       .run = [](FrameState& state, std::string_view) { state.workspace.animate = !state.workspace.animate; },
       .checked = [](const FrameState& state, std::string_view) { return state.workspace.animate; }},
      {.id = "view.contrast",
       .run = [](FrameState& state, std::string_view) { state.set_contrast(!state.settings.contrast); },
       .checked = [](const FrameState& state, std::string_view) { return state.settings.contrast; }},
      {.id = "view.safe_colours",
       .run = [](FrameState& state,
                 std::string_view) { state.set_safe_colours(!state.settings.safe_colours); },
       .checked = [](const FrameState& state, std::string_view) { return state.settings.safe_colours; }},
      everywhere(
          {.id = "view.present",
           .run = [](FrameState& state, std::string_view) { set_presenting(state, !state.presenter.on); },
           .menu = Menu::view,
           .keys = {{Key::f5}},
           .checked = [](const FrameState& state, std::string_view) { return state.presenter.on; },
           .line_above = true}),
      everywhere({.id = "view.settings",
                  .run = [](FrameState& state,
                            std::string_view) { state.show_settings = state.popup_by_key = true; },
                  .menu = Menu::view,
                  .keys = {{Key::comma, true}}}),
  };
}

}  // namespace

std::vector<Action> view_actions() {
  std::vector<Action> out = shown_actions();
  for (Action& action : look_actions()) out.push_back(std::move(action));
  return out;
}

}  // namespace attnscope
