// The input of the easy window: the chips, and a text field in their place.
#include <algorithm>

#include "app/look/item_map.h"
#include "app/panels/input/input_bar.h"
#include "app/state/controls.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/session/typed_words.h"

namespace attnscope {
namespace {

constexpr float kEasyInputRow = 38.f, kPencil = 30.f, kEasyField = 26.f, kEasyPicture = 72.f;  // units
constexpr std::size_t kMostUnknown = 8;  // words of a notice

// True where the model reads a text that can be typed.
bool reads_text(const Document& document, std::size_t sequence) {
  if (!document.model || !document.opened->recorded.empty()) return false;
  const Input& input = document.sequences[sequence].input;
  return document.model->config().encoder() || (input.vectors.empty() && !input.ids.empty());
}

// A pencil that writes from the upper right to the lower left.
void draw_pencil_sign(ImVec2 middle, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float r = px(6), w = px(2.4f);
  const ImVec2 tip(middle.x - r, middle.y + r), a(middle.x - r + w * 0.4f, middle.y + r - 2 * w),
      b(middle.x - r + 2 * w, middle.y + r - w * 0.4f), c(middle.x + r, middle.y - r + 1.6f * w),
      d(middle.x + r - 1.6f * w, middle.y - r);
  const ImVec2 body[] = {a, b, c, d};
  list->AddTriangleFilled(tip, a, b, colour);
  list->AddPolyline(body, 4, colour, ImDrawFlags_Closed, px(1.4f));
}

}  // namespace

// Ctrl+T opens the field.
void InputBar::follow_entry(const PanelContext& context, FrameState& state) {
  const std::uint64_t opened = context.session.opened_version();
  if (std::exchange(state.focus_text, false) &&
      reads_text(context.session.document(), sequence_index(context)))
    entering_ = entry_begins_ = true, entering_in_ = opened;
  entering_ = entering_ && entering_in_ == opened;
  name_unknown(context, state);
}

// Words that the vocabulary does not know, and a begin token that stands there twice, are named once,
// wherever the text came from; what a lecture or a lesson opens has words of its own for it.
void InputBar::name_unknown(const PanelContext& context, FrameState& state) {
  const std::uint64_t opened = context.session.opened_version(), now = context.session.history().version();
  const std::pair seen{opened, now};
  if (seen == named_in_) return;
  if (named_in_.first != opened) named_.clear();
  named_in_ = seen;
  const Document& document = context.session.document();
  if (!document.opened || document.sequences.empty() || state.lessons.open() || state.lecture.walking())
    return;
  const Sequence& sequence = document.sequences[sequence_index(context)];
  for (const auto* ids : {&sequence.input.ids, &sequence.input.source})
    if (begins_twice(*document.opened, *ids) && named_.insert("\n" + std::to_string(ids->front())).second)
      state.notify(Notice::Kind::warning,
                   Text::of("input.doubled", {token_label(*document.opened, ids->front())}),
                   Text::of("input.doubled.hint"), 12);
  std::vector<std::string> words;
  for (const Stack of : {Stack::enc, Stack::single})
    for (const auto& [row, word] : typed_words(*document.opened, sequence, of))
      if (named_.insert(word).second) words.push_back(word);
  if (words.empty()) return;
  const bool more = words.size() > kMostUnknown;
  words.resize(std::min(words.size(), kMostUnknown));
  for (std::string& word : words) word = in_quotes(word, 40);
  if (more) words.emplace_back("\u2026");
  state.notify(Notice::Kind::warning,
               Text::of(words.size() == 1 ? "easy.unknown.one" : "easy.unknown", {join(words, ", ")}),
               Text::of("easy.unknown.hint"), 12);
}

// The room behind the chips.
void InputBar::draw_pencil(ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  if (hit_area("###type_text", ImVec2(width, px(kEasyField)))) entry_begins_ = entering_ = true;
  note_item("type_text");
  const bool lit = ImGui::IsItemHovered();
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  compat::item_tooltip(tr("easy.type.help"));
  draw_pencil_sign(ImVec2(at.x + px(kPencil) / 2, at.y + px(kEasyField) / 2),
                   lit ? theme().accent : theme().text_dim);
}

float InputBar::draw_easy_line(const PanelContext& context, TokenLine& line, ImVec2 at, float width) {
  const Document& document = context.session.document();
  const bool typed = (document.model->config().encoder() ? &source_ : &main_) == &line;
  ImGui::SetCursorScreenPos(at);
  if (typed && entering_) {
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y));
    const bool typing = line.typing();
    entering_ = line.draw_entry(context, std::exchange(entry_begins_, false), width);
    entry_begins_ = entering_ && typing && !line.typing();  // refused: what is typed next is its correction
    if (line.take_applied() && &line == &source_)           // another text has another translation
      context.commands.act(
          [at = static_cast<int>(sequence_index(context))](Session& session) { answer_anew(session, at); });
    ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + px(kEasyInputRow - 4)));
    return px(kEasyInputRow) + line.draw_error(width);
  }
  const bool can_type = typed && reads_text(document, sequence_index(context));
  bool clicked = false;
  const float wide = line.draw_chips(context, width - (can_type ? px(kPencil + 4) : 0.f),
                                     &line == &main_ ? picture_.key() : std::string(), clicked);
  if (clicked) picture_.ask();
  if (can_type) {
    draw_pencil(ImVec2(at.x + wide, at.y), std::max(px(kPencil), width - wide));
    entering_in_ = context.session.opened_version();
  }
  return px(kEasyInputRow);
}

float InputBar::draw_easy(const PanelContext& context, FrameState& state, ImVec2 position, float width) {
  const Document& document = context.session.document();
  if (!document.opened || document.sequences.empty()) return 0;
  follow(context, state);
  follow_entry(context, state);
  float y = position.y, left = position.x;
  if (document.model->config().encoder()) {
    const auto name = [&](const char* key) {
      ImGui::SetCursorScreenPos(ImVec2(position.x, y + px(5)));
      dim_text(tr(key));
    };
    left +=
        px(14) + std::max(ImGui::CalcTextSize(tr("easy.reads")).x, ImGui::CalcTextSize(tr("easy.writes")).x);
    name("easy.reads");
    y += draw_easy_line(context, source_, ImVec2(left, y), width - (left - position.x));
    name("easy.writes");
  }
  float high = 0;
  if (!picture_.key().empty()) {
    picture_.draw_plain(context, ImVec2(left, y), px(kEasyPicture));
    left += px(kEasyPicture + 14);
    high = px(kEasyPicture + 8);
  }
  y += std::max(high, draw_easy_line(context, main_, ImVec2(left, y), width - (left - position.x)));
  source_.draw_menu(context);
  main_.draw_menu(context);
  picture_.draw_window(context, state, main_.chips());
  return y - position.y;
}

}  // namespace attnscope
