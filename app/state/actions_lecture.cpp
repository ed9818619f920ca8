// Lectures: what is shown as a slide, the list of slides, the walk through them.
#include <filesystem>

#include "app/state/actions.h"
#include "app/state/frame_state.h"

namespace attnscope {
namespace {

using compat::Key;

const char* no_slides(const FrameState& state) {
  return state.lecture.size() > 0 ? nullptr : "why_not.no_slides";
}
const char* no_walk(const FrameState& state) { return state.lecture.walking() ? nullptr : "why_not.no_walk"; }

// At the end of the frame: what is open is still being drawn.
void open_lecture(FrameState& state, std::string_view name) {
  state.commands.act([&state, name = std::string(name)](Session& session) {
    if (const Status begun = state.lecture.start(state, name); !begun) session.report(begun.error());
  });
}

void walk_lecture(FrameState& state, std::string_view) {
  state.commands.act([&state](Session&) { state.lecture.go(state, std::max(0, state.lecture.chosen)); });
}

void keep_slide(FrameState& state, std::string_view) {
  const Status kept = state.lecture.keep(state);
  if (!kept) return state.session.report(kept.error());
  state.notify(Notice::Kind::good, Text::of("lecture.kept", {state.lecture.chosen + 1}),
               Text::of("lecture.kept.hint", {action_key(*find_action("help.palette"))}), 5);
}

void replace_slide(FrameState& state, std::string_view) {
  const Status kept = state.lecture.replace(state, state.lecture.at());
  if (!kept) return state.session.report(kept.error());
  state.notify(Notice::Kind::good, Text::of("lecture.replaced", {state.lecture.at() + 1}), {}, 5);
}

void save_lecture(FrameState& state, std::string_view) {
  FileQuestion question;
  question.save = true;
  question.title = "lecture.save.title";
  const std::string& file = state.lecture.file();
  question.name = file.empty() ? std::string("lecture") + kLectureEnding : file_name(file);
  question.chosen = [&state](Session& session, const std::string& path) {
    const std::string to = is_lecture_path(path) ? path : path + kLectureEnding;
    if (const Status saved = state.lecture.save(to); !saved) return session.report(saved.error());
    state.notify(Notice::Kind::good, Text::of("lecture.saved", {to}));
  };
  state.commands.ask_file(std::move(question));
}

bool shows(const FrameState& state, std::string_view name) {
  const std::string& path = state.lecture.lecture().path;
  return path == name || path == kLecturePrefix + std::string(name);
}

}  // namespace

std::vector<Action> lecture_actions() {
  return {
      {.id = "lecture.open",
       .run = open_lecture,
       .menu = Menu::learn,
       .checked = shows,
       .takes = Takes::lecture,
       .line_above = true},
      {.id = "lecture.keep",
       .run = keep_slide,
       .menu = Menu::learn,
       .keys = {{Key::k, true}},
       .scope = KeyScope::everywhere,
       .why_not = nothing_open,
       .level = Level::easy},
      {.id = "lecture.panel",
       .run =
           [](FrameState& state, std::string_view) {
             const bool easy = state.workspace.level == Level::easy;  // which has no room beside the stage
             state.lecture.panel = easy || !state.lecture.panel;
             if (easy) state.workspace.level = Level::full;
             state.lecture.inspecting = false;
           },
       .menu = Menu::learn,
       .checked = [](const FrameState& state, std::string_view) { return state.lecture.panel; }},
      {.id = "lecture.walk", .run = walk_lecture, .menu = Menu::learn, .why_not = no_slides},
      {.id = "lecture.end",
       .run = [](FrameState& state, std::string_view) { state.lecture.end(state); },
       .menu = Menu::learn,
       .why_not = no_walk},
      {.id = "lecture.replace", .run = replace_slide, .why_not = no_walk},
      {.id = "lecture.undo",
       .run = [](FrameState& state, std::string_view) { state.lecture.undo(state); },
       .why_not =
           [](const FrameState& state) {
             return state.lecture.can_undo() ? nullptr : "why_not.no_slide_undo";
           }},
      {.id = "lecture.save", .run = save_lecture, .why_not = no_slides},
      {.id = "lecture.new",
       .run = [](FrameState& state, std::string_view) { state.lecture.take(state, {}); },
       .why_not = no_slides},
  };
}

}  // namespace attnscope
