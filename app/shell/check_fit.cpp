#include "app/shell/check_fit.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "app/figure/text_faults.h"
#include "app/gpu/gl_context.h"
#include "app/gpu/imgui_host.h"
#include "app/look/theme.h"
#include "app/shell/app.h"
#include "app/shell/easy_window.h"
#include "app/shell/picture.h"
#include "app/shell/startup.h"
#include "app/state/presenter.h"
#include "app/widgets/navigation.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr float kFitWide = 1280.f, kFitHigh = 720.f;         // units, without --size
constexpr float kLeastDigit = 14.f, kLeastPresented = 20.f;  // em of the looked-at row's digits
constexpr int kFitFrames = 3;  // until sizes that depend on the frame before stand still

struct FitFinding {
  std::string model, view, step, language;
  const char* what = "";
  std::string where;
};

struct FitReport {
  std::int64_t looked_at = 0, matrices = 0, without_digits = 0;
  float smallest_digit = 0;  // pixels
  std::vector<FitFinding> findings;
};

class FitCheck {
 public:
  FitCheck(const Options& options, Session& session, ImguiHost& host, Frame& frame, ImVec2 size)
      : options_(options), session_(session), host_(host), frame_(frame), size_(size) {}

  Status check_model(const std::string& path) {
    FrameState& state = frame_.state();
    state.open(path);
    session_.wait();
    if (session_.error()) return *session_.error();
    TRY_OK(apply_input(state, options_));
    session_.wait();
    if (const auto why = refused_input(session_, options_)) return *why;
    TRY_OK(apply_look(state, options_));
    stand_still();
    const auto run = frame_.run();
    if (!run) return fail(Code::unsupported, "error.app.no_figure", {in_quotes(path)});
    model_ = path;
    for (const std::string& language :
         options_.language.empty() ? languages() : std::vector{options_.language})
      check_language(*run, language);
    return Done{};
  }
  /// Every slide of a lecture, as it is shown.
  Status check_lecture(const std::string& name) {
    FrameState& state = frame_.state();
    TRY_OK(state.lecture.start(state, name));
    model_ = name;
    if (options_.present) set_presenting(state, true);
    for (const std::string& language :
         options_.language.empty() ? languages() : std::vector{options_.language})
      for (int slide = 0; slide < static_cast<int>(state.lecture.size()); ++slide) {
        state.set_language(language);
        state.lecture.go(state, slide);
        settle(session_, host_, frame_, kFitFrames);
        if (session_.error()) return *session_.error();
        check_figure(std::to_string(slide + 1));
      }
    return Done{};
  }
  const FitReport& report() const { return report_; }

 private:
  void check_language(const RunResult& run, const std::string& language) {
    frame_.state().set_language(language);
    const Level level = frame_.state().workspace.level;
    const std::string first = frame_.state().workspace.view;
    for (const auto& view : frame_.state().views) {
      frame_.state().workspace.level = level;  // a view that easy has no picture of went to the full window
      if (!view->unavailable(run).empty() || (!options_.view.empty() && options_.view != view->id()))
        continue;
      if (shows_easy(frame_.state()) && !has_easy_form(view->id())) continue;
      frame_.state().workspace.view = view->id();
      stand_still();
      if (frame_.state().workspace.level != level || frame_.state().workspace.view != view->id()) continue;
      if (std::string_view(view->id()) == "steps")
        shows_easy(frame_.state()) ? check_stations() : check_steps(run);
      else
        check_figure("");
    }
    frame_.state().workspace.level = level;  // for the next language and model, too: a view without an easy
    frame_.state().workspace.view = first;   // picture would open the full window there
  }

  // Views without one show another view in its place.
  static bool has_easy_form(std::string_view view) {
    const auto found = find_view(view);
    return found && (*found)->model;
  }

  // Each station of the film, from the first one on.
  void check_stations() {
    FrameState& state = frame_.state();
    stand_still();
    while (state.film && state.film(state, -1)) {
    }
    do check_figure(state.workspace.station);
    while (state.film && state.film(state, 1));
  }

  // One step of each kind: those of other blocks are drawn alike.
  void check_steps(const RunResult& run) {
    std::set<std::tuple<Stack, Part, Slot>> seen;
    for (const TimelineStep& step : run.steps)
      for (const Site& site : step.sites) {
        if (!seen.insert({site.stack, site.part, site.slot}).second) continue;
        go_to_site(frame_.state().workspace, run, site);
        check_figure(to_text(site));
      }
  }

  void check_figure(const std::string& step) {
    stand_still();
    const DisplayList list = stage_as_list(host_, frame_);
    ++report_.looked_at;
    for (const TextFault& fault : text_faults(list))
      add(step, to_text(fault.kind), fault.other.empty() ? fault.text : fault.text + " | " + fault.other);
    for (const CellDigits& matrix : cell_digits(list)) {
      ++report_.matrices;
      report_.without_digits += matrix.with_digits == 0;
    }
    const bool one_step = frame_.state().workspace.view == "steps" && !shows_easy(frame_.state());
    if ((frame_.state().presenter.on || one_step) && scrolls(list)) add(step, "scrolls", "");
    if (one_step) check_row(step, list);
    const float digit = smallest_digit(list);
    if (digit > 0 && (report_.smallest_digit == 0 || digit < report_.smallest_digit))
      report_.smallest_digit = digit;
  }

  // The row that is looked at has digits, large enough to be read.
  void check_row(const std::string& step, const DisplayList& list) {
    const float em = digits_of_row(list, to_text(frame_.state().workspace.cursor.step));
    const float least = frame_.state().presenter.on ? kLeastPresented : kLeastDigit * ui_scale();
    if (em <= 0)
      add(step, "no_digits", "");
    else if (em < least - 0.05f)
      add(step, "small", format("%.1f", static_cast<double>(em)));
  }

  void add(const std::string& step, const char* what, const std::string& where) {
    report_.findings.push_back({model_, frame_.state().workspace.view, step, language(), what, where});
  }

  static bool scrolls(const DisplayList& list) {
    return std::any_of(list.items().begin(), list.items().end(), [&](const DrawItem& item) {
      return list.clip(item).scrolls_x || list.clip(item).scrolls_y;
    });
  }

  void stand_still() {
    const FrameState& state = frame_.state();
    if (state.presenter.on) host_.set_scale(presenter_scale(state, size_.x, size_.y));
    settle(session_, host_, frame_, kFitFrames);
  }

  const Options& options_;
  Session& session_;
  ImguiHost& host_;
  Frame& frame_;
  ImVec2 size_;
  std::string model_;
  FitReport report_;
};

void print_fit(const FitReport& report, bool json) {
  nlohmann::json findings = nlohmann::json::array();
  for (const FitFinding& one : report.findings) {
    if (!json)
      std::printf("%s %s %s %s %s: %s\n", one.model.c_str(), one.view.c_str(), one.step.c_str(),
                  one.language.c_str(), one.what, one.where.c_str());
    findings.push_back({{"model", one.model},
                        {"view", one.view},
                        {"step", one.step},
                        {"lang", one.language},
                        {"what", one.what},
                        {"where", one.where}});
  }
  if (json)
    std::printf("%s\n", nlohmann::json{{"looked_at", report.looked_at},
                                       {"matrices", report.matrices},
                                       {"without_digits", report.without_digits},
                                       {"smallest_digit", report.smallest_digit},
                                       {"findings", findings}}
                            .dump(1)
                            .c_str());
  else
    std::printf("%s\n", tr("check_fit.summary",
                           {std::to_string(report.looked_at), std::to_string(report.findings.size()),
                            std::to_string(report.matrices), std::to_string(report.without_digits),
                            format("%.0f", static_cast<double>(report.smallest_digit))})
                            .c_str());
}

std::vector<std::string> models_to_check(FrameState& state, const Options& options) {
  if (!options.path.empty()) return {options.path};
  std::vector<std::string> out;
  for (const ShippedModel& model : state.models()) out.push_back(kModelPrefix + model.name);
  out.push_back(std::string(kScenePrefix) + kDefaultScene);
  return out;
}

}  // namespace

int check_fit(const Options& options) {
  Session session;
  Frame frame(session);
  FrameState& state = frame.state();
  hold_still(state.workspace);
  auto screen = open_still_screen(options, ImVec2(kFitWide, kFitHigh));
  if (!screen) return complain(screen.error());
  const std::string own_language{std::string_view(language())};  // a copy: the checks change it
  FitCheck check(options, session, *screen->host, frame,
                 ImVec2(screen->size.x * screen->scale, screen->size.y * screen->scale));
  const std::string lecture = options.lecture;
  if (!lecture.empty())
    if (const Status checked = check.check_lecture(lecture); !checked) return complain(checked.error());
  for (const std::string& model :
       lecture.empty() ? models_to_check(state, options) : std::vector<std::string>())
    if (const Status checked = check.check_model(model); !checked) return complain(checked.error());
  (void)set_language(own_language);
  print_fit(check.report(), options.json);
  return check.report().findings.empty() ? 0 : 1;
}

}  // namespace attnscope
