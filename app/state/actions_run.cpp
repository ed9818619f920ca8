// Run, generate, stop; pin and compare runs A and B.
#include <algorithm>

#include "app/state/actions.h"
#include "app/state/frame_state.h"
#include "app/widgets/twin.h"
#include "core/base/words.h"
#include "core/session/training_arm.h"
#include "core/trace/longest_input.h"

namespace attnscope {
namespace {

using compat::Key;

// String key of why no text can be generated (no causal decoder, a recording, vector inputs); null if it can.
const char* writes_nothing(const FrameState& state) {
  const Document& document = state.session.document();
  if (const char* why = no_model(state)) return why;
  if (!document.opened || !document.opened->recorded.empty()) return "why_not.recording";
  const auto row = static_cast<std::size_t>(std::max(0, state.workspace.cursor.sequence));
  const bool tokens = row < document.sequences.size() && document.sequences[row].input.vectors.empty();
  if (!document.model->config().predicts_next()) return "why_not.no_writer";
  if (!tokens) return "why_not.no_tokens";
  const std::int64_t most = longest_input(document.model->config());
  if (most > 0 && std::ssize(document.sequences[row].input.ids) >= most) return "why_not.full";
  const auto& tokenizer = document.opened->tokenizer;
  if (tokenizer && arm_actions_left(*tokenizer, document.sequences[row].input.ids) == 0)
    return "why_not.answered";
  return state.session.generating() ? "why_not.writing" : nullptr;
}

void generate_one(FrameState& state, std::string_view) {
  state.commands.act([sequence = state.workspace.cursor.sequence, words = Text::of("action.run.generate")](
                         Session& session) { session.generate(sequence, 1, words); });
}

void stop(FrameState& state, std::string_view) {
  state.commands.act([](Session& session) {
    session.cancel_opening();
    session.cancel_run();
    session.cancel_generating();
  });
}

// When A is unpinned, a second view that shows it is closed.
void toggle_pin(FrameState& state, std::string_view) {
  Workspace& workspace = state.workspace;
  if (state.session.pinned() && workspace.second_view == workspace.view) workspace.second_view.clear();
  workspace.shows_pinned = {};
  state.commands.act([](Session& session) { session.pinned() ? session.unpin() : session.pin(); });
}

bool is_pinned(const FrameState& state) { return state.session.pinned() != nullptr; }
const char* no_pinned_run(const FrameState& state) {
  return is_pinned(state) ? nullptr : "why_not.no_pinned_run";
}

bool shows_both(const FrameState& state, std::string_view) {
  const Workspace& workspace = state.workspace;
  return !workspace.second_view.empty() && workspace.shows_pinned[0] != workspace.shows_pinned[1];
}

const char* not_both(const FrameState& state) {
  const View* shown = state.view(state.workspace.view);
  const bool of_runs = !shown || shown->shows_runs() || shows_both(state, {});
  return of_runs ? no_pinned_run(state) : "why_not.no_a";
}

// A and B side by side in one view.
void toggle_both(FrameState& state, std::string_view) {
  Workspace& workspace = state.workspace;
  const bool both = shows_both(state, {});
  workspace.second_view = both ? std::string() : workspace.view;
  workspace.shows_pinned = {!both, false};
  state.second_active = false;
}

void swap(FrameState& state, std::string_view) {
  state.commands.act(
      [words = Text::of("compare.swap.undo")](Session& session) { session.swap_pinned(words); });
}

}  // namespace

std::vector<Action> run_actions() {
  return {
      {.id = "run.again",
       .run = [](FrameState& state,
                 std::string_view) { state.commands.act([](Session& session) { session.run(); }); },
       .menu = Menu::run,
       .why_not = no_model},
      {.id = "run.generate",
       .run = generate_one,
       .menu = Menu::run,
       .keys = {{Key::g}},
       .why_not = writes_nothing,
       .level = Level::easy},
      {.id = "run.try",
       .run = [](FrameState& state, std::string_view) { state.show_try(state); },
       .menu = Menu::run,
       .keys = {{Key::h}},
       .why_not = [](const FrameState& state) { return state.show_try ? nullptr : "why_not.nothing_to_try"; },
       .level = Level::easy},
      {.id = "run.stop",
       .run = stop,
       .menu = Menu::run,
       .why_not =
           [](const FrameState& state) {
             const Session& session = state.session;
             const bool busy = session.opening() || session.running() || session.generating();
             return busy ? nullptr : "why_not.nothing_runs";
           }},
  };
}

std::vector<Action> compare_actions() {
  return {
      {.id = "compare.pin",
       .run = toggle_pin,
       .menu = Menu::run,
       .keys = {{Key::p}},
       .why_not =
           [](const FrameState& state) {
             return is_pinned(state) || state.session.result() ? nullptr : "why_not.no_run";
           },
       .checked = [](const FrameState& state, std::string_view) { return is_pinned(state); },
       .line_above = true},
      {.id = "compare.difference",
       .run = [](FrameState& state,
                 std::string_view) { state.workspace.show_difference = !state.workspace.show_difference; },
       .menu = Menu::run,
       .keys = {{Key::d}},
       .checked = [](const FrameState& state, std::string_view) { return state.workspace.show_difference; },
       .level = Level::easy},
      {.id = "compare.both",
       .run = toggle_both,
       .menu = Menu::run,
       .why_not = not_both,
       .checked = shows_both},
      {.id = "compare.swap", .run = swap, .menu = Menu::run, .why_not = no_pinned_run},
      {.id = "compare.twin",
       .run =
           [](FrameState& state, std::string_view) {
             state.workspace.view = "mask";
             Twin().toggle(state.session, state.workspace, state.commands);
           },
       .menu = Menu::run,
       .why_not =
           [](const FrameState& state) { return Twin().exists(state.session) ? nullptr : "why_not.no_twin"; },
       .checked = [](const FrameState& state, std::string_view) { return Twin().is_a(state.session); }},
  };
}

}  // namespace attnscope
