#include "core/session/training.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/save_model.h"
#include "core/base/caught.h"
#include "core/base/text.h"
#include "core/system/atomic_folder.h"
#include "core/train/card.h"

namespace attnscope {
namespace {

using std::chrono::duration;

constexpr double kPublishSeconds = 0.15, kKeepSeconds = 30;
constexpr int kHeldOutPoints = 60;      // over a whole run
constexpr int kHeldOutExamples = 64;    // per point
constexpr int kMeasuredExamples = 200;  // of the finished model
constexpr std::uint64_t kHeldOutSeed =
    9001;                                // not that of the training: what is held out is decided by content
constexpr std::size_t kSpeedSteps = 20;  // the mean of so many steps

std::shared_ptr<const OpenedModel> opened_of(const Task& task, std::shared_ptr<const Model> model) {
  OpenedModel opened;
  opened.title =
      Text::of("note.in_training", {Text::of("task." + std::string(task.name()) + ".title")}).str();
  opened.path = std::string(kTrainingPath) + std::string(task.name());
  opened.family = model->config().family;
  opened.dtype = "F32";
  opened.card = ModelCard{};
  opened.card->task = task.name();
  opened.card->counted = task.counted();
  if (auto tokenizer = tokenizer_from_json(task.tokenizer().dump(), "tokenizer.json"))
    opened.tokenizer = *std::move(tokenizer);
  if (model->config().sees()) opened.preprocessing = preprocessing_of(model->config(), {}, opened.notes);
  opened.model = std::move(model);
  return std::make_shared<const OpenedModel>(std::move(opened));
}

}  // namespace

const char* training_state_name(TrainingState state) {
  switch (state) {
    case TrainingState::none: return "none";
    case TrainingState::preparing: return "preparing";
    case TrainingState::running: return "running";
    case TrainingState::paused: return "paused";
    case TrainingState::measuring: return "measuring";
    case TrainingState::finished: return "finished";
    case TrainingState::failed: return "failed";
  }
  return "none";
}

Training::Training(std::function<void()> wake)
    : wake_(std::move(wake)),
      published_(Clock::now()),
      kept_(Clock::now()),
      worker_([this] { return running(); }, [this] { carry_out([this] { advance(); }); }) {}

// ---- called by the window ------------------------------------------------------------------------

void Training::order(std::function<void()> what) {
  worker_.order([this, what = std::move(what)] { carry_out(what); });
}

Status Training::start(const TrainingSettings& settings, bool run) {
  TRY_OK(check_settings(settings));
  if (state_ == TrainingState::none) state_ = TrainingState::preparing;
  cancel_ = true;  // the step of the run before
  order([this, settings, run] { prepare(settings, run); });
  return Done{};
}

Status Training::resume(const TrainingSettings& settings, const std::string& path,
                        std::optional<EarlierModel> earlier) {
  if (settings.data.empty() || settings.read) TRY_OK(check_settings(settings));
  cancel_ = true;
  order([this, settings, path, earlier = std::move(earlier)] { take_up(settings, path, earlier); });
  return Done{};
}

void Training::go() {
  order([this] {
    if (!trainer_ || trainer_->state().step >= settings_.recipe.steps) return;
    error_.reset();
    measures_.clear();
    state_ = TrainingState::running;
    publish(true);
  });
}

void Training::pause() {
  order([this] {
    if (state_ == TrainingState::running) {
      state_ = TrainingState::paused;
      publish(true);
    }
    keep();  // single steps too
  });
}

void Training::step_once() {
  order([this] {
    if (!trainer_ || state_ == TrainingState::running) return;
    error_.reset();
    measures_.clear();
    state_ = TrainingState::paused;
    advance();
    publish(true);
  });
}

void Training::stop() {
  order([this] {
    if (trainer_ && state_ != TrainingState::finished) finish();
  });
}

void Training::set_learning_rate_factor(double factor) {
  order([this, factor] {
    if (trainer_) trainer_->set_learning_rate_factor(factor);
    publish(true);
  });
}

void Training::set_smoothing(double smoothing) {
  order([this, smoothing] {
    settings_.recipe.smoothing = smoothing;
    if (trainer_) trainer_->set_smoothing(smoothing);
    publish(true);
  });
}

void Training::save(const std::string& path) {
  order([this, path] {
    if (!trainer_) return;
    const Status saved = save_checkpoint(path, *trainer_);
    if (saved)
      tell({TrainingOutcome::Kind::saved, path, {}, 0});
    else
      tell({TrainingOutcome::Kind::failed, path, saved.error(), 0});
  });
}

void Training::export_model(const std::string& folder) {
  order([this, folder] {
    if (!trainer_) return;
    if (const Status saved = export_now(folder))
      tell({TrainingOutcome::Kind::exported, folder, {}, 0});
    else
      tell({TrainingOutcome::Kind::failed, folder, saved.error(), 0});
  });
}

Status Training::export_now(const std::string& folder) const {
  const Model& model = *trainer_->state().model;
  TRY(const std::string layout, fitting_layout(task_->layout(), model));
  TRY(AtomicFolder made, AtomicFolder::create(folder));
  TRY_OK(put_model(made, layout, model, task_->tokenizer()));
  Card card = make_card(*trainer_, kHeldOutSeed, kMeasuredExamples);
  card.layout = layout;
  TRY_OK(write_card(made.path(), card));
  return made.commit();
}

bool Training::busy() const { return worker_.busy() || running(); }

std::shared_ptr<const TrainingSnapshot> Training::snapshot() const {
  std::lock_guard lock(mutex_);
  return snapshot_;
}

std::optional<TrainingOutcome> Training::outcome() const {
  std::lock_guard lock(mutex_);
  return outcome_;
}

void Training::dismiss_outcome() {
  std::lock_guard lock(mutex_);
  outcome_.reset();
}

// ---- the run's thread ----------------------------------------------------------------------------

// What throws ends the run, which stays as it was after the step before.
void Training::carry_out(const std::function<void()>& what) {
  const Status done = guarded(Text::of("error.work.training"), what);
  if (done) return;
  (void)guarded(Text::of("error.work.training"), [&] {
    state_ = trainer_ ? TrainingState::failed : TrainingState::none;
    if (!trainer_) return tell({TrainingOutcome::Kind::failed, {}, done.error(), 0});
    error_ = done.error();
    publish(true);
    keep();
  });
}

// Reads the task's file where it has one that was not read yet.
Result<Trainer> Training::made(TrainingSettings& settings) {
  TRY(const std::shared_ptr<const Task> task, task_of(settings));
  if (!settings.data.empty()) settings.read = task;
  return Trainer::make(task, settings.sizes, settings.recipe, settings.seed);
}

void Training::adopt(Trainer trainer, const TrainingSettings& settings) {
  trainer_ = std::move(trainer);
  settings_ = settings;
  task_ = *task_of(settings);
  opened_ = opened_of(*task_, trainer_->state().model);
  example_ = task_->shown();
  curves_ = {};
  for (const StepReport& report : trainer_->state().reports) curves_.add(report);
  curves_.held_out = trainer_->state().held_out;
  ring_.clear();
  measures_.clear();
  error_.reset();
  kept_path_.clear();
  rescued_.reset();
  kept_step_ = trainer_->state().step;
  kept_ = Clock::now();
  warned_ = false;
  ++run_;
}

void Training::prepare(TrainingSettings settings, bool run) {
  cancel_ = false;
  Result<Trainer> trainer = made(settings);
  if (!trainer) {
    state_ = trainer_ ? TrainingState::paused : TrainingState::none;
    return tell({TrainingOutcome::Kind::failed, {}, trainer.error(), 0});
  }
  if (!leave()) {
    state_ = TrainingState::paused;
    return publish(true);
  }
  adopt(*std::move(trainer), settings);
  state_ = run ? TrainingState::running : TrainingState::paused;
  remember();
  publish(true);
  measure_held_out();  // where it begins
}

void Training::take_up(TrainingSettings settings, const std::string& path,
                       const std::optional<EarlierModel>& earlier) {
  cancel_ = false;
  if (!leave()) {  // before the file is read: it may be that of this run
    state_ = TrainingState::paused;
    return publish(true);
  }
  Result<Trainer> trainer = made(settings);
  Result<TrainState> read = trainer ? read_checkpoint(path, *trainer) : Result<TrainState>(trainer.error());
  auto before = read ? read_earlier(path, *trainer) : Result<std::vector<EarlierModel>>(read.error());
  const Status taken = before ? trainer->resume(*std::move(read)) : Status(before.error());
  if (!taken) return tell({TrainingOutcome::Kind::failed, path, taken.error(), 0});
  adopt(*std::move(trainer), settings);
  if (std::filesystem::path(path).parent_path() == std::filesystem::path(kept_in())) {
    kept_path_ = path;
    kept_stamp_ = stamp_of(path);
  }
  state_ = TrainingState::paused;
  go_on_from(*std::move(before), earlier);
  remember();
  tell({TrainingOutcome::Kind::resumed, path, {}, 0});
  publish(true);
  if (trainer_->state().step >= settings_.recipe.steps) finish();  // what was measured at its end
}

// What one can go back to: the models of the file, and the one that was looked at.
void Training::go_on_from(std::vector<EarlierModel> before, const std::optional<EarlierModel>& looked_at) {
  const int apart = before.size() > 1 ? before[1].step - before[0].step : 1;
  ring_.start_at(before.empty() ? trainer_->state().step : before.front().step, apart);
  const auto known = [&](const EarlierModel& one) { return looked_at && one.step == looked_at->step; };
  if (looked_at && looked_at->model && std::none_of(before.begin(), before.end(), known))
    before.push_back(*looked_at);
  std::sort(before.begin(), before.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  for (const EarlierModel& one : before)
    if (one.step < trainer_->state().step)
      ring_.add(one.step, std::make_shared<const Checkpoint>(checkpoint_of(one.step, one.model)));
}

void Training::advance() {
  Result<StepReport> report = trainer_->step(&cancel_);
  if (!report) {
    if (report.error().code() == Code::cancelled) return;
    error_ = report.error();
    state_ = TrainingState::failed;
    publish(true);
    return keep();
  }
  curves_.add(*report);
  const int step = trainer_->state().step;
  if (step % std::max(1, settings_.recipe.steps / kHeldOutPoints) == 0) measure_held_out();
  remember();
  if (step >= settings_.recipe.steps && state_ == TrainingState::running) return finish();
  const auto now = Clock::now();
  if (duration<double>(now - published_).count() > kPublishSeconds) publish(false);
  if (duration<double>(now - kept_).count() > kKeepSeconds) keep();
}

void Training::measure_held_out() {
  if (Result<HeldOut> held_out = trainer_->measure_held_out(kHeldOutExamples))
    curves_.held_out.push_back(*held_out);
}

void Training::finish() {
  state_ = TrainingState::measuring;
  if (curves_.held_out.empty() || curves_.held_out.back().step != trainer_->state().step) measure_held_out();
  publish(true);
  measures_ = task_->measure(*trainer_->state().model, kHeldOutSeed, kMeasuredExamples);
  state_ = TrainingState::finished;
  publish(true);
  keep();
}

Checkpoint Training::checkpoint_now() const {
  return checkpoint_of(trainer_->state().step, trainer_->state().model);
}

Checkpoint Training::checkpoint_of(int step, std::shared_ptr<const Model> model) const {
  Checkpoint out{step, std::move(model), nullptr};
  if (auto trace = out.model->run(example_.input)) out.shown = *std::move(trace);
  return out;
}

void Training::remember() {
  const int step = trainer_->state().step;
  if (ring_.wants(step)) ring_.add(step, std::make_shared<const Checkpoint>(checkpoint_now()));
}

void Training::publish(bool wake) {
  if (trainer_) {
    auto out = std::make_shared<TrainingSnapshot>();
    out->version = ++version_;
    out->run = run_;
    out->settings = settings_;
    out->task = task_;
    out->opened = opened_;
    out->example = example_;
    for (const auto& [step, checkpoint] : ring_.all()) out->checkpoints.push_back(checkpoint);
    const bool kept = !out->checkpoints.empty() && out->checkpoints.back()->step == trainer_->state().step;
    out->now = kept ? *out->checkpoints.back() : checkpoint_now();
    out->curves = std::make_shared<const TrainingCurves>(curves_);
    out->measures = measures_;
    out->measured_on = kMeasuredExamples;
    out->error = error_;
    out->learning_rate_factor = trainer_->state().learning_rate_factor;
    out->steps = settings_.recipe.steps;
    double seconds = 0, tokens = 0, steps = 0;
    const std::vector<StepReport>& reports = trainer_->state().reports;
    for (std::size_t i = reports.size() - std::min(reports.size(), kSpeedSteps); i < reports.size(); ++i) {
      seconds += reports[i].seconds;
      tokens += static_cast<double>(reports[i].tokens);
      steps += 1;
    }
    out->tokens_per_second = seconds > 0 ? tokens / seconds : 0;
    out->steps_per_second = seconds > 0 ? steps / seconds : 0;
    std::lock_guard lock(mutex_);
    snapshot_ = std::move(out);
  }
  published_ = Clock::now();
  if (wake && wake_) wake_();
}

void Training::tell(TrainingOutcome outcome) {
  {
    std::lock_guard lock(mutex_);
    outcome.number = ++outcomes_;
    outcome_ = std::move(outcome);
  }
  if (wake_) wake_();
}

}  // namespace attnscope
