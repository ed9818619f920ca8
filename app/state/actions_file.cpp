// Open, save, export, quit.
#include "app/state/actions.h"
#include "app/state/frame_state.h"

namespace attnscope {
namespace {

using compat::Key;

bool opened_is(const FrameState& state, const char* prefix, std::string_view name) {
  const auto& opened = state.session.document().opened;
  return opened && opened->path == prefix + std::string(name);
}

void ask_open(FrameState& state, std::string_view) { state.ask_open = true; }
// Runs at the end of the frame: the caller may be drawing the current document.
void open_model(FrameState& state, std::string_view name) {
  state.commands.act([&state, name = std::string(name)](Session&) { state.open_shipped_model(name); });
}
void open_scene(FrameState& state, std::string_view name) {
  state.commands.act([&state, name = std::string(name)](Session&) { state.open_shipped(name); });
}
void open_path(FrameState& state, std::string_view path) {
  state.commands.act([&state, path = std::string(path)](Session&) { state.open(path); });
}

}  // namespace

std::vector<Action> file_actions() {
  return {
      everywhere({.id = "file.open", .run = ask_open, .menu = Menu::file, .keys = {{Key::o, true}}}),
      {.id = "file.open_model",
       .run = open_model,
       .menu = Menu::file,
       .checked = [](const FrameState& state,
                     std::string_view name) { return opened_is(state, kModelPrefix, name); },
       .takes = Takes::model},
      {.id = "file.open_scene",
       .run = open_scene,
       .menu = Menu::file,
       .checked = [](const FrameState& state,
                     std::string_view name) { return opened_is(state, kScenePrefix, name); },
       .takes = Takes::scene},
      {.id = "file.open_path", .run = open_path, .menu = Menu::file, .takes = Takes::path},
      {.id = "file.forget_recent",
       .run = [](FrameState& state, std::string_view) { state.settings.recent.clear(); },
       .menu = Menu::file,
       .why_not =
           [](const FrameState& state) {
             return state.settings.recent.empty() ? "why_not.no_recent" : nullptr;
           }},
      everywhere({.id = "file.save",
                  .run = [](FrameState& state, std::string_view) { state.save(); },
                  .menu = Menu::file,
                  .keys = {{Key::s, true}},
                  .why_not = nothing_open,
                  .line_above = true}),
      everywhere({.id = "file.save_as",
                  .run = [](FrameState& state, std::string_view) { state.ask_save_as = true; },
                  .menu = Menu::file,
                  .keys = {{Key::s, true, true}},
                  .why_not = nothing_open}),
      everywhere({.id = "file.export",
                  .run = [](FrameState& state, std::string_view) { state.ask_export = true; },
                  .menu = Menu::file,
                  .keys = {{Key::e, true}}}),
      {.id = "file.quit",
       .run = [](FrameState& state, std::string_view) { state.quit = true; },
       .menu = Menu::file,
       .keys = {{Key::q, true}},
       .scope = KeyScope::everywhere,
       .over = OverPopups::dialogs,
       .line_above = true,
       .level = Level::easy},
  };
}

}  // namespace attnscope
