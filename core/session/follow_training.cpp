// The model in training as what is open: a document of its own, whose model is exchanged while it trains. The
// undo points stay; a run that is under way is waited for, so that the picture always moves. Refuses to throw
// away a weight that was changed by hand.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/save_model.h"
#include "core/base/text.h"
#include "core/session/session.h"
#include "core/session/session_file.h"

namespace attnscope {
namespace {

// The same names and tokenizer around another step's model.
std::shared_ptr<const OpenedModel> with_model(const OpenedModel& opened, std::shared_ptr<const Model> model) {
  OpenedModel out = opened;
  out.model = std::move(model);
  return std::make_shared<const OpenedModel>(std::move(out));
}

Document document_of(const TrainingSnapshot& snapshot) {
  Document document;
  document.opened = with_model(*snapshot.opened, snapshot.now.model);
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

// The model as it is shown, as a folder of its own that a session can refer to.
Result<Document> kept_beside(Document document, const Task& task, const std::string& folder) {
  TRY(const std::string layout, fitting_layout(task.layout(), *document.opened->model));
  TRY_OK(save_model(folder, layout, *document.opened->model, task.tokenizer()));
  TRY(OpenedModel opened, open_model(folder));
  opened.title = document.opened->title;
  document.model = opened.model;
  document.opened = std::make_shared<const OpenedModel>(std::move(opened));
  return document;
}

}  // namespace

Status Session::save(const std::string& path, const nlohmann::json& look) const {
  Document document = this->document();
  const auto snapshot = training_.snapshot();
  if (shows_training_ && snapshot && starts_with(document.opened->path, kTrainingPath)) {
    TRY(document, kept_beside(std::move(document), *snapshot->task,
                              std::filesystem::absolute(path + kModelEnding).string()));
  }
  return save_session(path, document, look, pinned_ ? &pinned_->document : nullptr);
}

Status Session::train(const TrainingSettings& settings, bool run) {
  const auto before = training_.snapshot();
  TRY_OK(training_.start(settings, run));
  awaits_training_ = true;
  awaited_after_ = before ? before->run : 0;
  return Done{};
}

Status Session::train_from(const KeptRun& kept) {
  const auto before = training_.snapshot();
  TRY_OK(training_.resume(kept.settings, kept.path));
  awaits_training_ = true;
  awaited_after_ = before ? before->run : 0;
  return Done{};
}

void Session::show_training() {
  const auto snapshot = training_.snapshot();
  if (!snapshot) return;
  shows_training_ = awaits_training_ = false;  // not another model: it does not pause
  finish_open(History(document_of(*snapshot)));
  shows_training_ = true;
  wanted_step_ = -1;
  shown_step_ = snapshot->now.step;
}

void Session::follow_training() {
  const auto snapshot = training_.snapshot();
  if (!snapshot) return;
  if (awaits_training_ && snapshot->run != awaited_after_) show_training();
  if (!shows_training_ || training_held() || running()) return;
  const Checkpoint* checkpoint = checkpoint_at(*snapshot, wanted_step_);
  const auto& before = document().opened->model;
  if (checkpoint->model == before) return;
  const auto opened = with_model(*snapshot->opened, checkpoint->model);
  history_.amend([&](Document& document) {
    document.opened = opened;
    document.model = opened->model;
  });
  shown_step_ = checkpoint->step;
  run();
}

}  // namespace attnscope
