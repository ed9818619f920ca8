#include "core/session/beside.h"

#include "core/arch/shipped.h"
#include "core/session/mask_edits.h"

namespace attnscope {

Result<std::shared_ptr<const Document>> under_model(const Document& document, const std::string& name) {
  TRY(OpenedModel opened, open_shipped_or_path(name));
  if (!opened.model) return fail(Code::unsupported, "error.session.recording");
  Document out = document;
  out.opened = std::make_shared<const OpenedModel>(std::move(opened));
  out.model = out.opened->model;
  TRY_OK(take_back_masks(out));
  const std::vector<Input> inputs = inputs_of(out);
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    RunOptions options;
    options.edits = edits_for(out.edits, static_cast<int>(at));
    TRY_OK(out.model->accepts(inputs[at], options));
  }
  return std::make_shared<const Document>(std::move(out));
}

std::string twin_of(const Document& document) {
  const bool plain = document.opened && document.opened->lora.empty();
  const auto twins = plain ? shipped_twins(document.opened->path) : std::vector<std::string>();
  return twins.empty() ? std::string() : twins.front();
}

}  // namespace attnscope
