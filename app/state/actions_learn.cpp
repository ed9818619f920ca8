// Lessons: the list, pages, progress.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/state/actions.h"
#include "app/state/frame_state.h"
#include "core/base/words.h"
#include "core/lesson/draft.h"
#include "core/system/atomic_file.h"

namespace attnscope {
namespace {

bool learns(const FrameState& state) { return state.lessons.open(); }
const char* no_lesson(const FrameState& state) { return learns(state) ? nullptr : "why_not.no_lesson"; }

void open_lesson(FrameState& state, std::string_view id) {
  state.commands.act([&state, name = std::string(id)](Session& session) {
    if (const Status begun = state.lessons.start(state, name); !begun) session.report(begun.error());
  });
}

// The lab runs models of its own, but with no document the stage shows the start page.
void open_families(FrameState& state, std::string_view) {
  if (!state.session.document().opened) state.open_shipped_model("storyteller");
  state.workspace.lab = "sentence";
  state.workspace.view = "labs";
}

void ask_draft(FrameState& state, std::string_view) {
  FileQuestion question;
  question.save = true;
  question.title = "lessons.draft.ask_title";
  question.name = "lesson.json";
  question.chosen = [&state](Session& session, const std::string& path) {
    const auto draft = lesson_draft(
        session.history(), lesson_id_of(std::filesystem::path(path).stem().string()), state.workspace.view);
    const Status written = draft ? write_file(path, draft->dump(1) + "\n") : Status(draft.error());
    if (!written) return session.report(written.error());
    state.notify(Notice::Kind::good, tr("lessons.draft.done", {path}));
  };
  state.commands.ask_file(std::move(question));
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
      {.id = "learn.course",
       .run = [](FrameState& state, std::string_view) { state.show_course = true; },
       .menu = Menu::learn},
      {.id = "learn.class",
       .run = [](FrameState& state, std::string_view) { ask_class(state); },
       .menu = Menu::learn},
      {.id = "learn.families", .run = open_families, .menu = Menu::learn},
      {.id = "learn.next",
       .run = [](FrameState& state, std::string_view) { turn_page(state, 1); },
       .menu = Menu::learn,
       .why_not = no_lesson,
       .line_above = true},
      {.id = "learn.previous",
       .run = [](FrameState& state, std::string_view) { turn_page(state, -1); },
       .menu = Menu::learn,
       .why_not = no_lesson},
      {.id = "learn.worksheet",
       .run = [](FrameState& state,
                 std::string_view) { ask_worksheet(state, state.lessons.source(), false); },
       .menu = Menu::learn,
       .why_not = no_lesson,
       .line_above = true},
      {.id = "learn.answers",
       .run = [](FrameState& state, std::string_view) { ask_worksheet(state, state.lessons.source(), true); },
       .menu = Menu::learn,
       .why_not = no_lesson},
      {.id = "learn.draft", .run = ask_draft, .menu = Menu::learn, .why_not = nothing_open},
      {.id = "learn.close",
       .run =
           [](FrameState& state, std::string_view) {
             state.commands.act([&state](Session&) { state.lessons.close(state); });
           },
       .menu = Menu::learn,
       .why_not = no_lesson},
  };
}

}  // namespace attnscope
