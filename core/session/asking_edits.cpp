// Asking: the edits that a cell of the answer becomes, of one run or of one prompt of a data set.
#include <algorithm>

#include "core/session/asking.h"
#include "core/session/prompt_list.h"

namespace attnscope {

bool Asking::edits_need_run(const SweepAnswer& answer, std::size_t cell) const {
  const bool total = answer.request.path && answer.request.path->kind == PathKind::total;
  const auto put = put_.find(cell);
  const bool kept = put != put_.end() && !put->second.empty();
  return total && !kept && !(ready_ && ready_->key == answer.key && ready_->cell == cell);
}

void Asking::begin_edits(Workers& workers, const std::shared_ptr<const SweepAnswer>& answer,
                         std::size_t cell) {
  if (!answer->sweep || answer->over_data() || cell >= answer->sweep->cells().size()) return;
  making_->begin(workers, [answer, cell](const std::atomic<bool>&) -> Result<CellEdits> {
    TRY(Edits edits, answer->sweep->edits(cell));
    return CellEdits{answer->key, cell, std::move(edits)};
  });
}

std::optional<Result<std::size_t>> Asking::take_edits() {
  auto made = making_->take();
  if (!made) return std::nullopt;
  if (!*made) return Result<std::size_t>(made->error());
  ready_ = **std::move(made);
  return Result<std::size_t>(ready_->cell);
}

Result<Edits> Asking::edits_of(const SweepAnswer& answer, std::size_t cell) const {
  if (ready_ && ready_->key == answer.key && ready_->cell == cell) return ready_->edits;
  return answer.sweep->edits(cell);
}

Status Asking::toggle(Document& document, const SweepAnswer& answer, std::size_t cell) {
  if (!answer.sweep || answer.over_data() || cell >= answer.sweep->cells().size()) return Done{};
  if (is_put(document, answer, cell)) {
    for (const auto& edit : put_.at(cell)) std::erase(document.edits, edit);
    return Done{};
  }
  const bool many = document.sequences.size() > 1;
  Edits& put = put_[cell];
  if (put.empty()) {
    TRY(const Edits edits, edits_of(answer, cell));
    for (const auto& edit : edits) {
      NumberEdit number = *edit->number();
      auto* frozen = std::get_if<Frozen>(&number.value);
      if (frozen && answer.request.other)
        frozen->origin = settings.into_other ? own_text(document) : settings.other;
      put.push_back(make_edit(std::move(number), many ? sequence_ : -1));
    }
  }
  if (answer.request.other && settings.into_other) TRY_OK(change_places(document));
  document.edits.insert(document.edits.end(), put.begin(), put.end());
  return Done{};
}

namespace {

// All of them.
bool holds(const Edits& edits, const Edits& wanted) {
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
    return std::find(edits.begin(), edits.end(), one) != edits.end();
  });
}

}  // namespace

bool Asking::is_put(const Document& document, const SweepAnswer& answer, std::size_t cell) const {
  const auto newest = sweep_.newest();
  const auto put = put_.find(cell);
  return newest && newest->key == answer.key && put != put_.end() && holds(document.edits, put->second);
}

void Asking::begin_prompt(Workers& workers, const std::shared_ptr<const SweepAnswer>& answer,
                          std::size_t cell, std::int64_t prompt) {
  if (!answer->work || !answer->data || cell >= answer->cells().size()) return;
  put_cell_ = cell;
  prompt_->begin(workers, [answer, cell, prompt](const std::atomic<bool>& cancel) {
    return prompt_edit(*answer, cell, prompt, cancel);
  });
}

Result<Asking::PromptEdit> Asking::prompt_edit(const SweepAnswer& answer, std::size_t cell,
                                               std::int64_t prompt, const std::atomic<bool>& cancel) {
  const DataPrompts& prompts = *answer.request.data->prompts;
  TRY(const PromptSweep asked,
      answer.work->sweeps->of(prompts.lines.at(static_cast<std::size_t>(prompt)), &cancel));
  const std::vector<SweepCell>&own = asked.sweep.cells(), &all = answer.cells();
  std::size_t at = cell;  // prompts of other lengths may have other places
  const std::string wanted = cell_text(all[cell]);
  if (own.size() != all.size() || own[at].site != all[cell].site) {
    for (at = 0; at < own.size(); ++at)
      if (cell_text(own[at]) == wanted) break;
    if (at == own.size()) return fail(Code::not_found, "error.session.data.no_place", {wanted});
  }
  TRY(const Edits edits, asked.sweep.edits(at));
  PromptEdit out{prompt, {}, answer.request.data->question.patch == PatchInto::corrupt};
  for (const auto& edit : edits) {
    NumberEdit number = *edit->number();
    auto* frozen = std::get_if<Frozen>(&number.value);
    if (frozen && !answer.request.path) frozen->origin = data_name(prompts.choice);
    out.edits.push_back(make_edit(std::move(number)));
  }
  return out;
}

Status Asking::put_prompt(Document& document, const PromptEdit& made) {
  for (const auto& edit : put_prompt_) std::erase(document.edits, edit);
  TRY_OK(open_prompt(document, made.prompt, made.corrupt ? DataSide::corrupt : DataSide::clean));
  document.edits.insert(document.edits.end(), made.edits.begin(), made.edits.end());
  put_prompt_ = made.edits;
  return Done{};
}

bool Asking::is_prompt_put(const Document& document, std::size_t cell, std::int64_t prompt) const {
  return put_cell_ == cell && prompt_looked_at(document) == prompt && holds(document.edits, put_prompt_);
}

}  // namespace attnscope
