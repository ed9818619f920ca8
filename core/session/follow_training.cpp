// The model in training as the open document: a document of its own, whose model is replaced while it
// trains. The undo points stay; a run that is under way is finished first, so that the picture always moves.
// A weight that was changed by hand stops the replacing.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/save_model.h"
#include "core/base/text.h"
#include "core/session/session.h"
#include "core/session/session_file.h"
#include "core/session/session_parts.h"
#include "core/system/atomic_file.h"
#include "core/system/atomic_folder.h"
#include "core/system/mapped_file.h"

namespace attnscope {
namespace {

// The same names and tokenizer around the model of a step.
std::shared_ptr<const OpenedModel> with_model(const OpenedModel& opened, std::shared_ptr<const Model> model,
                                              int step) {
  OpenedModel out = opened;
  out.model = std::move(model);
  out.training_step = step;
  return std::make_shared<const OpenedModel>(std::move(out));
}

Document document_of(const TrainingSnapshot& snapshot) {
  Document document;
  document.opened = with_model(*snapshot.opened, snapshot.now.model, snapshot.now.step);
  document.model = snapshot.now.model;
  const Input& input = snapshot.example.input;
  Sequence sequence = sequence_from_ids(*document.opened, input.ids);
  if (!input.source.empty()) {
    Sequence source = sequence_from_ids(*document.opened, input.source, Stack::enc);
    sequence.source_text = std::move(source.text);
    sequence.source_tokens = std::move(source.tokens);
  }
  sequence.input = input;
  document.sequences.push_back(std::move(sequence));
  return document;
}

// The checkpoint of a step, or the last one before it: they are thinned while the run goes on.
const Checkpoint* checkpoint_at(const TrainingSnapshot& snapshot, int step) {
  if (step < 0 || step >= snapshot.now.step || snapshot.checkpoints.empty()) return &snapshot.now;
  const auto after = std::find_if(snapshot.checkpoints.begin(), snapshot.checkpoints.end(),
                                  [&](const auto& kept) { return kept->step > step; });
  return after == snapshot.checkpoints.begin() ? after->get() : std::prev(after)->get();
}

// The model in training as it is shown, as a folder of its own that a session can refer to.
Status keep_beside(Document& document, const Task& task, const std::string& folder) {
  TRY(const std::string layout, fitting_layout(task.layout(), *document.opened->model));
  TRY_OK(save_model(folder, layout, *document.opened->model, task.tokenizer()));
  TRY(OpenedModel opened, open_model(folder));
  opened.title = document.opened->title;
  opened.training_step = document.opened->training_step;
  document.model = opened.model;
  document.opened = std::make_shared<const OpenedModel>(std::move(opened));
  return Done{};
}

// The same of a model that came out of a session's own file.
Status copy_beside(Document& document, const std::string& path) {
  if (!document.opened || !is_put_out(document.opened->path)) return Done{};
  TRY(AtomicFolder folder, AtomicFolder::create(path));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(document.opened->path, error)) {
    TRY(const std::string bytes, read_file(entry.path().string(), kMostPartBytes));
    TRY_OK(write_file(folder.in(entry.path().filename().string()), bytes));
  }
  TRY_OK(folder.commit());
  OpenedModel opened = *document.opened;
  opened.path = path;
  document.opened = std::make_shared<const OpenedModel>(std::move(opened));
  return Done{};
}

bool trains(const Document& document) {
  return document.opened && starts_with(document.opened->path, kTrainingPath);
}

}  // namespace

Status write_session(const std::string& path, const SessionCopy& copy, const nlohmann::json& look) {
  return write_session(path, copy, look, place_beside(path, copy.document, copy.pinned.get()));
}

Status write_session(const std::string& path, const SessionCopy& copy, const nlohmann::json& look,
                     int which) {
  Document document = copy.document;
  const std::string beside = session_beside(std::filesystem::absolute(path).string(), which);
  std::shared_ptr<const Task> own = copy.task;
  if (!own && trains(document)) {  // its run is another's by now, or none
    TRY(own, find_task(document.opened->path.substr(kTrainingPath.size())));
  }
  TRY_OK(own ? keep_beside(document, *own, beside + kModelEnding)
             : copy_beside(document, beside + kModelEnding));
  const auto shown = copy.task ? std::optional(copy.training) : std::nullopt;
  if (!copy.pinned) return save_session(path, document, look, nullptr, shown, which);
  Document pinned = *copy.pinned;
  if (!trains(pinned)) {
    if (pinned.opened == copy.document.opened) pinned.opened = document.opened;
    TRY_OK(copy_beside(pinned, beside + kPinnedEnding));
    return save_session(path, document, look, &pinned, shown, which);
  }
  const std::string name = pinned.opened->path.substr(kTrainingPath.size());
  std::shared_ptr<const Task> task = copy.task && copy.task->name() == name ? copy.task : nullptr;
  if (!task) {
    TRY(task, find_task(name));
  }
  TRY_OK(keep_beside(pinned, *task, beside + kPinnedEnding));
  return save_session(path, document, look, &pinned, shown, which);
}

SessionCopy Session::copy() const {
  SessionCopy out;
  out.document = document();
  if (pinned_) out.pinned = std::make_shared<const Document>(pinned_->document);
  const auto snapshot = training_.snapshot();
  if (!shows_training_ || !snapshot || !trains(out.document)) return out;
  out.task = snapshot->task;
  out.training = {shown_step_, wanted_step_ < 0};
  if (!out.training.newest || training_held()) return out;
  out.training.step = snapshot->now.step;  // of the checkpoint; the window follows
  out.document.opened = with_model(*snapshot->opened, snapshot->now.model, snapshot->now.step);
  out.document.model = snapshot->now.model;
  return out;
}

Status Session::save(const std::string& path, const nlohmann::json& look) {
  const int which = place_beside(path, document(), pinned_ ? &pinned_->document : nullptr);
  if (shows_training_) TRY_OK(training_.write(session_beside(path, which) + kRunEnding));
  TRY_OK(write_session(path, copy(), look, which));
  return take_in_parts(path);
}

Status Session::train(const TrainingSettings& settings, bool run) {
  const auto before = training_.snapshot();
  TRY_OK(training_.start(settings, run));
  joins_.reset();
  awaits_training_ = true;
  awaited_after_ = before ? before->run : 0;
  return Done{};
}

Status Session::train_from(const KeptRun& kept) {
  const auto before = training_.snapshot();
  TRY_OK(training_.resume(kept.settings, kept.path));
  joins_.reset();
  awaits_training_ = true;
  awaited_after_ = before ? before->run : 0;
  return Done{};
}

void Session::train_from(const SessionFile& session) {
  std::error_code ignored;
  const std::string path = run_beside(session);
  if (!session.training || !std::filesystem::exists(path, ignored)) return;  // the error was shown
  const auto before = training_.snapshot();
  const Result<KeptRun> kept = read_run(path);
  std::optional<EarlierModel> earlier;
  if (!session.training->newest) earlier = {session.training->step, document().model};
  const Status begun = kept ? training_.resume(kept->settings, path, earlier) : Status(kept.error());
  if (!begun) {
    error_ = begun.error();
    return;
  }
  joins_ = session.training;
  awaits_training_ = true;
  awaited_after_ = before ? before->run : 0;
}

// What is open is the model of the run, at one of its steps: nothing is opened anew.
void Session::join_training(const TrainingSnapshot& snapshot) {
  const TrainingShown shown = *std::exchange(joins_, std::nullopt);
  awaits_training_ = false;
  shows_training_ = true;
  training_.dismiss_outcome();
  wanted_step_ = shown.newest ? -1 : shown.step;
  shown_step_ = shown.step;
  const auto opened = with_model(*snapshot.opened, document().model, shown.step);
  history_.amend([&](Document& document) { document.opened = opened; });
  run();
}

void Session::show_training() {
  const auto snapshot = training_.snapshot();
  if (!snapshot) return;
  const bool again = std::exchange(shows_training_, false);  // what is open is of an earlier run
  awaits_training_ = false;                                  // not another model: it does not pause
  if (!again || history_.can_undo()) put_aside(OpenedAs::work, true);
  finish_open(History(document_of(*snapshot)), std::nullopt);
  shows_training_ = true;
  wanted_step_ = -1;
  shown_step_ = snapshot->now.step;
}

void Session::follow_training() {
  const bool busy = training_.busy();  // read before: the work below may be awaited
  const auto snapshot = training_.snapshot();
  if (awaits_training_ && snapshot && snapshot->run != awaited_after_)
    joins_ ? join_training(*snapshot) : show_training();
  else if (!busy)
    awaits_training_ = false;  // the error was shown
  if (!snapshot) return;
  if (!shows_training_ || training_held() || running()) return;
  if (wanted_step_ >= 0 && document().opened->training_step == wanted_step_) return;
  const Checkpoint* checkpoint = checkpoint_at(*snapshot, wanted_step_);
  const auto& before = document().opened->model;
  if (checkpoint->model == before) return;
  const auto opened = with_model(*snapshot->opened, checkpoint->model, checkpoint->step);
  history_.amend([&](Document& document) {
    document.opened = opened;
    document.model = opened->model;
  });
  shown_step_ = checkpoint->step;
  run();
}

}  // namespace attnscope
