// Session: what is opened takes the place of what was open: files, scenes, sessions, checkpoints.
#include <new>

#include "core/session/read_again.h"
#include "core/session/session.h"
#include "core/tensor/panels.h"

namespace attnscope {
namespace {

// What is compared with a pinned run reads what that read, where its ids mean the same and the model takes
// them.
void take_input(const Document& pinned, Document& fresh) {
  const TokenTexts *own = fresh.model->config().texts.get(), *theirs = pinned.model->config().texts.get();
  if (!own || !theirs || !same_texts(own, theirs) || !fresh.opened->recorded.empty()) return;
  Document asked = fresh;
  asked.sequences = pinned.sequences;
  asked.padding = pinned.padding;
  for (const Input& input : inputs_of(asked))
    if (!asked.model->accepts(asked.model->completed(input))) return;
  fresh = std::move(asked);
}

Result<Document> document_at(Result<OpenedModel> opened, const std::atomic<bool>* cancel = nullptr,
                             const RunResult* pinned = nullptr) {
  if (!opened) return opened.error();
  Document out = new_document(std::make_shared<const OpenedModel>(*std::move(opened)), cancel);
  if (pinned && pinned->document.model) take_input(pinned->document, out);
  return out;
}

// Nothing to take back yet.
Result<History> history_of(Result<Document> opened) {
  if (!opened) return opened.error();
  return History(*std::move(opened));
}

}  // namespace

void Session::open_history(std::function<Result<History>(const std::atomic<bool>& cancel)> make,
                           std::optional<OpenedAs> as) {
  opening_as_ = as;
  opening_.begin(workers_, std::move(make));
}

void Session::finish_opening(Result<History> opened) { finish_open(std::move(opened), opening_as_); }

void Session::open_document(std::function<Result<Document>(const std::atomic<bool>& cancel)> make,
                            OpenedAs as) {
  open_history([make = std::move(make)](const std::atomic<bool>& cancel) { return history_of(make(cancel)); },
               as);
}

void Session::open(const std::string& path, const LoraChoice& lora) {
  open_document([path, lora, pinned = pinned_](const std::atomic<bool>& cancel) {
    return document_at(open_model(path, {.lora = lora}), &cancel, pinned.get());
  });
}

void Session::open_files(ModelFiles files, std::string name, const LoraChoice& lora) {
  open_document([files = std::move(files), name = std::move(name), lora,
                 pinned = pinned_](const std::atomic<bool>& cancel) {
    return document_at(open_model_files(files, name, {.lora = lora}), &cancel, pinned.get());
  });
}

void Session::read_again() {
  if (!document().opened) return;
  open_history(
      [before = history_](const std::atomic<bool>& cancel) { return attnscope::read_again(before, &cancel); },
      std::nullopt);
}

void Session::open_checkpoint(const std::string& path) {
  if (!document().opened) return;
  open_history([before = history_,
                path](const std::atomic<bool>& cancel) { return read_instead(before, path, &cancel); },
               std::nullopt);
}

void Session::open_scene(std::string text, std::string name) {
  finish_open(history_of(document_at(open_scene_text(text, name))), OpenedAs::work);
}

// Whatever was open is no more. It may be gone back to, and is packed again then; what was open before it may
// be so for hours.
void Session::begin_opened() {
  Panels::drop_unused();
  run_.cancel();
  generated_.cancel();
  if (shows_training_ || awaits_training_) training_.pause();
  shows_training_ = awaits_training_ = false;
  error_.reset();
  mixed_.reset();
  result_.reset();
  previous_.reset();
}

// Without `as` it is the same work, read again.
void Session::finish_open(Result<History> opened, std::optional<OpenedAs> as) {
  if (!opened) {
    if (opened.error().code() != Code::cancelled) error_ = opened.error();
    return;
  }
  if (as) put_aside(*as);
  begin_opened();
  history_ = *std::move(opened);
  kept_point_ = history_.can_undo() ? 0 : history_.point();  // read again, changes and all
  tried_point_ = 0;
  stamps_ = document().opened->files;
  newer_file_.clear();
  ++opened_version_;
  run();
}

}  // namespace attnscope
