// Moves of the cursor: steps, blocks, heads, inputs, and the pinned cell.
#include <algorithm>
#include <iterator>
#include <utility>

#include "app/state/actions.h"
#include "app/state/cursor.h"
#include "app/state/frame_state.h"
#include "app/state/motion.h"
#include "app/widgets/navigation.h"

namespace attnscope {
namespace {

using compat::Key;

bool has_run(const FrameState& state) { return state.walked && !state.walked->steps.empty(); }
const char* no_run(const FrameState& state) { return has_run(state) ? nullptr : "why_not.no_run"; }
const char* no_pages(const FrameState& state) { return state.pages ? nullptr : no_run(state); }
const char* no_pin(const FrameState& state) {
  return has_run(state) && state.workspace.cursor.pinned ? nullptr : "why_not.no_pin";
}

// In a presented lecture the arrows turn slides, as a clicker's keys do.
bool walks_slides(const FrameState& state) { return state.presenter.on && state.lecture.walking(); }
const char* nothing_to_walk(const FrameState& state) { return walks_slides(state) ? nullptr : no_run(state); }

void step_by(FrameState& state, int by) {
  if (walks_slides(state)) return turn_page(state, by);
  state.workspace.playing = false;
  if (state.film) return (void)state.film(state, by);
  walk(state.workspace, *state.walked, by);
}

// In another view the film begins with its first station at once.
void play(FrameState& state, std::string_view) {
  bool& playing = state.workspace.playing;
  playing = !playing;
  if (playing && state.film) (void)state.film(state, 0);
}

void step_to_end(FrameState& state, int by) {
  if (walks_slides(state)) return turn_page(state, by * static_cast<int>(state.lecture.size()));
  while (state.film && state.film(state, by)) {
  }
  const int last = static_cast<int>(state.walked->steps.size()) - 1,
            at = current_step(state.workspace, *state.walked);
  if (!state.film) walk(state.workspace, *state.walked, by > 0 ? last - at : -at);
}

void layer_by(FrameState& state, int by) {
  const ModelConfig& config = state.walked->trace(state.workspace.cursor.sequence).config();
  if (config.encoders.empty() && config.n_layers() < 2)
    return move_head(state.workspace.cursor, *state.walked, by);
  move_layer(state.workspace.cursor, *state.walked, by);
}

void head_by(FrameState& state, int by) { move_head(state.workspace.cursor, *state.walked, by); }

void go_to(FrameState& state, std::string_view text) {
  const auto site = parse_site(std::string(text));
  if (site) go_to_site(state.workspace, *state.walked, *site);
}

// Pins the first cell of the current step, at the cursor's head and row.
void pin_here(FrameState& state, std::string_view) {
  Workspace& workspace = state.workspace;
  const Trace& trace = state.run->trace(workspace.cursor.sequence);
  const Record* record = trace.find(workspace.cursor.step);
  if (!record) return;
  std::vector<std::int64_t> index(record->axes.size(), 0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (record->axes[d] == Axis::head) index[d] = workspace.cursor.head;
    if (record->axes[d] == Axis::query || record->axes[d] == Axis::pos) index[d] = workspace.cursor.query;
    index[d] = std::clamp<std::int64_t>(index[d], 0, std::max<std::int64_t>(0, record->shape[d] - 1));
  }
  pin_cell(workspace, *state.run, cell_at(trace, workspace.cursor.step, index));
}

// Moves the pinned cell by `down` rows and `right` columns: the last two axes of its step.
void move_pin(FrameState& state, int down, int right) {
  Workspace& workspace = state.workspace;
  const Trace& trace = state.run->trace(workspace.cursor.sequence);
  const Cell pinned = *workspace.cursor.pinned;
  const Record* record = trace.find(pinned.site);
  std::vector<std::int64_t> index = cell_index(trace, pinned);
  if (!record || index.empty()) return;
  const auto move = [&](std::size_t from_end, int by) {
    if (index.size() < from_end) return;
    const std::size_t d = index.size() - from_end;
    index[d] = std::clamp<std::int64_t>(index[d] + by, 0, record->shape[d] - 1);
  };
  move(1, right);
  move(2, down);
  pin_cell(workspace, *state.run, cell_at(trace, pinned.site, index));
}

void next_sequence(FrameState& state, std::string_view) {
  Cursor& cursor = state.workspace.cursor;
  cursor.sequence = (cursor.sequence + 1) % static_cast<int>(state.run->traces.size());
  tidy_cursor(cursor, *state.run);
}

template <auto move, int by>
void moved(FrameState& state, std::string_view) {
  move(state, by);
}
template <int down, int right>
void pin_moved(FrameState& state, std::string_view) {
  move_pin(state, down, right);
}

// A key of both levels that moves on; held down, again and again.
Action moving(const char* id, Chord key, Action::Run run, Action::WhyNot why_not, bool repeats = true) {
  return {.id = id,
          .run = run,
          .menu = Menu::walk,
          .keys = {key},
          .why_not = why_not,
          .repeats = repeats,
          .level = Level::easy};
}
Action moving_pin(const char* id, Key key, Action::Run run) {
  return {.id = id, .run = run, .keys = {{key, true}}, .why_not = no_pin, .repeats = true};
}

std::vector<Action> step_rows() {
  return {
      moving("walk.next", {Key::right}, moved<step_by, 1>, nothing_to_walk),
      moving("walk.previous", {Key::left}, moved<step_by, -1>, nothing_to_walk),
      moving("walk.first", {Key::home}, moved<step_to_end, -1>, nothing_to_walk, false),
      moving("walk.last", {Key::end}, moved<step_to_end, 1>, nothing_to_walk, false),
      moving("walk.next_page", {Key::page_down}, moved<turn_page, 1>, no_pages),
      moving("walk.previous_page", {Key::page_up}, moved<turn_page, -1>, no_pages),
      {.id = "walk.play",
       .run = play,
       .menu = Menu::walk,
       .keys = {{Key::space}},
       .why_not = no_run,
       .checked = [](const FrameState& state, std::string_view) { return state.workspace.playing; },
       .level = Level::easy},
      {.id = "walk.finish",
       .run = [](FrameState& state, std::string_view) { finish_motion(state.workspace); },
       .menu = Menu::walk,
       .keys = {{Key::f}},
       .why_not =
           [](const FrameState& state) {
             return state.workspace.motion < 1.f ? nullptr : "why_not.nothing_moves";
           }},
      {.id = "walk.backward",
       .run = [](FrameState& state,
                 std::string_view) { state.workspace.backward = !state.workspace.backward; },
       .menu = Menu::walk,
       .keys = {{Key::b}},
       .checked = [](const FrameState& state, std::string_view) { return state.workspace.backward; }},
      {.id = "walk.go", .run = go_to, .why_not = no_run, .takes = Takes::site},
  };
}

std::vector<Action> block_rows() {
  Action first = moving("walk.block_up", {Key::up}, moved<layer_by, -1>, no_run);
  first.line_above = true;
  return {
      std::move(first),
      moving("walk.block_down", {Key::down}, moved<layer_by, 1>, no_run),
      moving("walk.head_up", {Key::up, false, true}, moved<head_by, -1>, no_run),
      moving("walk.head_down", {Key::down, false, true}, moved<head_by, 1>, no_run),
      {.id = "walk.next_sequence",
       .run = next_sequence,
       .menu = Menu::walk,
       .keys = {{Key::n}},
       .why_not =
           [](const FrameState& state) {
             if (!has_run(state)) return no_run(state);
             return state.run->traces.size() > 1 ? nullptr : "why_not.one_input";
           }},
  };
}

std::vector<Action> number_rows() {
  return {
      {.id = "walk.pin_number",
       .run = pin_here,
       .menu = Menu::walk,
       .keys = {{Key::i}},
       .why_not =
           [](const FrameState& state) {
             return state.workspace.backward ? "why_not.backward" : no_run(state);
           },
       .line_above = true},
      moving_pin("walk.number_left", Key::left, pin_moved<0, -1>),
      moving_pin("walk.number_right", Key::right, pin_moved<0, 1>),
      moving_pin("walk.number_up", Key::up, pin_moved<-1, 0>),
      moving_pin("walk.number_down", Key::down, pin_moved<1, 0>),
      {.id = "walk.release",
       .run = [](FrameState& state, std::string_view) { state.workspace.cursor.pinned.reset(); },
       .menu = Menu::walk,
       .keys = {{Key::escape}},
       .why_not = no_pin},
  };
}

}  // namespace

std::vector<Action> walk_actions() {
  std::vector<Action> rows = step_rows();
  for (auto* group : {block_rows, number_rows}) {
    std::vector<Action> more = group();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace attnscope
