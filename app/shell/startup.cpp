#include "app/shell/startup.h"

#include <algorithm>
#include <filesystem>

#include "app/state/cursor.h"
#include "app/state/workspace_file.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/edit_values.h"
#include "core/system/system_language.h"
#include "core/system/typed_text.h"

namespace attnscope {
namespace {

std::string clamped_note(const char* key, int asked, int count) {
  return Text::of(key, {asked, count, count - 1}).str();
}

}  // namespace

namespace {

// A model that has learned something, on the head that shows it, unless this person has arranged otherwise.
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

void open_asked(FrameState& state, const Options& options) {
  if (!options.lesson.empty()) {
    const auto page = options.page > 0 ? std::optional(options.page - 1) : std::nullopt;
    if (const Status begun = state.lessons.start(state, options.lesson, page); !begun)
      state.session.report(begun.error());
    return;
  }
  if (options.path.empty())
    open_default(state, options);
  else
    state.open(options.path);
}

void apply_language(FrameState& state, const Options& options) {
  if (!options.language.empty()) return state.set_language(options.language);
  const std::string& saved = state.settings.language;
  (void)set_language(saved.empty() ? system_language() : saved);  // an unknown one changes nothing
}

Status apply_look(FrameState& state, const Options& options) {
  if (!options.theme.empty()) state.set_theme(options.theme == "light" ? ThemeKind::light : ThemeKind::dark);
  if (!options.view.empty()) state.workspace.view = options.view;
  if (!options.lab.empty()) {
    TRY(const LabRequest request, parse_lab_request(options.lab));
    state.workspace.lab = request.lab->id();
    state.workspace.lab_values[request.lab->id()] = request.values;
    if (options.view.empty()) state.workspace.view = "labs";
  }
  if (!options.animate) state.workspace.animate = false;
  if (options.backward) state.workspace.backward = true;
  if (options.present) set_presenting(state, true);
  return Done{};
}

namespace {

constexpr int kAnswer = 12;  // tokens of the model's own answer to a text

bool asks_for_input(const Options& options) {
  return !options.texts.empty() || !options.ids.empty() || !options.decoder_texts.empty() ||
         !options.images.empty() || !options.masks.empty() || !options.edits.empty() || options.pad_to >= 0;
}

Stack read_stack(const Document& document) {
  const ModelConfig& config = document.model->config();
  return config.encoder() ? Stack::enc : config.stack;
}

Status give_ids(Document& document, std::vector<int> ids) {
  const ModelConfig& config = document.model->config();
  const Stack of = read_stack(document);
  const bool placed = std::find(ids.begin(), ids.end(), config.image_token) != ids.end();
  if (config.vision() && !placed)
    ids.insert(ids.begin(), static_cast<std::size_t>(config.vision()->patch.count()), config.image_token);
  return set_spelled(document, 0, sequence_from_ids(*document.opened, std::move(ids), of), of);
}

Status give_image(Document& document, std::size_t sequence, const std::string& path) {
  if (ends_with(path, ".npy") || ends_with(path, ".safetensors")) {
    TRY(Tensor pixels, open_pixels(path, document.opened->preprocessing));
    return set_pixels(document, sequence, std::move(pixels));
  }
  TRY(Picture picture, open_picture(path));
  return set_picture(document, sequence, std::move(picture));
}

Status give_texts(Document& document, const Options& options) {
  const ModelConfig& config = document.model->config();
  if (!options.decoder_texts.empty() && !config.encoder())
    return fail(Code::unsupported, "error.app.no_decoder");
  for (std::size_t i = 0; i < options.texts.size(); ++i) {
    TRY(const std::string text, typed_text(options.texts[i]));
    TRY_OK(set_text(document, i, text, read_stack(document)));
    if (config.encoder()) TRY_OK(set_text(document, i, ""));  // the answer to another text
  }
  if (!options.ids.empty()) {
    TRY_OK(give_ids(document, options.ids));
    if (config.encoder()) TRY_OK(set_text(document, 0, ""));
  }
  for (std::size_t i = 0; i < options.decoder_texts.size(); ++i) {
    TRY(const std::string text, typed_text(options.decoder_texts[i]));
    TRY_OK(set_text(document, i, text));
  }
  return Done{};
}

Status give_input(Document& document, const Options& options) {
  const bool words = !options.texts.empty() || !options.ids.empty();
  if (words && !document.sequences.empty() && !document.sequences.front().input.vectors.empty())
    return fail(Code::unsupported, "error.app.vectors");
  const std::size_t count =
      std::max({options.texts.size(), options.decoder_texts.size(), options.images.size()});
  while (document.sequences.size() < count) TRY_OK(add_sequence(document, document.sequences.size() - 1));
  TRY_OK(give_texts(document, options));
  for (std::size_t i = 0; i < options.images.size(); ++i) TRY_OK(give_image(document, i, options.images[i]));
  if (options.pad_to >= 0)
    TRY_OK(set_padding(document,
                       {true, options.pad_side == "left" ? PadSide::left : PadSide::right, options.pad_to}));
  for (const std::string& mask : options.masks) {
    std::string_view spec = mask;
    const AttentionKind of = take_mask_prefix(spec);
    TRY_OK(set_mask_text(document, std::string(spec), of));
  }
  const auto first_run = [&](const std::string& name) -> Result<std::shared_ptr<const Trace>> {
    if (!name.empty()) return fail(Code::not_found, "error.session.edit.no_run", {in_quotes(name)});
    return document.model->run(inputs_of(document).front());
  };
  for (const std::string& text : options.edits) {
    TRY(const Edits edits,
        parse_edits(text, document.model->config(), named_numbers(*document.opened, first_run)));
    for (const auto& edit : edits) put_edit(document, edit);
  }
  return Done{};
}

}  // namespace

Status apply_input(FrameState& state, const Options& options) {
  if (!asks_for_input(options)) return Done{};
  Session& session = state.session;
  TRY_OK(session.edit(Text::of("frame.input_given"), {},
                      [&](Document& document) { return give_input(document, options); }));
  session.take_as_kept();
  const bool words = !options.texts.empty() || !options.ids.empty();
  if (words && options.decoder_texts.empty() && session.document().model->config().encoder())
    session.answer(0, kAnswer, Text::of("output.edit.generate_many", {kAnswer}), true);
  return Done{};
}

namespace {

void say_refused(FrameState& state, const Error& why) {
  state.notify(Notice::Kind::warning, Text::of("frame.input_refused", {why.what}), why.advice, 0);
}

}  // namespace

void give_input_or_say(FrameState& state, const Options& options) {
  if (const Status given = apply_input(state, options); !given) say_refused(state, given.error());
}

void take_back_refused_input(FrameState& state, const Options& options) {
  Session& session = state.session;
  const auto why = session.error();
  const auto run = session.result();
  const bool shown = run && run->undo_point == session.history().point();
  if (!asks_for_input(options) || !why || shown || !session.history().can_undo()) return;
  const Error& error = *why;
  session.take_back();
  session.take_as_kept();
  say_refused(state, error);
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
    Site same = cursor.step;  // of the layer that was asked for: the stage and the walk show one place
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
