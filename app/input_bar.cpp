#include "app/input_bar.h"

#include <algorithm>
#include <cstdlib>

#include "app/controls.h"
#include "app/look/item_map.h"
#include "app/look/strings.h"
#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::size_t kLongText = 8192;    // bytes; more are tokenized in the background
constexpr double kBurstSeconds = 1.2;      // a pause in typing after which a new undo point begins
constexpr std::size_t kSentenceText = 32;  // code points of the text in an undo sentence

std::string excerpt(const std::string& text) {
  std::string out;
  std::size_t at = 0, count = 0;
  while (at < text.size() && count++ < kSentenceText) {
    const char32_t code = next_code_point(text, at);
    append_utf8(out, code < 32 ? U' ' : code);
  }
  return at < text.size() ? out + "\u2026" : out;
}

const Sequence* sequence_of(const Document& document, int index) {
  if (document.sequences.empty()) return nullptr;
  const int last = static_cast<int>(document.sequences.size()) - 1;
  return &document.sequences[static_cast<std::size_t>(std::clamp(index, 0, last))];
}

/// "11 tokens · 3 blocks · 4 heads · 0.4 ms"
std::string summary(const PanelContext& context, const Sequence& sequence) {
  const ModelConfig& config = context.session.document().model->config();
  const int heads = config.blocks.empty() ? 0 : config.blocks.front().attention.n_heads;
  std::string text = tr("input.summary", {format_count(sequence.input.length()),
                                          std::to_string(config.n_layers()), std::to_string(heads)});
  if (context.run)
    text += tr("input.summary.time",
               {format(context.run->milliseconds < 10 ? "%.1f" : "%.0f", context.run->milliseconds)});
  return text;
}

/// The first id that the vocabulary does not have, or -1.
int unknown_id(const Document& document, const std::vector<int>& ids) {
  const int known = document.model->config().vocab_size;
  const auto at = std::find_if(ids.begin(), ids.end(), [&](int id) { return id < 0 || id >= known; });
  return at == ids.end() ? -1 : std::abs(*at);
}

void right_text(const std::string& text, float right, float y) {
  ImGui::SetCursorScreenPos(ImVec2(right - ImGui::CalcTextSize(text.c_str()).x, y));
  dim_text(text);
}

}  // namespace

void InputBar::follow(const PanelContext& context) {
  if (opened_ != context.session.opened_version()) {
    opened_ = context.session.opened_version();
    typed_error_.reset();
    tokenized_.reset();
    found_.clear();
    search_.reset();
    typing_ = false;
    shown_query_ = -1;
  }
  const Sequence* sequence = sequence_of(context.session.document(), context.workspace.cursor.sequence);
  if (typed_sequence_ != context.workspace.cursor.sequence) typed_error_.reset();
  typed_sequence_ = context.workspace.cursor.sequence;
  if (sequence && !typing_ && !typed_error_ && !tokenized_) text_ = sequence->text;
  lit_ = lit_next_;
  lit_next_ = -1;
  if (tokenized_ && tokenized_->done)
    context.commands.act([this, made = std::exchange(tokenized_, nullptr), at = typed_sequence_](
                             Session& session) { take_typed(session, at, std::move(made->sequence)); });
  if (last_key_ > 0 && ImGui::GetTime() - last_key_ > kBurstSeconds) {
    last_key_ = 0;
    context.commands.end_gesture();
  }
}

void InputBar::take_typed(Session& session, int sequence, Result<Sequence> made) {
  typed_error_.reset();
  if (!made) {
    typed_error_ = made.error();
  } else if (made->input.ids.empty()) {
    typed_error_ = fail(Code::bad_format, tr("input.empty"), tr("input.empty.hint"));
  } else if (const int id = unknown_id(session.document(), made->input.ids); id >= 0) {
    const int known = session.document().model->config().vocab_size;
    typed_error_ =
        fail(Code::out_of_range, tr("input.unknown_id", {std::to_string(id), std::to_string(known)}),
             tr("input.unknown_id.hint", {std::to_string(known - 1)}));
  } else {
    const std::string sentence = tr("input.edit.text", {excerpt(made->text)});
    (void)session.edit(sentence, "typing", [&](Document& document) -> Status {
      document.sequences[static_cast<std::size_t>(sequence)] = *std::move(made);
      return Done{};
    });
  }
}

void InputBar::typed(const PanelContext& context, int sequence) {
  last_key_ = ImGui::GetTime();
  note_text(text_);
  const auto opened = context.session.document().opened;
  if (text_.size() <= kLongText) {
    context.commands.act([this, opened, sequence, text = text_](Session& session) {
      take_typed(session, sequence, sequence_from_text(*opened, text));
    });
    return;
  }
  tokenized_ = std::make_shared<Tokenized>();
  context.commands.act([made = tokenized_, opened, text = text_](Session& session) {
    session.jobs().submit("tokenize", [made, opened, text](const std::atomic<bool>& cancel) {
      made->sequence = sequence_from_text(*opened, text);
      if (!cancel) made->done = true;
    });
  });
}

// The token under the pointer, here or among the chips, is lit in the text; not while the field is scrolled.
void InputBar::light_spans(const Sequence& sequence, ImVec2 min, ImVec2 max) {
  const float room = max.x - min.x - 2 * ImGui::GetStyle().FramePadding.x;
  if (text_ != sequence.text || text_.find('\n') != std::string::npos ||
      ImGui::CalcTextSize(text_.c_str()).x > room)
    return;
  const float left = min.x + ImGui::GetStyle().FramePadding.x;
  const float pointer = ImGui::GetIO().MousePos.x;
  const bool over = ImGui::IsItemHovered();
  for (std::size_t pos = 0; pos < sequence.tokens.size(); ++pos) {
    const Token& token = sequence.tokens[pos];
    if (token.end <= token.begin || (!over && lit_ != static_cast<std::int64_t>(pos))) continue;
    const char* text = text_.c_str();
    const float x0 = left + ImGui::CalcTextSize(text, text + token.begin).x;
    const float x1 = left + ImGui::CalcTextSize(text, text + token.end).x;
    if (over && pointer >= x0 && pointer < x1) lit_next_ = static_cast<std::int64_t>(pos);
    if (lit_ != static_cast<std::int64_t>(pos)) continue;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(ImVec2(x0, min.y + px(2)), ImVec2(x1, max.y - px(2)),
                        with_alpha(theme().accent, 0.22f), px(3));
    list->AddLine(ImVec2(x0, max.y - px(3)), ImVec2(x1, max.y - px(3)), theme().accent, px(2));
  }
}

float InputBar::draw_text(const PanelContext& context, FrameState& state, float width) {
  const Sequence& sequence = *sequence_of(context.session.document(), context.workspace.cursor.sequence);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string facts = summary(context, sequence);
  const float field = std::max(px(160), width - ImGui::CalcTextSize(facts.c_str()).x - px(24));
  const bool many_lines = text_.find('\n') != std::string::npos;
  const float height = many_lines ? 2 * ImGui::GetTextLineHeight() + px(8) : ImGui::GetFrameHeight();
  if (state.focus_text) ImGui::SetKeyboardFocusHere();
  state.focus_text = false;
  const WithColour border(ImGuiCol_Border, typed_error_ ? theme().error
                                           : typing_    ? theme().accent
                                                        : IM_COL32_BLACK_TRANS);
  const WithColour ground(ImGuiCol_FrameBg, typing_ ? theme().panel_raised : IM_COL32_BLACK_TRANS);
  const WithVar padding(ImGuiStyleVar_FramePadding, ImVec2(px(6), px(4)));
  ImGui::SetCursorScreenPos(ImVec2(at.x - px(6), at.y));
  bool changed = false;
  if (many_lines) {
    changed = ImGui::InputTextMultiline("###input_text", &text_, ImVec2(field, height));
  } else {
    ImGui::SetNextItemWidth(field);
    changed = ImGui::InputTextWithHint("###input_text", tr("input.hint"), &text_);
  }
  note_item("input_text");
  const bool ended = ImGui::IsItemDeactivated();
  typing_ = ImGui::IsItemActive();
  light_spans(sequence, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (changed) typed(context, typed_sequence_);
  if (ended && last_key_ > 0) {
    last_key_ = 0;
    context.commands.end_gesture();
  }
  right_text(facts, at.x + width, at.y + px(5));
  return height;
}

float InputBar::draw_title(const PanelContext& context, FrameState& state, float width) {
  const Document& document = context.session.document();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = opened_title(*document.opened);
  note_text(title);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(5)));
  dim_text(tr("input.scene"));
  ImGui::SameLine(0, px(5));
  {
    const WithFont face(fonts().body_bold);
    ImGui::TextUnformatted(shortened(title, width * 0.4f).c_str());
  }
  ImGui::SameLine(0, px(16));
  ImGui::SetCursorScreenPos(ImVec2(ImGui::GetCursorScreenPos().x, at.y));
  draw_sizes(context, state);
  if (document.opened->scene && document.opened->scene->from_seed)
    right_text(tr("input.seed", {std::to_string(document.opened->scene->seed)}), at.x + width, at.y + px(5));
  return ImGui::GetFrameHeight();
}

float InputBar::draw_inline_error(float width) {
  if (!typed_error_) return 0;
  note_text(typed_error_->text());
  const WithColour ink(ImGuiCol_Text, theme().error);
  const std::string whole = typed_error_->text();
  const float height = ImGui::CalcTextSize(whole.c_str(), nullptr, false, width).y;
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  ImGui::TextUnformatted(whole.c_str());
  note_item("input_error");
  ImGui::PopTextWrapPos();
  return height + px(4);
}

float InputBar::draw(const PanelContext& context, FrameState& state, ImVec2 position, float width) {
  follow(context);
  const Document& document = context.session.document();
  const ImVec2 inner(position.x + px(metric::kPadding), position.y + px(5));
  const float room = width - 2 * px(metric::kPadding);
  if (!document.opened || document.sequences.empty()) {
    ImGui::SetCursorScreenPos(ImVec2(inner.x, inner.y + px(7)));
    dim_text(context.session.opening() ? tr("frame.opening") : tr("input.nothing"));
    return px(44);
  }
  const Sequence& sequence = *sequence_of(document, context.workspace.cursor.sequence);
  const bool vectors = !sequence.input.vectors.empty();
  ImGui::SetCursorScreenPos(inner);
  float y = inner.y + (vectors ? draw_title(context, state, room) : draw_text(context, state, room));
  ImGui::SetCursorScreenPos(ImVec2(inner.x, y + px(2)));
  y += draw_inline_error(room);
  ImGui::SetCursorScreenPos(ImVec2(inner.x, y + px(3)));
  draw_chips(context, room);
  draw_chip_menu(context);
  return y + px(3) + px(38) - position.y;
}

}  // namespace attnscope
