// Lessons: which one, its pages, what was done.
#include "app/state/actions.h"
#include "app/state/frame_state.h"

namespace attnscope {
namespace {

bool learns(const FrameState& state) { return state.lessons.open(); }

void open_lesson(FrameState& state, std::string_view id) {
  state.commands.act([&state, name = std::string(id)](Session& session) {
    if (const Status begun = state.lessons.start(state, name); !begun) session.report(begun.error());
  });
}

}  // namespace

std::vector<Action> learn_actions() {
  return {
      {.id = "learn.open",
       .run = open_lesson,
       .menu = Menu::learn,
       .checked = [](const FrameState& state,
                     std::string_view id) { return learns(state) && state.lessons.lesson().id == id; },
       .takes = Takes::lesson},
      {.id = "learn.list",
       .run = [](FrameState& state, std::string_view) { state.lessons.list_open = true; },
       .menu = Menu::learn},
      {.id = "learn.next",
       .run = [](FrameState& state, std::string_view) { turn_page(state, 1); },
       .menu = Menu::learn,
       .when = learns,
       .line_above = true},
      {.id = "learn.previous",
       .run = [](FrameState& state, std::string_view) { turn_page(state, -1); },
       .menu = Menu::learn,
       .when = learns},
      {.id = "learn.close",
       .run =
           [](FrameState& state, std::string_view) {
             state.commands.act([&state](Session&) { state.lessons.close(state); });
           },
       .menu = Menu::learn,
       .when = learns},
  };
}

}  // namespace attnscope
