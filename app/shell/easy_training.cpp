#include "app/shell/easy_training.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/state/controls.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/training_curves.h"
#include "core/session/training_said.h"

namespace attnscope {
namespace {

constexpr const char* kEasyTask = "sorter";
constexpr float kTrainingPanel = 376.f, kLeastLossCurve = 90.f;  // units
constexpr int kCurvePoints = 300;

std::string task_title(std::string_view task) { return tr("task." + std::string(task) + ".title"); }

LinePlot curve_of(const TrainingSnapshot& run) {
  const TrainingCurves& curves = *run.curves;
  LinePlot plot;
  plot.key = "easy_training";
  plot.title = tr("easy.train.curve");
  plot.x0 = static_cast<float>(std::max(0, curves.first_step - 1));
  plot.x1 = plot.x0 + static_cast<float>(std::max(10, curves.steps()));
  plot.readout = true;
  plot.x_name = tr("training.step");
  LineSeries line;
  line.colour = theme().accent;
  for (const CurvePoint& point : shortened_curve(curves.plain_loss, curves.first_step, kCurvePoints))
    line.points.emplace_back(static_cast<float>(point.step), static_cast<float>(point.value));
  plot.series.push_back(std::move(line));
  fit_y(plot);
  plot.y0 = 0;
  return plot;
}

}  // namespace

bool EasyTraining::shown(const FrameState& state) {
  return state.workspace.view == "training" && !state.lessons.open() && !state.presenter.on;
}

float EasyTraining::width() { return px(kTrainingPanel); }

void EasyTraining::follow(const Session& session) {
  snapshot_ = session.training().snapshot();
  if (snapshot_ && snapshot_->run != run_) run_ = snapshot_->run, task_ = snapshot_->settings.task;
  if (task_.empty()) task_ = find_task(kEasyTask) || tasks().empty() ? kEasyTask : tasks().front()->name();
}

const TrainingSnapshot* EasyTraining::chosen_run(const Session& session) const {
  const bool any = snapshot_ && session.training().state() != TrainingState::none;
  return any && snapshot_->settings.task == task_ ? snapshot_.get() : nullptr;
}

// The task as a list, and what it is in one sentence.
void EasyTraining::draw_task(float width) {
  const std::string& title =
      title_.get({key_of(task_)}, [&] { return task_title(task_) + " \u25be###train_task"; });
  if (raised_button(title)) ImGui::OpenPopup("###train_tasks");
  popup_below_item(false);
  const WithVar padding(ImGuiStyleVar_WindowPadding, ImVec2(px(12), px(10)));
  if (ImGui::BeginPopup("###train_tasks")) {
    for (const auto& task : tasks()) {
      const Label key("task.", task->name()), name("train_", task->name());
      if (ImGui::MenuItem(Label(tr(Label(key, ".title")), "###", name).c_str(), nullptr,
                          task_ == task->name()))
        task_ = task->name();
      note_item(name);
      compat::item_tooltip(tr(Label(key, ".sentence")));
    }
    ImGui::EndPopup();
  }
  const Label key("task.", task_);
  const WithFont face(fonts().reading);
  text_in_lines(tr(Label(key, ".sentence")), width);
}

void EasyTraining::start(FrameState& state) const {
  const Result<TrainingSettings> settings = training_settings(task_);
  if (!settings) return state.session.report(settings.error());
  state.commands.act([settings = *settings](Session& session) { (void)session.train(settings, true); });
}

// Start, or of the run that there is pause and continue.
void EasyTraining::draw_button(FrameState& state) {
  const Training& training = state.session.training();
  const TrainingState now = training.state();
  const bool own = chosen_run(state.session) != nullptr;
  const bool runs = own && training.running(), paused = own && now == TrainingState::paused;
  const bool waits = own && (now == TrainingState::preparing || now == TrainingState::measuring);
  const DisabledScope disabled(waits);
  const char* key = runs ? "easy.train.pause" : paused ? "easy.train.go" : "easy.train.start";
  const Label label(tr(key), "###train_go");
  const bool pressed = primary_button(label);
  note_item(label);
  if (!runs && !paused) compat::item_tooltip(tr("training.start.help"));
  if (!pressed) return;
  if (!runs && !paused) return start(state);
  state.commands.act(
      [runs](Session& session) { runs ? session.training().pause() : session.training().go(); });
}

// The loss, and below it what it did.
void EasyTraining::draw_course(const Session& session, ImVec2 at, ImVec2 size) {
  const TrainingSnapshot* run = chosen_run(session);
  const TrainingState state = session.training().state();
  const std::string& said = said_.get(
      {run ? run->version : 0, run ? run->run : 0, key_of(task_), static_cast<std::uint64_t>(state)},
      [&]() -> std::string {
        std::string words = run ? training_said(*run, state).str() : std::string(tr("easy.train.none"));
        note_text(words);
        return words;
      });
  if (run && run->error) {
    ImGui::SetCursorScreenPos(at);
    return wrapped_text(run->error->sentence(), theme().error);
  }
  const WithFont face(fonts().reading);
  const float high = ImGui::CalcTextSize(said.c_str(), nullptr, false, size.x).y;
  const float curve = size.y - high - px(12);
  const bool draws = run && run->curves->steps() > 1 && curve >= px(kLeastLossCurve);
  if (draws) {
    const WithFont usual(fonts().body);
    draw_line_plot(plot_.get({run->version, run->run}, [&] { return curve_of(*run); }), at,
                   ImVec2(size.x, curve));
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + (draws ? curve + px(12) : 0)));
  text_in_lines(said, size.x);
  note_item("train_said");
}

void EasyTraining::draw(FrameState& state, ImVec2 at, ImVec2 size) {
  follow(state.session);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + size.x, at.y + size.y), theme().panel, px(8));
  const float left = at.x + px(16), inner = size.x - 2 * px(16), line = ImGui::GetFrameHeight();
  ImGui::SetCursorScreenPos(ImVec2(left, at.y + px(14)));
  ImGui::BeginGroup();
  {
    const WithFont face(fonts().reading_bold);
    ImGui::TextUnformatted(tr("easy.train.title"));
  }
  draw_task(inner);
  ImGui::Dummy(ImVec2(1, px(2)));
  draw_button(state);
  ImGui::EndGroup();
  const float top = ImGui::GetItemRectMax().y + px(14);
  const Label more(tr("easy.train.more"), "###train_more");
  const float bottom = at.y + size.y - px(14) - line;
  draw_course(state.session, ImVec2(left, top), ImVec2(inner, bottom - px(10) - top));
  ImGui::SetCursorScreenPos(ImVec2(left, bottom));
  if (raised_button(more)) state.workspace.level = Level::full;
  compat::item_tooltip(tr("easy.train.more.help"));
}

float EasyTraining::draw_elsewhere(FrameState& state, ImVec2 at, float width) {
  const Training& training = state.session.training();
  if (!training.running() || shown(state)) return 0;
  follow(state.session);
  if (!snapshot_) return 0;
  const float high = px(36);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, ImVec2(at.x + width, at.y + high), mix(theme().ground, theme().accent, 0.13f));
  list->AddRectFilled(at, ImVec2(at.x + px(4), at.y + high), theme().accent);
  const auto& losses = snapshot_->curves->plain_loss;
  const std::string& said = elsewhere_.get({snapshot_->version, snapshot_->run}, [&] {
    std::string words =
        tr("easy.train.elsewhere",
           {task_title(snapshot_->settings.task), format_count(snapshot_->now.step),
            format_count(snapshot_->steps), losses.empty() ? "–" : format("%.2f", losses.back())});
    note_text(words);
    return words;
  });
  const float text = ImGui::GetTextLineHeight();
  ImGui::SetCursorScreenPos(ImVec2(at.x + px(kTrainingPanel / 15), at.y + (high - text) / 2));
  ImGui::TextUnformatted(said.c_str());
  note_item("train_elsewhere");
  const Label look(tr("easy.train.look"), "###train_look");
  ImGui::SetCursorScreenPos(
      ImVec2(at.x + width - px(24) - button_width(look), at.y + (high - ImGui::GetFrameHeight()) / 2));
  if (raised_button(look)) state.workspace.view = "training";
  return high;
}

}  // namespace attnscope
