// The training view: choose a task and sizes, train, and watch: curves, attention
// heads, target beside prediction. Draws the newest snapshot of the run; never
// blocks.
#include <algorithm>
#include <cmath>

#include "app/views/figure_page.h"
#include "app/views/training_panes.h"
#include "app/views/training_result.h"
#include "app/views/training_series.h"
#include "app/views/training_setup.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr double kReplaySeconds = 0.22;  // per checkpoint
constexpr float kLeastLosses = 180.f;    // units: of the picture before the first run
constexpr float kLeastFactor = 0.01f, kMostFactor = 100.f;

enum class TrainingPane : std::uint8_t { head, targets, arm, result };
constexpr Option<TrainingPane> kTrainingPanes[] = {{"head", TrainingPane::head},
                                                   {"targets", TrainingPane::targets},
                                                   {"arm", TrainingPane::arm},
                                                   {"result", TrainingPane::result}};

std::string state_text(const Training& training) {
  return tr(std::string("training.state.") + training_state_name(training.state()));
}

class TrainingView : public View {
 public:
  TrainingView() : View({"training", ViewGroup::learn, 0, {.runs = false, .all = true}}) {}
  bool takes_arrows(const RunResult&) const override { return scrubs_; }
  void keep(Choices& choices) override {
    choices.of(pane_);
    choices.of("form", form_);
    choices.of(setup_.more);
    choices.of(series_.role);
  }
  void draw(const ViewContext& context) override;

 private:
  TrainingScene look(const ViewContext& context);
  void want(const ViewContext& context, int step);
  void draw_controls(const ViewContext& context, const TrainingScene& scene, float width);
  float draw_files(const ViewContext& context, const TrainingScene& scene, float right, float y);
  void draw_sliders(const ViewContext& context, const TrainingScene& scene, float width);
  void draw_scrubber_line(const ViewContext& context, const TrainingScene& scene, float width);
  void draw_body(const ViewContext& context, const TrainingScene& scene, ImVec2 room);
  void draw_losses_before(const ViewContext& context, ImVec2 corner);
  void draw_right(const ViewContext& context, const TrainingScene& scene, ImVec2 at, ImVec2 size);
  float draw_panes(const TrainingScene& scene, ImVec2 at);
  void replay(const ViewContext& context, const TrainingScene& scene);
  void walk(const ViewContext& context, const TrainingScene& scene);

  TrainingSetup setup_;
  TrainingPlots plots_;
  TrainingHeads heads_;
  TrainingTargets targets_;
  TrainingArm arm_;
  TrainingSeries series_;
  bool own_ = false;  ///< beside the checkpoints that are open: a training of one's own
  bool form_ = true, scrubs_ = false, replaying_ = false;
  double replayed_ = 0;
  int wanted_ = -1;  ///< step of the checkpoint shown; -1: the newest model
  OneOf<TrainingPane> pane_{"pane", kTrainingPanes, TrainingPane::head, "training.pane.", "###pane_"};
  std::uint64_t run_ = 0;
  bool measured_ = false;
  FigureArea losses_{"training", FigureArea::Shown::picture};
};

TrainingScene TrainingView::look(const ViewContext& context) {
  TrainingScene scene;
  scene.snapshot = context.session.training().snapshot();
  if (!scene.snapshot) return scene;
  if (scene.snapshot->run != run_) {
    run_ = scene.snapshot->run;
    form_ = replaying_ = measured_ = false;
    wanted_ = -1;
    if (pane_ == TrainingPane::result) pane_ = TrainingPane::head;
  }
  if (const bool measured = !scene.snapshot->measures.empty(); measured != measured_) {
    measured_ = measured;
    if (measured)
      pane_ = TrainingPane::result;
    else if (pane_ == TrainingPane::result)
      pane_ = TrainingPane::head;
  }
  scene.followed = context.session.shows_training();
  if (scene.followed) wanted_ = context.session.wanted_checkpoint();
  scene.shown = scene.snapshot->now;
  for (const auto& kept : scene.snapshot->checkpoints)
    if (wanted_ >= 0 && kept->step <= wanted_ && kept->step < scene.snapshot->now.step) {
      scene.shown = *kept;
      scene.newest = false;
    }
  return scene;
}

void TrainingView::want(const ViewContext& context, int step) {
  wanted_ = step;
  context.commands.act([step](Session& session) { session.show_checkpoint(step); });
}

// Buttons for files, right-aligned; returns their left edge, pixels.
float TrainingView::draw_files(const ViewContext& context, const TrainingScene& scene, float right, float y) {
  struct File {
    const char *key, *id;
  };
  const std::string task(scene.snapshot->settings.task);
  const FontScope face(fonts().small);
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(7), scaled(4)));
  for (const File& file : {File{"training.new", "###train_new"}, File{"training.export", "###train_export"},
                           File{"training.save", "###train_save"}}) {
    const Label label(tr(file.key), file.id);
    right -= chip_width(label);
    ImGui::SetCursorScreenPos(ImVec2(right, y + scaled(2)));
    right -= scaled(5);
    if (!chip(label, false, tr(Label(file.key, ".help")))) continue;
    const std::string which(file.id);
    if (which == "###train_new") {
      form_ = true;
      setup_.reopen();
      context.commands.act([](Session& session) { session.training().pause(); });
    } else if (which == "###train_save") {
      const std::string name = format("%s-%d.safetensors", task.c_str(), scene.snapshot->now.step);
      context.commands.ask_file(
          {true, "training.save.title", name,
           [](Session& session, const std::string& path) { session.training().save(path); }});
    } else {
      context.commands.ask_file(
          {true, "training.export.title", task,
           [](Session& session, const std::string& path) { session.training().export_model(path); }});
    }
  }
  return right;
}

void TrainingView::draw_controls(const ViewContext& context, const TrainingScene& scene, float width) {
  const Training& training = context.session.training();
  const TrainingSnapshot& snapshot = *scene.snapshot;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool running = training.running(), over = snapshot.now.step >= snapshot.steps;
  const bool measuring = training.state() == TrainingState::measuring;
  {
    const DisabledScope disabled((over && !running) || measuring);
    if (play_button("###train_play", running, tr(running ? "training.pause.help" : "training.go.help")))
      context.commands.act([running](Session& session) {
        if (running)
          session.training().pause();
        else
          session.training().go();
      });
  }
  ImGui::SameLine(0, scaled(8));
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetCursorScreenPos().x, at.y));
  {
    const DisabledScope disabled(running || measuring);
    if (chip(Label(tr("training.step_once"), "###train_step"), false, tr("training.step_once.help")))
      context.commands.act([](Session& session) { session.training().step_once(); });
  }
  ImGui::SameLine(0, scaled(6));
  {
    const DisabledScope disabled(training.state() == TrainingState::finished || measuring);
    if (chip(Label(tr("training.stop"), "###train_stop"), false, tr("training.stop.help")))
      context.commands.act([](Session& session) { session.training().stop(); });
  }
  ImGui::SameLine(0, scaled(14));
  const float text_x = ImGui::GetCursorScreenPos().x;
  const Canvas canvas;
  const std::string name = tr("task." + std::string(snapshot.task->name()) + ".title");
  const std::string title =
      tr("training.status", {name, format_count(snapshot.now.step), format_count(snapshot.steps)});
  const float files = draw_files(context, scene, at.x + width, at.y);
  std::string speed = state_text(training);
  if (snapshot.tokens_per_second > 0 && training.state() != TrainingState::finished) {
    const std::string steps = short_number(snapshot.steps_per_second);
    const std::string tokens = format_count(static_cast<std::int64_t>(snapshot.tokens_per_second));
    const std::string all = tr("training.speed", {speed, steps, tokens});
    const bool fits = text_x + text_size(fonts().small, all).x < files - scaled(8);
    speed = fits ? all : tr("training.speed.short", {speed, steps});
  }
  const float small = text_size(fonts().small, "X").y;
  draw_text(canvas, fonts().body_bold, ImVec2(text_x, at.y - scaled(2)), theme().text, title);
  draw_text(canvas, fonts().small, ImVec2(text_x, at.y + scaled(30) - small), theme().text_dim, speed);
  const float share = static_cast<float>(snapshot.now.step) / static_cast<float>(std::max(1, snapshot.steps));
  const float y = at.y + scaled(36);
  canvas.fill_rect(ImVec2(at.x, y), ImVec2(at.x + width, y + scaled(3)), theme().panel_raised, scaled(1.5f));
  canvas.fill_rect(ImVec2(at.x, y), ImVec2(at.x + width * std::min(1.f, share), y + scaled(3)),
                   theme().accent, scaled(1.5f));
  end_at(ImVec2(at.x, y + scaled(9)));
}

void TrainingView::draw_sliders(const ViewContext& context, const TrainingScene& scene, float width) {
  const TrainingSnapshot& snapshot = *scene.snapshot;
  const float slider = std::min(scaled(210), width * 0.3f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  auto wanted = static_cast<float>(snapshot.learning_rate_factor);
  const double rate = snapshot.curves->learning_rate.empty() ? 0 : snapshot.curves->learning_rate.back();
  const std::string factor =
      tr("training.factor", {short_number(snapshot.learning_rate_factor), short_number(rate)});
  const SliderEvent scaled_rate = slider_real("###train_factor", factor, wanted, kLeastFactor, kMostFactor,
                                              "", slider, tr("training.factor.help"), true);
  if (scaled_rate.changed) {
    auto exact = static_cast<double>(wanted);
    if (!scaled_rate.typed) exact = std::pow(10.0, std::round(std::log10(exact) * 20) / 20);
    context.commands.act([exact](Session& session) { session.training().set_learning_rate_factor(exact); });
  }
  ImGui::SetCursorScreenPos(ImVec2(at.x + slider + scaled(18), at.y));
  auto smoothing = static_cast<float>(snapshot.settings.recipe.smoothing);
  if (slider_real("###train_smooth", tr("training.smoothing"), smoothing, 0.f, 0.5f, "%.2f", slider * 0.8f,
                  tr("training.smoothing.help"))
          .changed)
    context.commands.act([smoothing](Session& session) {
      session.training().set_smoothing(static_cast<double>(std::round(smoothing * 100) / 100));
    });
  const float end = ImGui::GetCursorScreenPos().y;
  if (!scene.followed || context.session.training_held()) {
    const Label label(tr("training.follow"), "###train_follow");
    ImGui::SetCursorScreenPos(ImVec2(at.x + width - chip_width(label), at.y + scaled(2)));
    if (chip(label, false, tr(scene.followed ? "training.follow.held" : "training.follow.help")))
      context.commands.act([](Session& session) { session.show_training(); });
  }
  end_at(ImVec2(at.x, end + scaled(7)));
}

void TrainingView::replay(const ViewContext& context, const TrainingScene& scene) {
  if (!replaying_) return;
  context.workspace.moving = true;
  replayed_ += static_cast<double>(ImGui::GetIO().DeltaTime);
  if (replayed_ < kReplaySeconds) return;
  replayed_ = 0;
  const int next = next_checkpoint(scene, 1);
  want(context, next);
  if (next < 0) replaying_ = false;
}

void TrainingView::draw_scrubber_line(const ViewContext& context, const TrainingScene& scene, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (play_button("###train_replay", replaying_, tr("training.replay.help"))) {
    replaying_ = !replaying_;
    replayed_ = 0;
    if (replaying_ && scene.newest && !scene.snapshot->checkpoints.empty())
      want(context, scene.snapshot->checkpoints.front()->step);
  }
  const Label newest(tr("training.newest"), "###train_newest");
  const std::string step = tr("training.shown", {format_count(scene.shown.step)});
  const float text = text_size(fonts().mono, tr("training.shown", {format_count(scene.snapshot->steps)})).x;
  const float left = scaled(36), right = chip_width(newest) + scaled(10) + text + scaled(10);
  int wanted = wanted_;
  if (draw_scrubber(scene, wanted, ImVec2(at.x + left, at.y), width - left - right)) {
    replaying_ = false;
    want(context, wanted);
  }
  draw_text(
      Canvas(), fonts().mono,
      ImVec2(at.x + width - right + scaled(6), at.y + (scaled(28) - text_size(fonts().mono, "0").y) / 2),
      scene.newest ? theme().text_dim : theme().text, step);
  ImGui::SetCursorScreenPos(ImVec2(at.x + width - chip_width(newest), at.y));
  if (chip(newest, scene.newest, tr("training.newest.help"))) {
    replaying_ = false;
    want(context, -1);
  }
  end_at(ImVec2(at.x, at.y + scaled(34)));
}

float TrainingView::draw_panes(const TrainingScene& scene, ImVec2 at) {
  const auto there = [&](TrainingPane pane) {
    return pane == TrainingPane::arm      ? arm_.possible(scene)
           : pane == TrainingPane::result ? !scene.snapshot->measures.empty()
                                          : true;
  };
  if (!there(pane_)) pane_ = TrainingPane::head;
  ChipRow row(at, 1e9f, {{8, 3}, 5});
  choose(row, pane_, there, {heads_.name()});
  return row.height() + scaled(8);
}

void TrainingView::draw_right(const ViewContext& context, const TrainingScene& scene, ImVec2 at,
                              ImVec2 size) {
  heads_.follow(context, scene);
  const float most = size.y * 0.46f;
  const float used = heads_.draw_all(context, scene, at, ImVec2(size.x, most)) + scaled(12);
  const float tabs = draw_panes(scene, ImVec2(at.x, at.y + used));
  const ImVec2 low(at.x, at.y + used + tabs), room(size.x, std::max(scaled(120), size.y - used - tabs));
  switch (pane_) {
    case TrainingPane::head: return heads_.draw_one(context, scene, low, room);
    case TrainingPane::targets: return targets_.draw(context, scene, low, room);
    case TrainingPane::arm: return arm_.draw(context, scene, heads_, low, room);
    case TrainingPane::result:
      if (draw_training_result(context, scene, heads_, low, room)) pane_ = TrainingPane::head;
  }
}

void TrainingView::draw_body(const ViewContext& context, const TrainingScene& scene, ImVec2 room) {
  const ChildScope child("###train_body", room);
  const ImVec2 corner = ImGui::GetCursorScreenPos(), at(corner.x, corner.y + scaled(4));
  const float width = room.x - scaled(10), gap = scaled(22), left = width * 0.53f;
  const float height = std::max(room.y - scaled(8), scaled(330));
  const float used = plots_.draw(context, scene, at, ImVec2(left, height));
  draw_right(context, scene, ImVec2(at.x + left + gap, at.y),
             ImVec2(width - left - gap, std::max(height, used)));
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(1, std::max(used, height) + scaled(2)));
}

// Arrow keys move between checkpoints if this view has the keyboard.
void TrainingView::walk(const ViewContext& context, const TrainingScene& scene) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!scrubs_ || context.workspace.view != id() || io.WantTextInput || io.KeyCtrl ||
      ImGui::IsAnyItemActive())
    return;
  const int by = compat::arrow_pressed();
  if (by == 0) return;
  replaying_ = false;
  want(context, next_checkpoint(scene, by));
}

// Before the first run what a loss is, on the text that is open, where the form leaves room.
void TrainingView::draw_losses_before(const ViewContext& context, ImVec2 corner) {
  const ImVec2 at(ImGui::GetCursorScreenPos().x, ImGui::GetCursorScreenPos().y + scaled(14));
  if (context.run.traces.empty() || corner.y - at.y < scaled(kLeastLosses)) return;
  losses_.draw(context, at, ImVec2(corner.x - at.x, corner.y - at.y));
}

void TrainingView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  const bool checkpoints = TrainingSeries::possible(context);
  if (checkpoints && !own_) {
    scrubs_ = true;
    own_ = series_.draw(context, width, room);
    return;
  }
  if (!checkpoints) own_ = false;
  const TrainingScene scene = look(context);
  scrubs_ = !form_ && scene.snapshot && scene.snapshot->checkpoints.size() > 1;
  if (form_ || !scene.snapshot) {
    if (own_ && !scene.snapshot) {
      const Label back(tr("training.series.back"), "###train_series_back");
      ImGui::SetCursorScreenPos(ImVec2(origin.x + width - chip_width(back), origin.y));
      if (chip(back, false, tr("training.series.back.help"))) own_ = false;
      ImGui::SetCursorScreenPos(origin);
    }
    if (scene.snapshot) {
      const Label back(tr("training.back"), "###train_back");
      ImGui::SetCursorScreenPos(ImVec2(origin.x + width - chip_width(back), origin.y));  // beside the title
      if (chip(back, false, tr("training.back.help"))) form_ = false;
      ImGui::SetCursorScreenPos(origin);
    }
    setup_.draw(context, width);
    draw_training_messages(context, scene, form_, width);
    if (!scene.snapshot) draw_losses_before(context, ImVec2(origin.x + width, origin.y + room.y));
    return;
  }
  walk(context, scene);
  replay(context, scene);
  draw_controls(context, scene, width);
  draw_sliders(context, scene, width);
  draw_training_messages(context, scene, form_, width);
  draw_scrubber_line(context, scene, width);
  const float y = ImGui::GetCursorScreenPos().y;
  draw_body(context, scene, ImVec2(room.x, origin.y + room.y - y));
}

}  // namespace

std::unique_ptr<View> make_training_view();
std::unique_ptr<View> make_training_view() { return std::make_unique<TrainingView>(); }

}  // namespace attnscope
