// Texts are in assets/strings/*/ask_texts.json.
#include "app/views/ask_over_data.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"
#include "core/session/prompt_list.h"

namespace attnscope {

const std::optional<DataChoice>& OverData::own(const ViewContext& context) {
  if (std::exchange(own_of_, context.run.opened_version) != own_of_)
    own_ = own_task_choice(*context.run.document.opened);
  return own_;
}

std::shared_ptr<const DataPrompts> OverData::prompts_or_offer(const ViewContext& context,
                                                              const char* chip_id) {
  if (const auto& prompts = context.session.document().data.prompts) return prompts;
  if (!own(context)) {
    caption(tr("ask.texts.no_data"));
  } else if (context.session.opening_data()) {
    caption(tr("output.pending"));
  } else {
    if (chip(Label(tr("ask.over.own"), chip_id), false, tr("ask.over.own.help")))
      context.commands.act([choice = *own_](Session& session) { session.open_data(choice); });
    caption(tr("ask.texts.choose"));
  }
  return nullptr;
}

const std::shared_ptr<const Document>& OverData::start(const ViewContext& context) {
  if (start_ && start_of_ == context.run.version) return start_;
  start_of_ = context.run.version;
  Document start = start_of_prompts(context.run.document);
  Hash edits;
  for (const auto& edit : start.edits) edits.take(key_of(to_text(*edit)));
  edits_ = edits.value();
  start_ = std::make_shared<const Document>(std::move(start));
  return start_;
}

}  // namespace attnscope
