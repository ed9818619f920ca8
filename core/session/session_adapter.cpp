// The open model with another LoRA adapter: read again from its file, as one change of the document.
#include "core/arch/shipped.h"
#include "core/base/text.h"
#include "core/session/session.h"

namespace attnscope {

void Session::adapt(const LoraChoice& lora, const Text& sentence, const std::string& gesture) {
  const auto& opened = document().opened;
  if (!opened || opened->lora == lora) return;
  if (shows_training_) {
    error_ = fail(Code::unsupported, "error.arch.lora.source", {in_quotes(opened->title)});
    return;
  }
  adapting_.begin(
      workers_,
      [path = opened->path, lora, sentence, gesture,
       version = opened_version_](const std::atomic<bool>&) -> Result<Adapted> {
        TRY(OpenedModel read, open_shipped_or_path(path, {.lora = lora}));
        return Adapted{std::make_shared<const OpenedModel>(std::move(read)), version, sentence, gesture};
      });
}

void Session::take_adapted(const Result<Adapted>& made) {
  if (!made) {
    error_ = made.error();
    return;
  }
  if (made->version != opened_version_) return;  // another model was opened meanwhile
  (void)edit(made->sentence, made->gesture, [&](Document& changed) -> Status {
    for (const Input& input : inputs_of(changed)) TRY_OK(made->opened->model->accepts(input));
    changed.opened = made->opened;
    changed.model = made->opened->model;
    return Done{};
  });
}

}  // namespace attnscope
