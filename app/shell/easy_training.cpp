#include "app/shell/easy_training.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/look/text_lines.h"
#include "app/shell/try_card.h"
#include "app/state/controls.h"
#include "app/views/training_setup.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/training_curves.h"
#include "core/session/training_said.h"
#include "core/train/card.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr const char* kFirstStation = "loss";                    // of the way back
constexpr float kTrainingPanel = 340.f, kLeastLossCurve = 90.f;  // units
constexpr float kLeastAnswer = 90.f;                             // units: below it no answer is shown
constexpr float kLosses = 0.52f, kLeastEasyLosses = 190.f;       // of the height beside the task; units
constexpr std::size_t kTrainAnswers = 5;

// Of the model that is open, at the main stack's looked-at row.
ViewState looked_state(const RunResult& run, std::int64_t row) {
  ViewState out = first_state(*run.document.opened, run.traces.front());
  out.row = row, out.place.stack = out.run->config().stack, out.level = Level::easy;
  return out;
}

// What was open before the run was started; null where that is gone, or the run is not what is open.
const LeftWork* left_work(const Session& session) {
  if (!session.shows_training()) return nullptr;
  const auto& before = session.before();
  const auto found =
      std::find_if(before.rbegin(), before.rend(), [](const LeftWork& work) { return !work.shows_training; });
  return found == before.rend() ? nullptr : &*found;
}

std::string task_to_begin(const Session& session) { return task_of_opened(session.document().opened.get()); }

std::string task_title(std::string_view task) { return tr("task." + std::string(task) + ".title"); }

void add_bound(LinePlot& plot, double loss, std::string label, ImU32 colour) {
  LineSeries line;
  line.label = std::move(label), line.colour = colour, line.dashed = line.level = true;
  for (const float x : {plot.x0, plot.x1}) line.points.emplace_back(x, static_cast<float>(loss));
  plot.series.push_back(std::move(line));
}

// The loss so far, between guessing and what the shipped model came to; before the first step those alone.
LinePlot curve_of(const TrainingSnapshot* run, const std::string& task) {
  LinePlot plot;
  plot.key = "train_curve";
  plot.title = tr("easy.train.curve");
  plot.readout = plot.large = true;
  plot.x_name = plot.x_title = tr("training.step");
  const std::optional<Card> bounds = shipped_card(task);  // of the model that ships
  const int steps = run ? run->steps : bounds ? bounds->steps : 0;
  const TrainingCurves* curves = run ? run->curves.get() : nullptr;
  plot.x0 = curves ? static_cast<float>(std::max(0, curves->first_step - 1)) : 0.f;
  plot.x1 =
      plot.x0 + static_cast<float>(std::max(10, curves && curves->steps() > 1 ? curves->steps() : steps));
  if (curves && curves->steps() > 1) {
    LineSeries line;
    line.colour = theme().accent, line.label = tr("easy.train.now");
    for (const CurvePoint& point : shortened_curve(curves->plain_loss, curves->first_step, kSaidCurvePoints))
      line.points.emplace_back(static_cast<float>(point.step), static_cast<float>(point.value));
    plot.series.push_back(std::move(line));
  }
  if (bounds) {
    const double guess = bounds->guessing_loss();
    add_bound(plot, guess, tr("easy.train.guess", {format("%.2f", guess)}), theme().text_dim);
    add_bound(plot, bounds->loss,
              tr("easy.train.shipped", {format("%.2f", bounds->loss), format_count(bounds->steps)}),
              theme().v);
  }
  if (!plot.series.empty()) fit_y(plot);
  plot.y0 = 0;
  return plot;
}

}  // namespace

bool EasyTraining::shown(const FrameState& state) {
  return state.workspace.view == "training" && !state.lessons.open() && !state.presenter.on;
}

void EasyTraining::follow(const Session& session) {
  snapshot_ = session.training().snapshot();
  const bool other = std::exchange(opened_, session.opened_version() + 1) != session.opened_version() + 1;
  if (task_.empty() || (other && session.training().state() == TrainingState::none))
    task_ = task_to_begin(session);
  if (snapshot_ && snapshot_->run != run_) run_ = snapshot_->run, task_ = snapshot_->settings.task;
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
  state.commands.act([runs](Session& session) {
    runs ? session.training().pause() : session.training().go();
    if (!runs && !session.shows_training()) session.show_training();
  });
}

// What it did so far; returns its height.
float EasyTraining::draw_said(const Session& session, ImVec2 at, float width) {
  const TrainingSnapshot* run = chosen_run(session);
  const TrainingState state = session.training().state();
  const WithFont face(fonts().reading);
  ImGui::SetCursorScreenPos(at);
  if (run && run->error) {
    wrapped_text(run->error->sentence(), theme().error);
    return ImGui::GetItemRectMax().y - at.y;
  }
  const std::string& said = said_.get(
      {run ? run->version : 0, run ? run->run : 0, key_of(task_), static_cast<std::uint64_t>(state)},
      [&]() -> std::string {
        std::string words = run ? training_said(*run, state).str() : std::string(tr("easy.train.none"));
        note_text(words);
        return words;
      });
  text_in_lines(said, width);
  note_item("train_said");
  // Room for two lines, so that the curve stands still while the sentence grows.
  return std::max(ImGui::GetItemRectMax().y - at.y, 2 * ImGui::GetTextLineHeight());
}

// The answer of the model that is open, at the place that is looked at: while it learns, with every practice.
void EasyTraining::draw_said_next(const FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size) {
  const bool own = state.session.shows_training() || task_to_begin(state.session) == task_;
  if (!run || run->traces.empty() || !own || size.y < px(kLeastAnswer)) return;
  const std::int64_t row = main_row(state.workspace.cursor, run->trace(0));
  const std::uint64_t key = key_of({run->version, static_cast<std::uint64_t>(row)});
  if (answer_.stale(key, size, false)) {
    const ViewState looked = looked_state(*run, row);
    auto answer = answer_table(looked, row, kTrainAnswers);
    if (!answer) return answer_.clear();
    std::vector<Text> title = answer_title(looked, row);
    const Text name = title.front();
    answer_.show_at({name, figure::leaf({"answer", *std::move(answer), 2, std::move(title), ""})}, key, size,
                    false, ui_scale());
  }
  if (!answer_.empty()) answer_.draw(at);
}

// Before the start the curve is empty: below it stands what a loss is, word by word of the text that is open.
// Returns the height that it takes; 0: it has no room, or the text does not say what is right.
float EasyTraining::follow_losses(const FrameState& state, const RunResult* run, ImVec2 most) {
  if (chosen_run(state.session) || !run || run->traces.empty() || most.y < px(kLeastEasyLosses)) return 0;
  const std::int64_t row = main_row(state.workspace.cursor, run->trace(0));
  const std::uint64_t key = key_of({run->version, static_cast<std::uint64_t>(row)});
  if (losses_.stale(key, most, false)) {
    losses_.clear();
    auto drawn = (*find_view("training"))->draw(looked_state(*run, row));
    if (drawn && drawn->picture) {  // without what one step would change; as wide as the curve above it
      figure::PartBox losses =
          drawn->picture->inside.empty() ? *drawn->picture : drawn->picture->inside.front();
      if (auto* table = losses.part ? std::get_if<figure::TableMark>(&losses.part->mark) : nullptr)
        table->wide = true;
      losses_.show_at({drawn->question.front(), std::move(losses)}, key, most, false, ui_scale());
    }
  }
  return losses_.empty() ? 0 : most.y;
}

// Task, Start, what the model says, and where else one can go from here.
void EasyTraining::draw_side(FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size) {
  const float left = at.x, inner = size.x, line = ImGui::GetFrameHeight() + px(8);
  ImGui::SetCursorScreenPos(at);
  ImGui::BeginGroup();
  {
    const WithFont face(fonts().reading_bold);
    ImGui::TextUnformatted(tr("easy.train.title"));
  }
  draw_task(inner);
  ImGui::Dummy(ImVec2(1, px(2)));
  draw_button(state);
  ImGui::EndGroup();
  const float begun = ImGui::GetItemRectMax().y + px(16);
  const LeftWork* before = left_work(state.session);
  float y = at.y + size.y - px(6) - line * (before ? 3 : 2);
  draw_said_next(state, run, ImVec2(at.x - px(14), begun), ImVec2(size.x + px(28), y - px(8) - begun));
  const auto button = [&](const Label& label, const char* help) {
    ImGui::SetCursorScreenPos(ImVec2(left, std::exchange(y, y + line)));
    const bool pressed = raised_button(label);
    if (help) compat::item_tooltip(help);
    return pressed;
  };
  if (before) {
    const std::string& label = back_.get({before->number}, [&] {
      return shortened(tr("easy.train.back", {opened_title(*before->copy.document.opened)}), inner) +
             "###train_undo";
    });
    if (button(label, tr("easy.train.back.help")))
      state.commands.act([](Session& session) {
        while (session.shows_training() && !session.before().empty()) session.go_back();
      });
  }
  if (button({tr("easy.train.film"), "###train_film"}, tr("easy.train.film.help")))
    state.workspace.station = kFirstStation;
  if (button({tr("easy.train.more"), "###train_more"}, tr("easy.train.more.help")))
    state.workspace.level = Level::full;
}

void EasyTraining::draw_curve(const Session& session, ImVec2 at, ImVec2 size) {
  if (size.y < px(kLeastLossCurve)) return;
  const TrainingSnapshot* run = chosen_run(session);
  draw_line_plot(plot_.get({run ? run->version : 0, run ? run->run : 0, key_of(task_), key_of(language()),
                            theme().kind == ThemeKind::dark},
                           [&] { return curve_of(run, task_); }),
                 at, size);
}

const char* training_try_key(TrainingState state, bool begun, bool own) {
  if (own) return state == TrainingState::finished ? "easy.train.try.done" : "easy.train.try.look";
  return begun && state == TrainingState::paused ? "easy.train.try.go_on" : "easy.train.try.start";
}

// One thing to do: first Start, then a look at what the heads do meanwhile.
void EasyTraining::draw_try(FrameState& state, ImVec2 at, float width) const {
  const ImVec2 end(at.x + width, at.y + px(kTryCardHeight - 8));
  const float left = draw_try_frame(at, end), middle = (at.y + end.y) / 2;
  const bool begun = chosen_run(state.session) != nullptr, own = begun && state.session.shows_training();
  float right = end.x - px(12);
  if (own) {
    const Label label(tr("figure.attention.question"), "###train_try");
    right -= button_width(label);
    ImGui::SetCursorScreenPos(ImVec2(right, middle - ImGui::GetFrameHeight() / 2));
    if (raised_button(label)) state.workspace.view = "attention";
  }
  draw_try_words(tr(training_try_key(state.session.training().state(), begun, own)), left, right, middle);
}

void EasyTraining::draw(FrameState& state, const RunResult* run, ImVec2 at, ImVec2 size) {
  follow(state.session);
  const float said = draw_said(state.session, at, size.x) + px(12), side = px(kTrainingPanel), gap = px(24);
  const float high = size.y - said - px(kTryCardHeight) - px(14);
  draw_side(state, run, ImVec2(at.x, at.y + said), ImVec2(side, high));
  const ImVec2 right(at.x + side + gap, at.y + said);
  const float wide = size.x - side - gap,
              losses = follow_losses(state, run, ImVec2(wide + 2 * px(14), high * kLosses));
  draw_curve(state.session, right, ImVec2(wide, high - losses));
  if (losses > 0) losses_.draw(ImVec2(right.x - px(14), right.y + high - losses));
  draw_try(state, ImVec2(at.x, at.y + size.y - px(kTryCardHeight)), size.x);
}

float EasyTraining::draw_return(FrameState& state, float right, float y) const {
  const Label label(tr("easy.train.title"), "###train_front");
  const float left = right - button_width(label);
  ImGui::SetCursorScreenPos(ImVec2(left, y + px(5)));
  if (raised_button(label)) state.workspace.station.clear();
  return left - px(8);
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
