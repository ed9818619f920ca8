#include "app/views/tokenizer_shelf.h"

#include <algorithm>
#include <utility>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/text/learn_bpe.h"
#include "core/text/own_text.h"

namespace attnscope {
namespace {

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

void TokenizerShelf::follow(const ViewContext& context, const std::string&) {
  if (std::exchange(opened_, context.run.opened_version) != context.run.opened_version && !chosen_by_hand_)
    choice_ = Choice::own;  // another model may have steps of its own
  if (choice_ == Choice::own) return;
  const auto merges = learned_.get(1, context.workers(), [](const std::atomic<bool>& cancel) {
    const std::vector<std::string> texts = own_sentences();
    const auto views = views_of(texts);
    return learn_merges(views, kMostMerges, &cancel);
  });
  if (!merges) return;
  const auto count = static_cast<std::size_t>(merges_.value);
  const Made<Shelf> made = shelves_.get_or_before(
      1, key_of({count}), context.workers(), [merges, count](const std::atomic<bool>&) {
        const std::vector<std::string> texts = own_sentences();
        const auto views = views_of(texts);
        Shelf out;
        out.merges = static_cast<int>(std::min(count, merges->size()));
        if (auto bpe = tokenizer_of_merges(*merges, count)) out.bpe = *bpe;
        if (auto unigram = unigram_of_merges(views, *merges, count)) out.unigram = *unigram;
        return out;
      });
  if (made) made_ = made.value;
}

std::shared_ptr<const Tokenizer> TokenizerShelf::chosen() const {
  if (!made_ || choice_ == Choice::own || choice_ == Choice::beside) return nullptr;
  return choice_ == Choice::bpe ? made_->bpe : made_->unigram;
}

std::uint64_t TokenizerShelf::version() const {
  return chosen()
             ? key_of({static_cast<std::uint64_t>(choice_.value), static_cast<std::uint64_t>(made_->merges)})
             : 0;
}

void TokenizerShelf::draw_choice(float width) {
  const StyleScope slim(ImGuiStyleVar_FramePadding, ImVec2(scaled(8), scaled(3)));
  const float right = ImGui::GetCursorScreenPos().x + width;
  ChipRow line(width, 5);
  if (choose(line, choice_)) chosen_by_hand_ = true;
  if (choice_ == Choice::own) return;
  if (!made_) return caption(tr("tokenizer.shelf.learning"));  // until then the model's own is shown
  const float room = right - ImGui::GetItemRectMax().x - scaled(14);
  if (room < scaled(110)) return;
  ImGui::SameLine(0, scaled(14));
  (void)slide(merges_, std::min(room, scaled(220)));
}

void TokenizerShelf::draw_beside(const ViewContext& context, const std::string& text, ImVec2 at,
                                 float width) {
  ImGui::SetCursorScreenPos(at);
  if (!made_) return caption(tr("tokenizer.shelf.learning"));
  const auto own = context.run.document.opened->tokenizer;
  const std::uint64_t key = key_of({context.run.opened_version, std::hash<std::string>()(text),
                                    static_cast<std::uint64_t>(made_->merges)});
  const auto cuts = cuts_.get(key, context.workers(), [own, shelf = made_, text](const std::atomic<bool>&) {
    std::vector<Cut> out;
    const auto add = [&](const char* title, const std::shared_ptr<const Tokenizer>& tokenizer) {
      if (!tokenizer) return;
      const TokenizerScene scene = make_tokenizer_scene(tokenizer, text);
      out.push_back({tr(title), scene.names, tokenizer->vocab_size()});
    };
    add("tokenizer.shelf.own", own);
    add("tokenizer.shelf.bpe", shelf->bpe);
    add("tokenizer.shelf.unigram", shelf->unigram);
    return out;
  });
  if (!cuts) return caption(tr("tokenizer.pending"));
  const Canvas canvas;
  const Theme& t = theme();
  const float right = at.x + width, row = text_size(fonts().mono, "X").y + scaled(12);
  const auto characters = std::max<std::size_t>(1, utf8_length(text));
  for (std::size_t i = 0; i < cuts->size(); ++i) {
    const Cut& cut = (*cuts)[i];
    ImGui::Dummy(ImVec2(1, scaled(4)));
    section_heading(tr("tokenizer.shelf.count",
                       {cut.title, format_count(cut.vocabulary), std::to_string(cut.names.size()),
                        number_text(static_cast<float>(characters) /
                                        static_cast<float>(std::max<std::size_t>(1, cut.names.size())),
                                    2)}));
    note_item("tokenizer_cut_" + std::to_string(i));
    ImVec2 pen = ImGui::GetCursorScreenPos();
    const ImVec2 first = pen;
    int lines = 1;
    for (std::size_t token = 0; token < cut.names.size(); ++token) {
      note_text(cut.names[token]);
      const ImVec2 size = text_size(fonts().mono, cut.names[token]);
      const float wide = size.x + scaled(10);
      if (pen.x > first.x && pen.x + wide > right) {
        if (++lines > 8) {
          draw_text(canvas, fonts().mono, ImVec2(pen.x, pen.y), t.text_dim, "…");
          break;
        }
        pen = ImVec2(first.x, pen.y + row);
      }
      canvas.fill_rect(pen, ImVec2(pen.x + wide, pen.y + row - scaled(4)),
                       with_alpha(token % 2 ? t.k : t.attention, 0.28f), scaled(4));
      draw_text(canvas, fonts().mono, ImVec2(pen.x + scaled(5), pen.y + (row - scaled(4) - size.y) / 2),
                t.text, cut.names[token]);
      pen.x += wide + scaled(3);
    }
    ImGui::SetCursorScreenPos(ImVec2(first.x, pen.y + row));
  }
  ImGui::Dummy(ImVec2(1, 1));
}

}  // namespace attnscope
