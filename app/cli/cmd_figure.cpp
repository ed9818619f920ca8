// attnscope-cli figure: a view as SVG or text without a display, and a check that nothing in it is cut.
#include <array>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/figure/drawing.h"
#include "core/system/atomic_file.h"
#include "core/view/view.h"

namespace attnscope::cli {
namespace {

struct FigureOptions {
  std::vector<std::string> models, set;
  std::string view = "attention", page, level = "full", size = "1280x720", theme = "dark", out = "-";
  std::int64_t layer = 0, head = 0, row = -1;
  double temperature = 1;
  bool present = false, minus = false, compare = false, json = false, list = false, check = false;
  SequenceOptions text, a_text;
};
struct Room {
  const char* name;
  float width, height;
  const figure::LetterSizes* look;
};
// 8.5 cm of a printed page at 72 points per inch are 241 points.
constexpr std::array<Room, 8> kRooms{{{"1280x720", 1280, 720, &figure::kWindowLetters},
                                      {"1920x1080", 1920, 1080, &figure::kWindowLetters},
                                      {"1024x768", 1024, 768, &figure::kWindowLetters},
                                      {"half", 620, 560, &figure::kWindowLetters},
                                      {"column", 241, 320, &figure::kColumnLetters},
                                      {"presenter 1280x720", 1280, 720, &figure::kPresenterLetters},
                                      {"presenter 1024x768", 1024, 768, &figure::kPresenterLetters},
                                      {"presenter 3840x2160", 3840, 2160, &figure::kPresenterLetters}}};

Result<Room> room_of(const FigureOptions& options) {
  const std::vector<std::string> sides = split(options.size, 'x');
  std::vector<std::int64_t> pixels;
  for (const std::string& side : sides)
    if (const auto value = parse_index(side)) pixels.push_back(*value);
  if (sides.size() != 2 || pixels.size() != 2 || pixels[0] < 100 || pixels[1] < 100 || pixels[0] > 16384 ||
      pixels[1] > 16384)
    return fail(Code::bad_format, "error.cli.figure_size", {in_quotes(options.size)});
  const bool column = pixels[0] < 320;
  return Room{"", static_cast<float>(pixels[0]), static_cast<float>(pixels[1]),
              options.present ? &figure::kPresenterLetters
              : column        ? &figure::kColumnLetters
                              : &figure::kWindowLetters};
}

Status set_lab(ViewState& state, const FigureOptions& options) {
  if (options.page.empty()) return fail(Code::bad_format, "error.cli.figure_lab");
  TRY(state.lab, find_lab(options.page));
  state.values = initial_values(*state.lab);
  for (const std::string& one : options.set) TRY_OK(set_value(*state.lab, state.values, one));
  return Done{};
}

Result<figure::Figure> figure_of(const ViewSpec& view, ViewState state, const FigureOptions& options) {
  state.level = value_of_name(options.level, kLevels).value_or(Level::full);
  state.layer = static_cast<int>(options.layer), state.head = options.head, state.page = options.page;
  state.temperature = options.temperature;
  if (options.row >= 0) state.row = options.row;
  TRY_OK(check_state(state));
  return draw_view(view, state);
}

// The run that is asked for; without any input the one that the window opens with.
Result<std::shared_ptr<const Trace>> run_of(const std::shared_ptr<const OpenedModel>& opened,
                                            const SequenceOptions& text) {
  TRY(const Request request, text.request());
  if (!request.empty() || !opened->recorded.empty()) return text.run_one(*opened);
  Document document = new_document(opened);
  TRY_OK(apply_request(document, request));
  return run_under(*opened, document.edits, inputs_of(document).front());
}

// The figure of a run; with --minus, minus that of the same run without its edits.
Result<figure::Figure> figure_of_run(const ViewSpec& view, const FigureOptions& options) {
  TRY(OpenedModel model, open_to_run(options.models.front()));
  const auto opened = std::make_shared<const OpenedModel>(std::move(model));
  TRY(const std::shared_ptr<const Trace> run, run_of(opened, options.text));
  ViewState state = first_state(*opened, run);
  TRY(const Request request, options.text.request());
  state.compare = options.compare;
  if (options.minus || options.compare || !request.edits.empty()) {
    TRY_OK(check_runs(*opened));
    TRY(const Request a, options.a_text.request());
    TRY(state.before, a.empty() ? run_under(*opened, {}, run->input) : run_of(opened, options.a_text));
  }
  TRY(figure::Figure out, figure_of(view, state, options));
  if (options.compare && !shows_matrix(out))
    return fail(Code::unsupported, "error.cli.figure_compare", {options.view});
  if (!options.minus) return out;
  TRY(const figure::Figure before, figure_of(view, first_state(*opened, state.before), options));
  return minus(out, before);
}

Status write_figure(const figure::Figure& figure, const FigureOptions& options) {
  if (options.out == "-") {
    std::printf("%s", as_text(figure).c_str());
    return Done{};
  }
  TRY(const Room room, room_of(options));
  const figure::Measure measure;
  const figure::Placed placed = place(figure, room.width, room.height, *room.look, measure);
  if (!placed.overflows.empty())
    return fail(Code::out_of_range, "error.cli.figure_room", {options.size, join(placed.overflows, ", ")});
  if (placed.parts.size() < parts_of(figure).size())
    std::fprintf(stderr, "attnscope-cli: %s\n",
                 tr("cli.figure.left_out", {options.size, join(placed.given_up, ", ")}).c_str());
  const figure::Drawing drawing = draw(placed, *room.look, measure, options.theme == "dark");
  TRY(AtomicFile file, AtomicFile::create(options.out));
  file.write(to_svg(drawing, figure.title.str()));
  return file.commit();
}

Status list_views(bool json) {
  nlohmann::json all = nlohmann::json::array();
  for (const ViewSpec* view : view_specs()) {
    std::vector<std::string> pages;
    if (!view->model)
      for (const Lab& lab : labs()) pages.push_back(lab.id());
    if (json)
      all.push_back({{"view", view->id}, {"pages", pages}, {"model", view->model}});
    else
      std::printf("%-12s %s\n", view->id.c_str(), join(pages, ", ").c_str());
  }
  if (json) print_json(all);
  return Done{};
}

// ---- --check ---------------------------------------------------------------------------------------

class FigureCheck {
 public:
  explicit FigureCheck(bool json) : json_(json), lang_(language()) {}
  FigureCheck(const FigureCheck&) = delete;
  FigureCheck& operator=(const FigureCheck&) = delete;
  ~FigureCheck() { back_to_own_language(); }

  Status look_at(const std::string& name) {
    TRY(OpenedModel model, open_to_run(name));
    const auto shared = std::make_shared<const OpenedModel>(std::move(model));
    const OpenedModel& opened = *shared;
    const std::vector<Input> inputs = inputs_of(new_document(shared));
    for (const std::int64_t length : {0, 14, 25, 60, 2048}) {
      Input input = inputs.front();
      if (length > 0 && !lengthened(opened, input, length)) continue;
      const auto run = run_under(opened, {}, input);
      if (!run) continue;  // longer than the model's positions
      ViewState state = first_state(opened, *run);
      for (const ViewSpec* view : view_specs())
        if (view->model) TRY_OK(look_at_view(*view, state, name + " " + std::to_string((*run)->length)));
    }
    return Done{};
  }
  Status look_at_labs() {
    TRY(const ViewSpec* view, find_view("labs"));
    for (const Lab& lab : labs()) {
      ViewState state;
      state.lab = &lab, state.values = initial_values(lab);
      TRY_OK(look_at_view(*view, state, lab.id()));
    }
    return Done{};
  }
  Status report() const {
    if (json_) {
      print_json({{"looked_at", looked_at_}, {"overflows", found_}, {"smallest_digit", smallest_}});
    } else {
      for (const nlohmann::json& one : found_) std::printf("%s\n", one.dump().c_str());
      std::printf("%s\n", tr("cli.figure.looked", {std::to_string(looked_at_), std::to_string(found_.size()),
                                                   format("%.1f", static_cast<double>(smallest_))})
                              .c_str());
    }
    if (found_.empty()) return Done{};
    return fail(Code::out_of_range, "error.cli.figure_faults", {std::to_string(found_.size())});
  }

 private:
  // The input with its tokens repeated up to `length`; false where the model reads no tokens.
  static bool lengthened(const OpenedModel& opened, Input& input, std::int64_t length) {
    if (input.ids.empty() || !input.source.empty() || opened.model->config().encoder() ||
        input.attention_mask.size() + input.types.size() > 0)
      return false;
    const std::vector<int> own = input.ids;
    while (static_cast<std::int64_t>(input.ids.size()) < length)
      input.ids.push_back(own[input.ids.size() % own.size()]);
    input.ids.resize(static_cast<std::size_t>(length));
    return true;
  }
  Status look_at_view(const ViewSpec& view, ViewState state, const std::string& model) {
    for (const std::string& page : view.pages ? view.pages(state) : std::vector<std::string>{""}) {
      state.page = page;
      TRY_OK(look_at_page(view, state, model));
    }
    return Done{};
  }
  Status look_at_page(const ViewSpec& view, ViewState state, const std::string& model) {
    for (const Level level : {Level::easy, Level::full}) {
      state.level = level;
      auto figure = draw_view(view, state);
      if (!figure) continue;  // nothing to show for this model
      for (const std::string& lang : languages()) {
        TRY_OK(set_language(lang));
        for (const Room& room : kRooms)
          look_at_room(*figure, room,
                       {{"view", view.id},
                        {"page", state.lab ? state.lab->id() : state.page},
                        {"model", model},
                        {"size", room.name},
                        {"lang", lang},
                        {"level", name_of_value(level, kLevels)}});
      }
    }
    back_to_own_language();
    return Done{};
  }
  void look_at_room(const figure::Figure& figure, const Room& room, nlohmann::json at) {
    ++looked_at_;
    const figure::Placed placed = place(figure, room.width, room.height, *room.look, measure_);
    for (const std::string& what : placed.overflows) add(at, what);
    if (!placed.overflows.empty()) return;  // nothing else has its place then
    const figure::Drawing drawing = draw(placed, *room.look, measure_, true);
    for (const figure::DrawingFault& fault : faults_of(drawing, measure_))
      add(at, fault.part + ": " + fault.what + ": " + fault.text);
    if (room.look != &figure::kColumnLetters)
      if (const float digit = smallest_digit(drawing); digit > 0 && (smallest_ == 0 || digit < smallest_))
        smallest_ = digit;
  }
  void add(nlohmann::json at, const std::string& what) {
    at["what"] = what;
    found_.push_back(std::move(at));
  }

  void back_to_own_language() const { (void)set_language(lang_); }

  bool json_;
  std::string lang_;  // of the sentences around the figures
  figure::Measure measure_;
  std::int64_t looked_at_ = 0;
  nlohmann::json found_ = nlohmann::json::array();
  float smallest_ = 0;
};

Status check_figures(const FigureOptions& options) {
  FigureCheck check(options.json);
  const std::vector<std::string> models = options.models.empty() ? shipped_models() : options.models;
  for (const std::string& model : models) TRY_OK(check.look_at(model));
  if (options.models.empty()) TRY_OK(check.look_at_labs());
  return check.report();
}

Status run_figure(const FigureOptions& options) {
  if (options.list) return list_views(options.json);
  if (options.check) return check_figures(options);
  TRY(const ViewSpec* view, find_view(options.view));
  if (!view->model) {
    ViewState state;
    state.level = value_of_name(options.level, kLevels).value_or(Level::full);
    TRY_OK(set_lab(state, options));
    TRY(const figure::Figure figure, draw_view(*view, state));
    return write_figure(figure, options);
  }
  if (options.models.size() != 1) return fail(Code::bad_format, "error.cli.figure_model");
  TRY(const figure::Figure figure, figure_of_run(*view, options));
  return write_figure(figure, options);
}

}  // namespace

void add_figure(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("figure", tr("cli.figure"));
  const auto options = std::make_shared<FigureOptions>();
  command->add_option("MODEL", options->models, tr("cli.figure.model"));
  options->text.add_to(*command, false);
  options->a_text.add_to(*command, false, "a-");
  command->add_option("--view", options->view, tr("cli.figure.view"));
  command->add_option("--page", options->page, tr("cli.figure.page"));
  command->add_option("--set", options->set, tr("cli.lab.set"))->type_name("CONTROL=VALUE");
  command->add_option("--level", options->level, tr("cli.figure.level"))
      ->check(CLI::Validator(one_word_of({"easy", "full"}), ""));
  command->add_option("--size", options->size, tr("cli.figure.size"))->type_name("WxH");
  command->add_option("--theme", options->theme, tr("cli.figure.theme"))
      ->check(CLI::Validator(one_word_of({"dark", "light"}), ""));
  command->add_option("--layer", options->layer, tr("cli.figure.layer"))->transform(whole(0, 1 << 30));
  command->add_option("--head", options->head, tr("cli.figure.head"))->transform(whole(0, 1 << 30));
  command->add_option("--row", options->row, tr("cli.figure.row"))->transform(whole(0, 1 << 30));
  command->add_option("--temperature", options->temperature, tr("cli.figure.temperature"))
      ->check(CLI::Range(0.0, kMostTemperature));
  command->add_option("-o,--out", options->out, tr("cli.figure.out"))->type_name("FILE|-");
  command->add_flag("--present", options->present, tr("cli.figure.present"));
  command->add_flag("--minus", options->minus, tr("cli.figure.minus"));
  command->add_flag("--compare", options->compare, tr("cli.figure.compare"));
  command->add_flag("--check", options->check, tr("cli.figure.check"));
  command->add_flag("--list", options->list, tr("cli.figure.list"));
  command->add_flag("--json", options->json, tr("cli.json"));
  command->callback([options, &action] { action = [options] { return run_figure(*options); }; });
}

}  // namespace attnscope::cli
