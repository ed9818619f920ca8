// attnscope-cli figure: a view as a picture, as data or as text, without a display.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/answer_run.h"
#include "app/cli/figure_check.h"
#include "app/cli/figure_list.h"
#include "app/cli/figure_options.h"
#include "app/cli/figure_source.h"
#include "app/cli/figure_walk.h"
#include "core/base/no_copy.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/export.h"
#include "core/session/figure_session.h"
#include "core/session/told_run.h"
#include "core/system/named_files.h"
#include "core/view/ask_again.h"
#include "core/view/caption.h"
#include "core/view/figure_file.h"
#include "core/view/step_figure.h"

namespace attnscope::cli {
namespace {

constexpr const char* kWindowSize = "1280x720";
constexpr const char* kLabModel = "scene:nine_steps";  // that the window shows a lab beside

// A figure, and the session that it is made from.
struct MadeFigure {
  FigureForFile figure;
  std::string session;
  std::string run = {};  // what was run, as JSON
};

Status set_lab(ViewState& state, const FigureOptions& options) {
  if (options.page.empty()) return fail(Code::bad_format, "error.cli.figure_lab");
  TRY(state.lab, find_lab(options.page));
  state.values = initial_values(*state.lab);
  for (const std::string& one : options.set) TRY_OK(set_value(*state.lab, state.values, one));
  return Done{};
}

// The session to travel in the figure. Empty where there is none to keep: a recording, a stream.
std::string session_of(const ViewSpec& view, const ViewState& state, const FigureSource& source,
                       const FigureOptions& options) {
  const auto session =
      figure_session(source.document, figure_look(view, state, source, options), figure_words(options),
                     options.compare || options.minus ? source.pinned.get() : nullptr,
                     options.out == "-" ? "figure" : options.out);
  return session ? *session : std::string();
}

Result<MadeFigure> lab_figure(const ViewSpec& view, const FigureOptions& options) {
  ViewState state;
  state.level = value_of_name(options.level, kLevels).value_or(Level::full);
  TRY_OK(set_lab(state, options));
  TRY(figure::Figure figure, draw_view(view, state, !options.paper));
  FigureSource source;
  TRY(OpenedModel model, open_named(kLabModel));
  source.opened = std::make_shared<const OpenedModel>(std::move(model));
  source.document = new_document(source.opened);
  std::vector<Text> caption = caption_of(view, state, nullptr, 0, figure);
  return MadeFigure{{std::move(figure), std::move(caption), state.run},
                    session_of(view, state, source, options)};
}

std::string told_of(const FigureSource& source, const FigureOptions& options) {
  nlohmann::json run = told_document(source.document);
  run["model"]["name"] = options.models.front();
  run["command"] = words_without(command_words(), {"--out", "-o", "--format"});
  return run.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// With --minus, minus the figure of the run that it is compared with.
Result<MadeFigure> run_figure(const ViewSpec& view, const FigureSource& source, const ViewState& state,
                              const FigureOptions& options) {
  const auto drawn = [&](const ViewState& of) {
    return options.step.empty() ? draw_view(view, of, !options.paper)
                                : step_figure(of, options.step, !options.paper);
  };
  TRY(figure::Figure figure, drawn(state));
  if (options.compare && !shows_matrix(figure))
    return fail(Code::unsupported, "error.cli.figure_compare", {options.view});
  if (options.minus) {
    ViewState before = state;
    before.run = state.before, before.before = nullptr;
    if (state.opened_before) before.opened = state.opened_before;
    TRY_OK(check_state(before));
    TRY(const figure::Figure older, drawn(before));
    figure = minus(figure, older);
  }
  std::vector<Text> caption = caption_of(view, state, &source.document, source.sequence, figure);
  return MadeFigure{{std::move(figure), std::move(caption), state.run},
                    session_of(view, state, source, options),
                    told_of(source, options)};
}

std::vector<std::string> known_forms() {
  std::vector<std::string> out;
  for (const Exporter* one : exporters()) out.push_back(one->id);
  return out;
}

bool is_printed(const FigureOptions& options) { return options.out == "-" || options.out == "/dev/stdout"; }

Result<const Exporter*> exporter_of(const FigureOptions& options) {
  if (!options.format.empty()) return find_exporter(options.format);
  if (is_printed(options)) return static_cast<const Exporter*>(nullptr);
  return exporter_of_path(options.out);
}

// One figure, or those of a walk.
Status write_made(const std::vector<FigureForFile>& figures, const std::string& session,
                  const std::string& run, const FigureOptions& options) {
  TRY(const Exporter* exporter, exporter_of(options));
  if (!exporter && figures.size() > 1) return fail(Code::unsupported, "error.cli.walk_file");
  if (!exporter) {
    std::printf("%s", as_text(figures.front().figure).c_str());
    return Done{};
  }
  FileStyle style;
  style.run = run;
  style.size = !options.size.empty() ? options.size : options.paper ? kPaperSize : kWindowSize;
  style.paper = options.paper, style.caption = options.caption, style.transparent = options.transparent;
  style.dark = options.theme == "dark";
  if (options.present && !options.paper) style.letters = &figure::kPresenterLetters;
  style.scale = static_cast<int>(options.scale), style.seconds = options.seconds;
  TRY(const std::vector<std::string> left_out,
      write_figures(*exporter, figures, session, style, is_printed(options) ? "/dev/stdout" : options.out));
  if (!left_out.empty())
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.figure.left_out", {style.size, join(left_out, ", ")}).c_str());
  // Whoever reads a-%03d.png would go on with another walk's pictures.
  const std::string next = walk_file(options.out, figures.size() + 1);
  if (figures.size() > 1 && !exporter->moves && std::filesystem::exists(next))
    std::fprintf(stderr, "attnscope-cli: %s\n", tr("cli.figure.longer_walk", {next}).c_str());
  return Done{};
}

// Data and text have no look: what asks for one is refused.
Status check_look(const FigureOptions& options) {
  TRY(const Exporter* exporter, exporter_of(options));
  if (exporter && (exporter->picture || exporter->moves)) return Done{};
  for (const char* name : kLookFlags)
    if (options.given.contains(name)) return fail(Code::unsupported, "error.cli.figure_picture", {name});
  return Done{};
}

Status make_walk(const ViewSpec& view, const FigureOptions& options) {
  if (is_printed(options)) return fail(Code::unsupported, "error.cli.walk_file");
  TRY(const std::vector<WalkStop> stops, walk_stops(view, options));
  std::vector<FigureForFile> figures;
  for (const WalkStop& stop : stops) {
    TRY(MadeFigure one, run_figure(view, stop.source, stop.state, options));
    figures.push_back(std::move(one.figure));
  }
  return write_made(figures, {}, {}, options);
}

// A figure that is opened brings the language it was made in; whoever asked goes on in their own.
class OwnLanguage : NoCopy {
 public:
  OwnLanguage() = default;
  ~OwnLanguage() { (void)set_language(own_); }

 private:
  std::string own_ = language();
};

Status make_figure(FigureOptions options) {
  if (options.list) return list_views(options);
  if (options.check) return check_figures(options.models, options.json);
  TRY_OK(check_look(options));  // before anything is run
  if (!options.size.empty()) TRY_OK(parse_page_size(options.size));
  if (!options.walk.empty()) {
    TRY(const ViewSpec* view, find_view(options.view));
    return make_walk(*view, options);
  }
  FigureSource source;
  const OwnLanguage own;
  if (options.models.size() == 1) {
    TRY(source, figure_source(options));
    TRY_OK(set_language(options.lang));
  }
  TRY(const ViewSpec* view, find_view(options.view));
  if (!view->model) {
    TRY(MadeFigure made, lab_figure(*view, options));
    const std::string run = run_json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return write_made({std::move(made.figure)}, made.session, run, options);
  }
  if (options.models.size() != 1) return fail(Code::bad_format, "error.cli.figure_model");
  TRY(ViewState state, figure_state(source, options));
  std::optional<PathsIn> reading;  // what its choices name stands in the session
  if (source.session) reading.emplace(options.models.front());
  state.sequence = source.sequence;
  take_choices(*view, source.look, state);
  if (view->id == "ask" && !options.minus) {
    TRY(state.asked, asked_again(source.look, source.document, source.sequence, source.pinned.get()));
  }
  TRY(MadeFigure made, run_figure(*view, source, state, options));
  return write_made({std::move(made.figure)}, made.session, made.run, options);
}

}  // namespace

void add_figure(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("figure", tr("cli.figure"));
  const auto options = std::make_shared<FigureOptions>();
  command->add_option("MODEL|SESSION", options->models, tr("cli.figure.model"));
  options->text.add_to(*command, false);
  options->a_text.add_to(*command, false, "a-");
  command->add_option("--view", options->view, tr("cli.figure.view"));
  command->add_option("--step", options->step, tr("cli.figure.step"))->type_name("SITE");
  command->add_option("--page", options->page, tr("cli.figure.page"));
  command->add_option("--set", options->set, tr("cli.lab.set"))->type_name("CONTROL=VALUE");
  command->add_option("--level", options->level, tr("cli.figure.level"))->check(word_of({"easy", "full"}));
  command->add_option("--size", options->size, tr("cli.figure.size"))->type_name("WxH");
  command->add_option("--theme", options->theme, tr("cli.figure.theme"))->check(word_of({"dark", "light"}));
  command->add_option("--layer", options->layer, tr("cli.figure.layer"))->transform(whole(0, 1 << 30));
  command->add_option("--head", options->head, tr("cli.figure.head"))->transform(whole(0, 1 << 30));
  command->add_option("--row", options->row, tr("cli.figure.row"))->transform(whole(0, 1 << 30));
  command->add_option("--words", options->words, tr("cli.figure.words"));
  command->add_option("--distance", options->distance, tr("cli.figure.distance"))
      ->transform(whole(0, 1 << 20));
  command->add_option("--temperature", options->temperature, tr("cli.figure.temperature"))
      ->check(CLI::Range(0.0, kMostTemperature));
  command->add_option("-o,--out", options->out, tr("cli.figure.out", {join(known_forms(), ", ")}))
      ->type_name("FILE|-");
  command->add_option("--walk", options->walk, tr("cli.figure.walk"))->type_name("WHAT");
  command->add_option("--seconds", options->seconds, tr("cli.figure.seconds"))->check(CLI::Range(0.2, 60.0));
  command->add_option("--format", options->format, tr("cli.figure.format"));
  command->add_option("--scale", options->scale, tr("cli.figure.scale"))
      ->transform(whole(1, kMostExportScale));
  command->add_flag("--transparent", options->transparent, tr("cli.figure.transparent"));
  command->add_flag("--paper", options->paper, tr("cli.figure.paper"));
  command->add_flag("--caption,!--no-caption", options->caption, tr("cli.figure.caption"));
  command->add_flag("--present", options->present, tr("cli.figure.present"));
  command->add_flag("--minus", options->minus, tr("cli.figure.minus"));
  command->add_flag("--compare", options->compare, tr("cli.figure.compare"));
  command->add_flag("--check", options->check, tr("cli.figure.check"));
  command->add_flag("--list", options->list, tr("cli.figure.list"));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, command, &app, &action] {
    each_figure_option(*options, [&](const char* name, const auto&) {
      const std::string flag = "--" + std::string(name);
      const CLI::Option* option = command->get_option_no_throw(flag);
      if (!option) option = app.get_option(flag);  // --lang is of every command
      if (option->count() > 0) options->given.insert(name);
    });
    action = [options] { return make_figure(*options); };
  });
}

}  // namespace attnscope::cli
