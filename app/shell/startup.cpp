#include "app/shell/startup.h"

#include <algorithm>
#include <filesystem>

#include "app/state/cursor.h"
#include "app/state/workspace_file.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/beside.h"
#include "core/session/steering.h"
#include "core/system/system_language.h"
#include "core/trace/editable.h"

namespace attnscope {
namespace {

std::string clamped_note(const char* key, int asked, int count) {
  return Text::of(key, {asked, count, count - 1}).str();
}

}  // namespace

namespace {

// Opens the default trained model, with the attention view unless there is a saved workspace.
void open_default(FrameState& state, const Options& options) {
  const std::vector<ShippedModel>& models = state.models();
  const auto wanted = [](const ShippedModel& model) { return model.name == kDefaultModel; };
  if (std::none_of(models.begin(), models.end(), wanted)) return state.open_shipped(kDefaultScene);
  std::error_code error;
  const bool known = options.screenshot.empty() && std::filesystem::exists(workspace_path(), error);
  if (!known && options.lab.empty()) state.workspace.view = "attention";
  state.open_shipped_model(kDefaultModel);
}

}  // namespace

// A lesson or lecture; what does not open is a sentence on the first page.
void open_taught(FrameState& state, const Options& options) {
  const auto page = options.page > 0 ? std::optional(options.page - 1) : std::nullopt;
  const Status begun = options.lesson.empty() ? state.lecture.start(state, options.lecture, page.value_or(0))
                                              : state.lessons.start(state, options.lesson, page);
  if (!begun) state.session.report(begun.error());
}

void open_asked(FrameState& state, const Options& options) {
  if (!options.lesson.empty() || !options.lecture.empty()) return open_taught(state, options);
  const Level level = value_of_name(options.level, kLevels).value_or(state.workspace.level);
  if (level == Level::easy) state.workspace.view = "attention";  // a session that is opened has its own
  state.adapter = options.lora;
  if (options.path.empty())
    open_default(state, options);
  else
    state.open(options.path);
}

void apply_language(FrameState& state, const Options& options) {
  if (!options.language.empty()) return state.set_language(options.language);
  const std::string& saved = state.settings.language;
  (void)set_language(saved.empty() ? system_language() : saved);  // unknown ones are ignored
}

Status apply_look(FrameState& state, const Options& options) {
  Workspace& workspace = state.workspace;
  workspace.level = value_of_name(options.level, kLevels).value_or(workspace.level);
  if (!options.theme.empty()) state.set_theme(options.theme == "light" ? ThemeKind::light : ThemeKind::dark);
  if (!options.view.empty()) state.workspace.view = options.view;
  if (!options.lab.empty()) {
    TRY(const LabRequest request, parse_lab_request(options.lab));
    state.workspace.lab = request.lab->id();
    state.workspace.lab_values[request.lab->id()] = request.values;
    if (options.view.empty()) state.workspace.view = "labs";
  }
  TRY(nlohmann::json settings, read_settings(options.settings));
  state.choose_in_views(std::move(settings));
  if (!options.animate) state.workspace.animate = false;
  if (options.backward) state.workspace.backward = true;
  if (options.present && !state.session.error())
    set_presenting(state, true);  // the sheet has no place for it
  return Done{};
}

namespace {

constexpr int kAnswer = 12;  // tokens that the model generates as decoder input

Status give_input(Document& document, const Request& request) {
  const bool vectors = !document.sequences.empty() && !document.sequences.front().input.vectors.empty();
  if (vectors && !request.words.empty()) return fail(Code::unsupported, "error.app.vectors");
  TRY_OK(apply_request(document, request));
  if (document.sequences.size() <= kMostDocumentSequences) return Done{};
  return fail(Code::out_of_range, "error.session.batch_full", {kMostDocumentSequences});
}

}  // namespace

void keep_beside(FrameState& state, const std::string& model) {
  if (model.empty()) return;
  state.workspace.show_difference = true;
  state.session.pin([document = state.session.document(), model](const std::atomic<bool>&) {
    return under_model(document, model);
  });
}

Status apply_input(FrameState& state, const Options& options) {
  keep_beside(state, options.beside);
  const Request& request = options.request;
  if (options.data.path == kSessionData) {  // it came with the session
    if (!state.session.document().data.prompts) return fail(Code::not_found, "error.cli.data_session_none");
  } else if (!options.data.path.empty()) {
    state.open_data(options.data);
  }
  if (request.unused()) return Done{};
  Session& session = state.session;
  // What is read first, and from there on counts what edits change.
  Request read = request, edits;
  read.edits.clear(), edits.edits = request.edits;
  read.steers.clear(), edits.steers = request.steers;
  if (!read.unused()) {
    TRY_OK(session.edit(Text::of("frame.input_given"), {},
                        [&](Document& document) { return give_input(document, read); }));
    session.begin_here();
  }
  if (!edits.unused())
    TRY_OK(session.edit(Text::of("frame.edits_given"), {},
                        [&](Document& document) { return give_input(document, edits); }));
  for (const auto* texts : {&request.steers, &request.edits})
    for (const Text& note : other_models(*texts, *session.document().opened))
      state.notify(Notice::Kind::warning, note, {}, 0);
  session.take_as_kept();
  if (!request.words.empty() && request.decoder_words.empty() && session.document().model->config().encoder())
    session.answer(0, kAnswer, Text::of("output.edit.generate_many", {kAnswer}), true);
  return Done{};
}

namespace {

void say_refused(FrameState& state, const Error& why) {
  state.notify(why.saying(Text::of("frame.input_refused", {why.what()})));
}

}  // namespace

void give_input_or_say(FrameState& state, const Options& options) {
  if (const Status given = apply_input(state, options); !given) say_refused(state, given.error());
}

std::optional<Error> refused_input(const Session& session, const Options& options) {
  const auto run = session.result();
  if (!run || run->undo_point != session.history().point()) return session.error();
  if (!options.request.edits.empty() || !options.request.steers.empty())
    for (const auto& trace : run->traces)
      if (!trace->unreached.empty()) return no_place(*trace->unreached.front());
  return std::nullopt;
}

void take_back_refused_input(FrameState& state, const Options& options) {
  Session& session = state.session;
  const std::optional<Error> why = refused_input(session, options);
  if (options.request.unused() || !why || !session.history().can_undo()) return;
  while (session.history().can_undo()) session.take_back();
  session.take_as_kept();
  say_refused(state, *why);
}

Status apply_training(FrameState& state, const Options& options) {
  if (options.train.empty()) return Done{};
  TRY(TrainingSettings settings, training_settings(options.train));
  if (options.train_steps > 0) {
    settings.recipe.steps = options.train_steps;
    settings.recipe.warmup = std::min(settings.recipe.warmup, options.train_steps / 4);
  }
  TRY_OK(state.session.train(settings, true));
  if (options.view.empty()) state.workspace.view = "training";
  return Done{};
}

Status apply_cursor(FrameState& state, const RunResult& run, const Options& options,
                    std::vector<std::string>& notes) {
  Cursor& cursor = state.workspace.cursor;
  const int layers = run.document.model->config().n_layers();
  if (options.layer >= layers) notes.push_back(clamped_note("note.no_layer", options.layer, layers));
  if (options.layer >= 0) {
    cursor.layer = std::min(options.layer, layers - 1);
    Site same = cursor.step;  // of the requested layer, so that stage and timeline agree
    if (same.layer >= 0) same.layer = cursor.layer;
    go_to_site(state.workspace, run, same);
  }
  tidy_cursor(cursor, run);
  if (!options.step.empty()) {
    TRY(const Site site, parse_site(options.step));
    if (!run.trace(cursor.sequence).find(site))
      return fail(Code::not_found, "error.app.no_step", {in_quotes(options.step)});
    go_to_site(state.workspace, run, site);
  }
  const int heads = head_count(cursor, run);
  if (options.head >= heads) notes.push_back(clamped_note("note.no_head", options.head, heads));
  if (options.head >= 0) cursor.head = options.head;
  tidy_cursor(cursor, run);
  return Done{};
}

}  // namespace attnscope
