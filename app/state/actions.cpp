#include "app/state/actions.h"

#include <algorithm>

#include "app/look/label.h"
#include "app/state/frame_state.h"
#include "app/state/halves.h"
#include "app/state/kept_sessions.h"
#include "core/base/language_names.h"
#include "core/base/words.h"
#include "core/lab/lab.h"

namespace attnscope {
namespace {

using compat::Key;

constexpr const char* kMenuNames[] = {"file", "edit", "view", "walk", "run", "learn", "help", "none"};

// In the half of the stage where the mouse pointer is.
void show_view(FrameState& state, std::string_view id) { state.show_view(id, keys_in_second(state)); }
bool shows_view(const FrameState& state, std::string_view id) {
  return (keys_in_second(state) ? state.workspace.second_view : state.workspace.view) == id;
}

// One action per view; the first nine views have the digit keys 1 to 9, in the order of their tabs.
void add_views(std::vector<Action>& rows) {
  int number = 0;
  ViewGroup group{};
  for (const auto& view : make_views()) {
    const std::string id = view->id();
    Action action{
        .id = "view." + id, .run = show_view, .menu = Menu::view, .checked = shows_view, .argument = id};
    action.text = action.id;
    action.line_above = std::exchange(group, view->group()) != view->group();
    action.level = find_view(id) && (*find_view(id))->model ? Level::easy : Level::full;
    if (++number <= 9) action.keys = {{static_cast<Key>(static_cast<int>(Key::n0) + number)}};
    rows.push_back(std::move(action));
  }
}

std::vector<Action> all_actions() {
  std::vector<Action> rows;
  const auto add = [&](std::vector<Action> group) {
    std::move(group.begin(), group.end(), std::back_inserter(rows));
  };
  add(file_actions());
  add(edit_actions());
  add_views(rows);
  add(view_actions());
  add(walk_actions());
  add(run_actions());
  add(compare_actions());
  add(present_actions());
  add(learn_actions());
  add(lecture_actions());
  add(help_actions());
  for (Action& row : rows)
    if (row.text.empty()) row.text = "action." + row.id;
  return rows;
}

std::string key_name(Key key) {
  static constexpr const char* kNames[] = {"Enter",     "Esc",    "Space",      "Tab",    "\u2190", "\u2192",
                                           "\u2191",    "\u2193", "Home",       "End",    "",       "",
                                           "Backspace", "Del",    "Ins",        "\u2212", "+",      ",",
                                           ".",         "/",      "Num \u2212", "Num +",  "Num 0"};
  if (key == Key::page_up) return "Page Up";
  if (key == Key::page_down) return "Page Down";
  const int index = static_cast<int>(key);
  if (key < Key::n0) return kNames[index];
  if (key < Key::a) return std::string(1, static_cast<char>('0' + index - static_cast<int>(Key::n0)));
  if (key < Key::f1) return std::string(1, static_cast<char>('A' + index - static_cast<int>(Key::a)));
  return "F" + std::to_string(index - static_cast<int>(Key::f1) + 1);
}

}  // namespace

Action everywhere(Action row) {
  row.scope = KeyScope::everywhere;
  row.over = OverPopups::lists;
  row.level = Level::easy;
  return row;
}

std::string chord_text(const Chord& chord) {
  return std::string(chord.ctrl ? "Ctrl+" : "") + (chord.shift ? "Shift+" : "") + key_name(chord.key);
}

const char* menu_name(Menu menu) { return kMenuNames[static_cast<int>(menu)]; }

const std::vector<Action>& actions() {
  static const std::vector<Action> rows = all_actions();
  return rows;
}

const Action* find_action(std::string_view id) {
  for (const Action& action : actions())
    if (action.id == id) return &action;
  return nullptr;
}

std::string action_text(const Action& action, const FrameState& state) {
  return action.label ? action.label(state) : action_name(action);
}

std::string action_name(const Action& action) { return tr(action.text); }

std::string action_key(const Action& action) {
  return action.keys.empty() ? std::string() : chord_text(action.keys.front());
}

bool has_keys(const Action& action, Level level) {
  return !action.keys.empty() && (level == Level::full || action.level == Level::easy);
}

bool is_possible(const Action& action, const FrameState& state) {
  return !action.why_not || !action.why_not(state);
}

std::string why_not(const Action& action, const FrameState& state) {
  const char* const key = action.why_not ? action.why_not(state) : nullptr;
  return key ? tr(key) : std::string();
}

const char* nothing_open(const FrameState& state) {
  return state.session.document().opened ? nullptr : "why_not.nothing_open";
}

const char* no_model(const FrameState& state) {
  if (state.session.document().model) return nullptr;
  const char* const nothing = nothing_open(state);
  return nothing ? nothing : "why_not.recording";
}

bool is_checked(const Action& action, const FrameState& state, std::string_view argument) {
  return action.checked && action.checked(state, argument.empty() ? action.argument : argument);
}

bool perform(FrameState& state, std::string_view id, std::string_view argument) {
  const Action* action = find_action(id);
  if (!action || !is_possible(*action, state)) return false;
  if (argument.empty()) argument = action->argument;
  if (action->takes != Takes::nothing && argument.empty()) return false;
  action->run(state, argument);
  return true;
}

std::vector<Choice> choices(FrameState& state, Takes takes) {
  std::vector<Choice> out;
  switch (takes) {
    case Takes::nothing: break;
    case Takes::model:
      for (const ShippedModel& model : state.models())
        out.push_back({model.name, model.title, model.sentence});
      break;
    case Takes::scene:
      for (const ShippedScene& scene : state.scenes()) out.push_back({scene.name, scene.title, {}});
      break;
    case Takes::lesson:
      for (const Lesson& lesson : state.lessons.lessons())
        out.push_back({lesson.id, lesson_title(lesson), {}});
      break;
    case Takes::lecture:
      for (const std::string& name : shipped_lectures())
        if (const auto lecture = shipped_lecture(name); lecture)
          out.push_back({name, in_language(lecture->title), {}});
      for (const std::string& path : left_lectures()) out.push_back({path, path, {}});
      break;
    case Takes::lab:
      for (const Lab& lab : labs()) out.push_back({lab.id(), tr(Label(lab.key, ".title")), {}});
      break;
    case Takes::path:
      for (const std::string& path : state.settings.recent) out.push_back({path, path, {}});
      break;
    case Takes::language:
      for (const std::string& name : languages()) out.push_back({name, language_name(name), {}});
      break;
    case Takes::site:
      if (!state.walked) break;
      for (const TimelineStep& step : state.walked->steps)
        for (const Site& site : step.sites)
          out.push_back({to_text(site), tr(Label("step.", step_kind_name(step.kind))), {}});
      break;
  }
  return out;
}

}  // namespace attnscope
