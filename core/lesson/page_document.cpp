#include "core/lesson/page_document.h"

#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/io/json_number.h"
#include "core/session/mask_edits.h"
#include "core/session/prompt_list.h"
#include "core/session/session_file.h"

namespace attnscope {

Status give_page_texts(Document& document, const std::vector<std::string>& texts,
                       const std::vector<std::string>& decoder_texts) {
  const ModelConfig& config = document.model->config();
  const bool answers = config.encoder() != nullptr;
  const std::size_t count = std::max(texts.size(), decoder_texts.size());
  while (document.sequences.size() > std::max<std::size_t>(1, count) && count > 0)
    TRY_OK(delete_sequence(document, document.sequences.size() - 1));
  while (document.sequences.size() < count) TRY_OK(add_sequence(document, document.sequences.size() - 1));
  for (std::size_t i = 0; i < texts.size(); ++i)
    TRY_OK(set_text(document, i, texts[i], answers ? Stack::enc : config.stack));
  for (std::size_t i = 0; i < decoder_texts.size(); ++i) TRY_OK(set_text(document, i, decoder_texts[i]));
  return Done{};
}

Status give_page_inputs(Document& document, const PageState& state) {
  if (state.inputs) TRY_OK(inputs_from_json(*state.inputs, state.model, document));
  TRY_OK(give_page_texts(document, state.texts, state.decoder_texts));
  for (std::size_t i = 0; i < state.spans.size(); ++i) TRY_OK(set_spans(document, i, state.spans[i]));
  if (state.padding.on) TRY_OK(set_padding(document, state.padding));
  if (state.data) TRY_OK(give_prompts(*state.data, state.path, document));
  return Done{};
}

Result<Document> page_document(const PageState& state, const std::atomic<bool>* cancel) {
  TRY(OpenedModel opened, open_shipped(state.model));
  Document document = new_document(std::make_shared<const OpenedModel>(std::move(opened)), cancel);
  TRY_OK(give_page_inputs(document, state));
  for (const auto& edit : state.edits) put_edit(document, edit);
  return document;
}

Status show_change(Document& document, const ChangeAsk& change) {
  TRY_OK(give_page_texts(document, change.show_texts));
  for (const auto& edit : change.show) put_edit(document, edit);
  return Done{};
}

Status show_answer(Document& document, const Page& page) {
  if (const auto* mask = std::get_if<MaskAsk>(&page.ask))
    return choose_mask(document, mask->text, AttentionKind::main);
  const auto* change = std::get_if<ChangeAsk>(&page.ask);
  return change ? show_change(document, *change) : Status(Done{});
}

Status PageRun::take() {
  session_->wait();
  if (session_->error()) return *session_->error();
  run_ = session_->result();
  if (!run_ || run_->traces.empty()) return fail(Code::not_found, "error.lesson.no_run");
  return Done{};
}

Status PageRun::open(const PageState& state) {
  session_ = std::make_unique<Session>();
  session_->open_document([state](const std::atomic<bool>& cancel) { return page_document(state, &cancel); });
  TRY_OK(take());
  first_ = run_;
  return Done{};
}

Status PageRun::open(const Page& page) {
  TRY_OK(open(page.state));
  const auto* probe = std::get_if<ChoiceAsk>(&page.ask);
  if (!probe || probe->fault.empty()) return Done{};
  TRY(run_, run_with_fault(*first_, *probe));
  return Done{};
}

Status PageRun::edit(const std::function<Status(Document&)>& change) {
  TRY_OK(session_->edit(Text::of("lessons.edit.shown"), {}, change));
  return take();
}

ExpressionScope scope_of(const Page& page, const PageRun& run) {
  const nlohmann::json& look = page.state.look();
  const bool cursor = look.is_object() && look.contains("cursor");
  const auto sequence = cursor ? whole_at(look["cursor"], "sequence", 0, 1 << 30) : std::nullopt;
  return {run.run(), &run.first(), static_cast<int>(sequence.value_or(0)), {}};
}

}  // namespace attnscope
