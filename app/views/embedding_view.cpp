// The embedding view: a token's row of the table, shown as one-hot times matrix, its scale, the added
// position, and the sum that enters block 0; then a map of the vocabulary, any two rows side by side, and q,
// k, v of one head. Terms that the model lacks are not shown.
#include "app/views/embedding_view.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

bool embeds(const Trace& trace, Stack stack) {
  return std::any_of(trace.records().begin(), trace.records().end(), [&](const Record& record) {
    const Slot slot = record.site.slot;
    return record.site.stack == stack && record.site.layer < 0 &&
           (slot == Slot::tok_embed || role_of(slot) == StepRole::patches ||
            role_of(slot) == StepRole::position || role_of(slot) == StepRole::segment);
  });
}

}  // namespace

std::string EmbeddingView::unavailable(const RunResult& run) const {
  if (run.traces.empty()) return "embedding.none";
  for (const Stack stack : {Stack::single, Stack::dec, Stack::enc, Stack::vision})
    if (embeds(run.trace(0), stack)) return "";
  return run.recorded() ? "embedding.none.recorded" : "embedding.none";
}

void EmbeddingView::follow(const ViewContext& context) {
  const Cursor& cursor = context.workspace.cursor;
  const Trace& run = trace(context);
  stack_ = cursor.stack;
  for (const Stack stack : {cursor.stack, run.config().stack, Stack::enc, Stack::vision})
    if (embeds(run, stack)) {
      stack_ = stack;
      break;
    }
  const std::int64_t rows = std::max<std::int64_t>(1, run.rows(stack_));
  row_ = std::clamp<std::int64_t>(stack_ == cursor.stack ? cursor.query : rows - 1, 0, rows - 1);
  const std::vector<int>& ids = run.ids_of(stack_);
  token_ = run.config().of(stack_).patch.size == 0 && row_ < std::ssize(ids)
               ? ids[static_cast<std::size_t>(row_)]
               : -1;
  const std::uint64_t subject = key_of({context.run.opened_version, static_cast<std::uint64_t>(stack_)});
  if (subject != subject_) subject_ = subject, first_ = 0;
  const std::uint64_t key = key_of({subject, context.run.version, static_cast<std::uint64_t>(cursor.sequence),
                                    static_cast<std::uint64_t>(row_)});
  if (key == key_) return;
  key_ = key;
  table_ = token_table(run, stack_);
  weight_ = std::string(stack_prefix(stack_)) + "tok_embed.weight";
  sum_ = embedding_sum(run, stack_, row_);
  dims_ = !sum_.sum.empty() ? sum_.sum.count() : run.config().of(stack_).d_model;
  const auto edit = scale_edit();
  const Edits& edits = context.run.document.edits;
  switched_ = std::any_of(edits.begin(), edits.end(),
                          [&](const auto& one) { return one->enabled && same_edit(*one, *edit); });
  take_words(*context.run.document.opened);
}

std::vector<EmbeddingView::Strip> EmbeddingView::strips(const ViewContext& context) const {
  const Trace& run = trace(context);
  const Theme& t = theme();
  std::vector<Strip> out;
  const auto add = [&](const char* key, Slot slot, std::string label, ImU32 colour, bool sum = false) {
    const Site site = site_of(slot, -1, stack_);
    std::int64_t row = row_;
    if (role_of(slot) == StepRole::patches && run.config().of(stack_).patch.class_token) --row;
    const Record* record = run.find(site);
    if (record && row >= 0 && row < record->shape[0])
      out.push_back({key, std::move(label), site, row, colour, sum,
                     run.slice(site, 0, {row, row + 1}, {0, dims_}).packed()});
  };
  const std::string at = std::to_string(row_);
  const bool scales = sum_.scale != 1.f;
  add("embedding_token", Slot::tok_embed,
      switched_ && !scales
          ? tr("embedding.row.token_scaled", {std::to_string(token_), number_text(root(), 3)})
          : tr("embedding.row.token", {std::to_string(token_)}),
      t.residual);
  add("embedding_patch", Slot::patch_embed, tr("embedding.row.patch", {at}), t.residual);
  add("embedding_scaled", Slot::tok_scaled,
      tr("embedding.row.scaled", {number_text(switched_ ? 1.f : sum_.scale, 3)}), t.residual);
  add("embedding_merged", Slot::merged, tr("embedding.row.merged"), t.residual);
  add("embedding_position", Slot::pos_embed,
      tr("embedding.row.position", {std::to_string(run.positions(stack_).of(row_))}), t.q);
  add("embedding_type", Slot::type_embed, tr("embedding.row.type"), t.k);
  add("embedding_sum", Slot::embed, tr("embedding.row.sum"), t.residual, true);
  add("embedding_normed", Slot::ln_embed_out, tr("embedding.row.normed"), t.norm, true);
  return out;
}

std::string EmbeddingView::facts(const ViewContext& context) const {
  const Trace& run = trace(context);
  const ModelConfig& config = run.config().of(stack_);
  const auto length = [](const Tensor& x) { return x.empty() ? 0.0 : relation(x, x).length_a; };
  const double by = static_cast<double>(sum_.scale != 1.f ? sum_.scale : root());
  EmbeddingSum plain = sum_;  // the unedited row of the table
  if (!words_.empty() && !plain.token.empty()) plain.token = words_.select(0, token_ - first_word_);
  const auto percent = [](double share) {
    return std::isfinite(share) ? number_text(static_cast<float>(100 * share), 1) : std::string("—");
  };
  if (!sum_.position.empty() && token_ >= 0)
    return tr("embedding.facts.position",
              {number_text(static_cast<float>(length(plain.token)), 3),
               number_text(static_cast<float>(length(plain.position)), 3), percent(position_share(plain, 1)),
               number_text(static_cast<float>(by), 3), percent(position_share(plain, by))});
  const bool rope = std::any_of(config.blocks.begin(), config.blocks.end(),
                                [](const BlockSpec& block) { return block.attention.position.rotates(); });
  return tr(rope ? "embedding.facts.rope" : "embedding.facts.alone",
            {number_text(static_cast<float>(length(plain.token)), 3)});
}

Site EmbeddingView::scale_site() const {
  return site_of(sum_.scale != 1.f ? Slot::tok_scaled : Slot::tok_embed, -1, stack_);
}

// An edit that adds the scale √d_model if the model has none, else removes it.
std::shared_ptr<const Edit> EmbeddingView::scale_edit() const {
  return make_edit(NumberEdit{Target{Target::Kind::step, scale_site(), {}, {}}, EditOp::scale,
                              sum_.scale != 1.f ? 1 / sum_.scale : root()});
}

void EmbeddingView::draw_scale_chip(const ViewContext& context) {
  if (token_ < 0 || context.run.recorded() || !trace(context).find(scale_site())) return;
  ImGui::SameLine(0, scaled(16));
  const bool scales = sum_.scale != 1.f, on = scales != switched_;
  if (chip(Label(kept_tr("embedding.scale", {number_text(scales ? sum_.scale : root(), 3)}),
                 "###embedding_scale"),
           on, tr("embedding.scale.help")))
    context.commands.edit(Text::of(on ? "embedding.scale.did.off" : "embedding.scale.did.on"), {},
                          [edit = scale_edit(), off = switched_](Document& document) -> Status {
                            if (off)
                              std::erase_if(document.edits,
                                            [&](const auto& one) { return same_edit(*one, *edit); });
                            else
                              put_edit(document, edit);
                            return Done{};
                          });
}

void EmbeddingView::draw_pages(const ViewContext& context, float) {
  ChipRow row;
  choose(row, page_);
  if (page_ == EmbeddingPage::lookup) draw_scale_chip(context);
}

void EmbeddingView::draw(const ViewContext& context) {
  const StyleScope tips(ImGuiStyleVar_WindowPadding, ImVec2(scaled(10), scaled(8)));
  follow(context);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = room.x - scaled(14);
  const std::string token = row_name(context.run, context.workspace.cursor.sequence, stack_, row_);
  note_text(token);
  constexpr const char* kSentences[] = {"embedding.sentence.lookup", "embedding.sentence.map",
                                        "embedding.sentence.compare", "embedding.sentence.heads"};
  const float below = places_heading(context.workspace, context.run, PlaceChips::stacks,
                                     kept_tr("embedding.title", {token, std::to_string(row_)}),
                                     tr(kSentences[static_cast<int>(page_.value)]), width);
  ImGui::SetCursorScreenPos(ImVec2(origin.x, below + scaled(8)));
  draw_pages(context, width);
  const ImVec2 beside(ImGui::GetItemRectMax().x + scaled(20), ImGui::GetItemRectMin().y);
  const float begin = ImGui::GetCursorScreenPos().y + scaled(4);
  const ImVec2 at(origin.x, begin), size(width, std::max(scaled(80), origin.y + room.y - begin));
  if (page_ == EmbeddingPage::lookup) draw_lookup(context, at, size);
  if (page_ == EmbeddingPage::map) map_.draw(context, stack_, row_, at, size);
  if (page_ == EmbeddingPage::compare) compare_.draw(context, stack_, beside, at, size);
  if (page_ == EmbeddingPage::heads) heads_.draw(context, at, size);
}

std::unique_ptr<View> make_embedding_view();
std::unique_ptr<View> make_embedding_view() { return std::make_unique<EmbeddingView>(); }

}  // namespace attnscope
