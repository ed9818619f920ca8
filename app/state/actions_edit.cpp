// Undo and redo, the input, and the edit menu of the pinned cell.
#include "app/look/fonts.h"
#include "app/look/label.h"
#include "app/state/actions.h"
#include "app/state/frame_state.h"
#include "app/state/shown_figure.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

using compat::Key;

std::string with_sentence(const char* key, const std::string& sentence) {
  note_text(sentence);
  return sentence.empty() ? std::string(tr(key)) : tr(Label(key, ".what"), {sentence});
}

std::string opening_words(const char* key, const LeftWork& work) {
  return tr(key, {opened_title(*work.history.now().opened)});
}
// At the ends of the undo history, undo and redo switch to the work opened before or after.
std::string undo_words(const FrameState& state) {
  const Session& session = state.session;
  const bool crosses = !session.history().can_undo() && session.can_undo();
  return crosses ? opening_words("works.undo", session.before().back()) : session.history().undo_sentence();
}
std::string redo_words(const FrameState& state) {
  const Session& session = state.session;
  const bool crosses = !session.history().can_redo() && session.can_redo();
  return crosses ? opening_words("works.redo", session.after().back()) : session.history().redo_sentence();
}

void back_to_work(FrameState& state, std::string_view) {
  if (state.lessons.open() && state.session.shows_page()) return state.lessons.close(state);
  if (state.lecture.walking() && state.session.shows_page()) return state.lecture.end(state);
  state.commands.act([](Session& session) { session.go_back(); });
}

void edit_pinned(FrameState& state, std::string_view) {
  state.workspace.edit_at = Place{*state.workspace.cursor.pinned, {}, {}};
  state.popup_by_key = true;
}

void take_edits_back(FrameState& state, std::string_view) {
  state.commands.edit(Text::of("action.edit.clear"), {}, [](Document& changed) -> Status {
    changed.edits.clear();
    return Done{};
  });
}

}  // namespace

namespace {

const char* no_run_to_copy(const FrameState& state) { return state.run ? nullptr : "why_not.no_run"; }

const char* no_pinned(const FrameState& state) {
  return state.run && state.workspace.cursor.pinned ? nullptr : "why_not.no_pin";
}

const char* nothing_edited(const FrameState& state) {
  return state.session.document().edits.empty() ? "why_not.no_edits" : nullptr;
}

const char* no_figure(const FrameState& state) {
  if (!has_figure(state)) return "why_not.no_figure";
  return no_run_to_copy(state);
}

}  // namespace

std::vector<Action> edit_actions() {
  return {
      {.id = "edit.undo",
       .run = [](FrameState& state,
                 std::string_view) { state.commands.act([](Session& session) { session.undo(); }); },
       .menu = Menu::edit,
       .keys = {{Key::z, true}},
       .why_not =
           [](const FrameState& state) { return state.session.can_undo() ? nullptr : "why_not.no_undo"; },
       .label = [](const FrameState& state) { return with_sentence("action.edit.undo", undo_words(state)); },
       .repeats = true,
       .level = Level::easy},
      {.id = "edit.redo",
       .run = [](FrameState& state,
                 std::string_view) { state.commands.act([](Session& session) { session.redo(); }); },
       .menu = Menu::edit,
       .keys = {{Key::y, true}, {Key::z, true, true}},
       .why_not =
           [](const FrameState& state) { return state.session.can_redo() ? nullptr : "why_not.no_redo"; },
       .label = [](const FrameState& state) { return with_sentence("action.edit.redo", redo_words(state)); },
       .repeats = true,
       .level = Level::easy},
      {.id = "edit.back",
       .run = back_to_work,
       .menu = Menu::edit,
       .why_not =
           [](const FrameState& state) {
             return state.session.before().empty() ? "why_not.no_work" : nullptr;
           },
       .label =
           [](const FrameState& state) {
             const auto& before = state.session.before();
             return before.empty() ? std::string(tr("action.edit.back"))
                                   : opening_words("action.edit.back.what", before.back());
           }},
      {.id = "edit.type",
       .run = [](FrameState& state, std::string_view) { state.focus_text = true; },
       .menu = Menu::edit,
       .keys = {{Key::t, true}},
       .scope = KeyScope::everywhere,
       .why_not = no_model,
       .line_above = true,
       .level = Level::easy},
      {.id = "edit.place", .run = edit_pinned, .menu = Menu::edit, .keys = {{Key::e}}, .why_not = no_pinned},
      {.id = "edit.copy_figure",
       .run = [](FrameState& state, std::string_view) { state.commands.ask_figure(FigureFormat::text); },
       .menu = Menu::edit,
       .keys = {{Key::c, true, true}},
       .why_not = no_run_to_copy,
       .line_above = true,
       .level = Level::easy},
      {.id = "edit.copy_picture",
       .run = [](FrameState& state, std::string_view) { state.commands.ask_figure(FigureFormat::picture); },
       .menu = Menu::edit,
       .why_not = no_run_to_copy,
       .level = Level::easy},
      {.id = "edit.copy_values",
       .run = [](FrameState& state, std::string_view) { copy_values(state, false); },
       .menu = Menu::edit,
       .why_not = no_figure,
       .level = Level::easy},
      {.id = "edit.copy_markdown",
       .run = [](FrameState& state, std::string_view) { copy_values(state, true); },
       .menu = Menu::edit,
       .why_not = no_figure,
       .level = Level::easy},
      {.id = "edit.clear",
       .run = take_edits_back,
       .menu = Menu::edit,
       .why_not = nothing_edited,
       .line_above = true},
  };
}

}  // namespace attnscope
