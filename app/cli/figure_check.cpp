// attnscope-cli figure --check: every view placed at every size, level, language and length.
#include "app/cli/figure_check.h"

#include <array>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/arch/shipped.h"
#include "core/base/no_copy.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/export/page.h"
#include "core/figure/drawing.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_again.h"
#include "core/view/view.h"

namespace attnscope::cli {
namespace {

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

constexpr const char* kLabs = "labs";  // the view, and their name beside those of models

class FigureCheck : NoCopy {
 public:
  explicit FigureCheck(bool json) : json_(json), lang_(language()) {}
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
    return look_at_asked(shared, name);
  }
  Status look_at_labs() {
    TRY(const ViewSpec* view, find_view(kLabs));
    for (const Lab& lab : labs()) {
      ViewState state;
      state.lab = &lab, state.values = initial_values(lab);
      TRY_OK(look_at_view(*view, state, lab.id()));
    }
    return Done{};
  }
  Status report() const {
    if (json_) {
      print_json({{"looked_at", looked_at_},
                  {"rows", found_},
                  {"overflows", found_},
                  {"smallest_digit", smallest_},
                  {"run", run_json()}});
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
  // Ask's pages over the model's own input, and over examples of its task.
  Status look_at_asked(const std::shared_ptr<const OpenedModel>& opened, const std::string& name) {
    if (!opened->recorded.empty()) return Done{};
    Document document = new_document(opened);
    const auto runs = run_all(document, {}, {});
    if (!runs || runs->empty()) return Done{};
    const std::vector<nlohmann::json> pages = asked_pages();
    TRY_OK(look_at_questions(pages, document, runs->front(), name));
    const auto task = own_task_choice(*opened);
    if (!task || !give_prompts({{"path", task->path}, {"limit", 3}}, "", document)) return Done{};
    std::vector<nlohmann::json> over;
    for (nlohmann::json page : pages)
      if (page["ask"]["page"] != "parts") page["ask"]["over"] = "mean", over.push_back(std::move(page));
    return look_at_questions(over, document, runs->front(), name + ", " + task->path);
  }
  static std::vector<nlohmann::json> asked_pages() {
    std::vector<nlohmann::json> out{{{"ask", {{"page", "knock_out"}}}},
                                    {{"ask", {{"page", "patch"}, {"patch", "heads"}}}}};
    for (const char* to : {"q", "rest"})
      for (const char* path : {"direct", "total"})
        out.push_back({{"ask", {{"page", "links"}, {"to", to}, {"path", path}}}});
    for (const char* sum : {"direct", "twin_token", "twin_neuron"})
      out.push_back({{"ask", {{"page", "parts"}, {"sum", sum}}}});
    return out;
  }
  Status look_at_questions(const std::vector<nlohmann::json>& looks, const Document& document,
                           const std::shared_ptr<const Trace>& run, const std::string& model) {
    TRY(const ViewSpec* view, find_view("ask"));
    for (const nlohmann::json& look : looks) {
      auto shown = asked_again(look, document, 0);
      if (!shown || !*shown) continue;  // no such question of this model
      ViewState state = first_state(*document.opened, run);
      state.asked = *std::move(shown);
      TRY_OK(look_at_page(*view, state, model + " " + look.dump()));
    }
    return Done{};
  }
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
    std::vector<std::string> pages = pages_of(view, state);
    if (pages.empty()) pages.emplace_back();
    if (!view.aside.empty()) pages.emplace_back(view.aside);
    if (view.gradients)
      if (const auto gradients = view.gradients(state)) state.gradients = *gradients;
    for (const std::string& page : pages) {
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

}  // namespace

Status check_figures(const std::vector<std::string>& names, bool json) {
  FigureCheck check(json);
  std::vector<std::string> all = names;
  if (all.empty()) {
    all = shipped_models();
    all.emplace_back(kLabs);
  }
  for (const std::string& name : all) TRY_OK(name == kLabs ? check.look_at_labs() : check.look_at(name));
  return check.report();
}

}  // namespace attnscope::cli
