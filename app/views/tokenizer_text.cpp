#include "app/views/tokenizer_text.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr std::size_t kMostRuns = 1500, kTokenizerTextMostChips = 1000;
constexpr float kPieceHeight = 26.f, kPiecePadding = 8.f, kPieceGap = 5.f, kWidest = 150.f;

std::string_view bytes_of(const TokenizerScene& scene, const Token& token) {
  const auto begin = static_cast<std::size_t>(token.begin), end = static_cast<std::size_t>(token.end);
  return std::string_view(scene.text).substr(begin, end - begin);
}

bool run_holds(const TokenRun& run, int token) {
  return std::find(run.tokens.begin(), run.tokens.end(), token) != run.tokens.end();
}

// A box with text; true when clicked. `id` is unique in the window.
bool text_box(const std::string& id, const std::string& text, const std::string& small, ImU32 ground,
              ImU32 edge, float outline, float width, bool& hovered) {
  const Theme& t = theme();
  const ImVec2 at = ImGui::GetCursorScreenPos(), size(width, scaled(kPieceHeight));
  const bool clicked = hit_area(id.c_str(), size);
  note_item(id);
  hovered = ImGui::IsItemHovered();
  const Canvas canvas;
  const ImVec2 end(at.x + size.x, at.y + size.y);
  canvas.fill_rect(at, end, hovered ? mix(ground, t.text, 0.12f) : ground, scaled(5));
  canvas.rect(at, end, edge, scaled(5), 0, outline);
  const ImVec2 extent = text_size(fonts().mono, text);
  draw_text(canvas, fonts().mono, ImVec2(at.x + scaled(kPiecePadding), at.y + (size.y - extent.y) / 2),
            t.text, text);
  if (small.empty()) return clicked;
  const ImVec2 low = text_size(fonts().mono_small, small);
  draw_text(canvas, fonts().mono_small,
            ImVec2(end.x - scaled(kPiecePadding) - low.x, at.y + (size.y - low.y) / 2 + scaled(1)),
            t.text_dim, small);
  return clicked;
}

float box_width(const std::string& text, const std::string& small) {
  const float inner = text_size(fonts().mono, text).x + 2 * scaled(kPiecePadding);
  return small.empty() ? inner : inner + scaled(6) + text_size(fonts().mono_small, small).x;
}

// Position of the next span of text; line breaks between spans, and after a newline in the text.
struct TextPen {
  ImVec2 origin;
  float width, line;
  float x = 0, y = 0;
  void room_for(float wide) {
    if (x > 0 && x + wide > width) next_line();
  }
  void next_line() {
    x = 0;
    y += line;
  }
};

int draw_run(const TokenizerScene& scene, TokenizerChoice& choice, std::size_t index, TextPen& pen) {
  const TokenRun& run = scene.runs[index];
  const Theme& t = theme();
  const std::string_view bytes =
      std::string_view(scene.text)
          .substr(static_cast<std::size_t>(run.begin), static_cast<std::size_t>(run.end - run.begin));
  const std::string text(middle_truncated(fonts().mono, text_on_one_line(bytes), pen.width));
  note_text(text);
  const ImVec2 extent = text_size(fonts().mono, text);
  const float wide = std::max(extent.x, scaled(3));
  pen.room_for(wide);
  const ImVec2 at(pen.origin.x + pen.x, pen.origin.y + pen.y);
  const ImVec2 end(at.x + wide, at.y + pen.line - scaled(3));
  const Canvas canvas;
  int clicked = -1;
  if (!run.tokens.empty()) {
    const bool lit = run_holds(run, choice.lit), chosen = run_holds(run, choice.token);
    const ImU32 ground = token_tint(scene, run.tokens.front());
    canvas.fill_rect(at, end, lit ? mix(ground, t.text, 0.25f) : ground, scaled(3));
    if (chosen) canvas.rect(at, end, t.accent, scaled(3), 0, scaled(2));
    ImGui::SetCursorScreenPos(at);
    const std::string id = "###token_run_" + std::to_string(index);
    if (hit_area(id.c_str(), ImVec2(wide, pen.line - scaled(3)))) clicked = run.tokens.front();
    note_item(id);
    if (ImGui::IsItemHovered()) {
      choice.next_lit = run.tokens.front();
      token_tooltip(scene, run.tokens.front());
    }
    if (chosen && choice.follow) ImGui::SetScrollHereY(0.5f);
  }
  draw_text(canvas, fonts().mono, ImVec2(at.x, at.y + (pen.line - scaled(3) - extent.y) / 2),
            run.tokens.empty() ? t.text_dim : t.text, text);
  pen.x += wide + scaled(1);
  if (bytes.find('\n') != std::string_view::npos) pen.next_line();
  return clicked;
}

}  // namespace

ImU32 token_tint(const TokenizerScene& scene, int token) {
  const Theme& t = theme();
  const Token& shown = scene.steps.encoding.tokens[static_cast<std::size_t>(token)];
  const int run = scene.run_of_token[static_cast<std::size_t>(token)];
  if (shown.special || run < 0) return mix(t.ground, t.norm, 0.3f);
  const ImU32 hues[] = {t.attention, t.residual, t.v, t.mlp};
  return mix(t.ground, hues[run % 4], t.kind == ThemeKind::dark ? 0.36f : 0.3f);
}

void token_tooltip(const TokenizerScene& scene, int token) {
  const Token& shown = scene.steps.encoding.tokens[static_cast<std::size_t>(token)];
  const std::string& name = scene.names[static_cast<std::size_t>(token)];
  note_text(name);
  std::string text = tr("tokenizer.tip.token", {name, std::to_string(shown.id)});
  text += "\n" + tr("tokenizer.tip.spelling", {middle_truncated(fonts().body, shown.text, scaled(300))});
  if (shown.end > shown.begin) {
    text += "\n" + tr("tokenizer.tip.place", {std::to_string(shown.begin), std::to_string(shown.end),
                                              hex_bytes(bytes_of(scene, shown))});
  } else {
    text += std::string("\n") + tr("tokenizer.tip.template");
  }
  note_text(text);
  ImGui::SetTooltip("%s", text.c_str());
}

namespace {

// Number of lines that the text needs, at most `most`; estimated with line breaks anywhere.
int lines_needed(std::string_view text, float width, int most) {
  constexpr std::size_t kMeasured = 4000;  // bytes
  if (text.size() > kMeasured) return most;
  static Kept<int> kept;
  const std::uint64_t key = width_key(text, fonts().mono, 0, width);
  return std::min(most, kept.get({key}, [&] {
    int lines = 0;
    for (const std::string& part : split(text, '\n')) {
      const float wide = text_size(fonts().mono, text_on_one_line(part)).x;
      lines += 1 + static_cast<int>(wide / std::max(1.f, width));
    }
    return std::max(lines, 1);
  }));
}

}  // namespace

int draw_token_text(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines) {
  const float line = text_size(fonts().mono, "X").y + scaled(9);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float shown =
      line * static_cast<float>(lines_needed(scene.text, width - scaled(40), lines)) + scaled(12);
  Canvas().fill_rect(at, ImVec2(at.x + width, at.y + shown), theme().panel, scaled(6));
  Canvas().rect(at, ImVec2(at.x + width, at.y + shown), theme().border, scaled(6));
  ImGui::SetCursorScreenPos(ImVec2(at.x + scaled(8), at.y + scaled(7)));
  const ChildScope child("###token_text", ImVec2(width - scaled(12), shown - scaled(10)));
  TextPen pen{ImGui::GetCursorScreenPos(), width - scaled(34), line};
  int clicked = -1;
  for (std::size_t index = 0; index < std::min(scene.runs.size(), kMostRuns); ++index)
    clicked = std::max(clicked, draw_run(scene, choice, index, pen));
  ImGui::SetCursorScreenPos(ImVec2(pen.origin.x, pen.origin.y + pen.y + pen.line));
  ImGui::Dummy(ImVec2(0, 0));  // end of the text, for the scroll bar
  if (scene.runs.size() > kMostRuns)
    caption(
        tr("tokenizer.more_text", {format_count(static_cast<std::int64_t>(scene.runs.size() - kMostRuns))}));
  return clicked;
}

int draw_token_chips(const TokenizerScene& scene, TokenizerChoice& choice, float width, int lines) {
  const std::vector<Token>& tokens = scene.steps.encoding.tokens;
  const float row = scaled(kPieceHeight + kPieceGap);
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(kPieceGap), scaled(kPieceGap)));
  static std::vector<float> widths;  // reused between calls
  widths.clear();
  float x = 0;
  int rows = 1;
  for (std::size_t i = 0; i < std::min(tokens.size(), kTokenizerTextMostChips); ++i) {
    const std::string name(middle_truncated(fonts().mono, scene.names[i], scaled(kWidest)));
    note_text(name);
    widths.push_back(box_width(name, std::to_string(tokens[i].id)));
    if (x > 0 && x + widths.back() > width - scaled(16)) {
      x = 0;
      ++rows;
    }
    x += widths.back() + scaled(kPieceGap);
  }
  const ChildScope child("###token_chips", ImVec2(width, row * static_cast<float>(std::min(rows, lines)) -
                                                             scaled(kPieceGap - 3)));
  ImGui::SetCursorPos(ImVec2(scaled(1), scaled(1)));
  const float left = ImGui::GetCursorScreenPos().x;
  int clicked = -1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const int token = static_cast<int>(i);
    if (i > 0) ImGui::SameLine();
    if (i > 0 && ImGui::GetCursorScreenPos().x + widths[i] > left + width - scaled(16)) {
      ImGui::NewLine();
      ImGui::SetCursorPosX(scaled(1));
    }
    const bool chosen = token == choice.token, lit = token == choice.lit;
    const ImU32 tint = token_tint(scene, token);
    bool hovered = false;
    if (text_box("###token_" + std::to_string(i),
                 std::string(middle_truncated(fonts().mono, scene.names[i], scaled(kWidest))),
                 std::to_string(tokens[i].id), lit ? mix(tint, theme().text, 0.2f) : tint,
                 chosen ? theme().accent : with_alpha(theme().border, 0.6f), chosen ? scaled(2) : 1.f,
                 widths[i], hovered))
      clicked = token;
    if (hovered) {
      choice.next_lit = token;
      token_tooltip(scene, token);
    }
    if (chosen && choice.follow) ImGui::SetScrollHereY(0.5f);
  }
  if (tokens.size() > kTokenizerTextMostChips)
    caption(tr("tokenizer.more_tokens",
               {format_count(static_cast<std::int64_t>(tokens.size() - kTokenizerTextMostChips))}));
  return clicked;
}

namespace {

// The text of a word, for display.
std::string_view word_bytes(const TokenizerScene& scene, const SegmentedWord& word, ByteSpan& place) {
  place = word.text.span(0, word.text.text().size());
  return std::string_view(scene.text)
      .substr(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.end - place.begin));
}

struct WordChip {
  std::string name, count;
  float width;
};

const std::vector<WordChip>& word_chips(const TokenizerScene& scene, float& total) {
  static std::vector<WordChip> out;  // reused between calls
  out.clear();
  total = 0;
  ByteSpan place;
  for (const SegmentedWord& word : scene.steps.words) {
    WordChip chip;
    chip.name =
        middle_truncated(fonts().mono, display_bytes(word_bytes(scene, word, place)), scaled(kWidest));
    note_text(chip.name);
    if (word.parts.size() != 1) chip.count = std::to_string(word.parts.size());
    chip.width = box_width(chip.name, chip.count);
    total += chip.width + scaled(kPieceGap);
    out.push_back(std::move(chip));
  }
  return out;
}

void word_tooltip(const TokenizerScene& scene, const SegmentedWord& word) {
  ByteSpan place;
  (void)word_bytes(scene, word, place);
  const std::string seen(middle_truncated(fonts().body, std::string(word.text.text()), scaled(320)));
  note_text(seen);
  ImGui::SetTooltip("%s", tr(word.added ? "tokenizer.tip.added" : "tokenizer.tip.word",
                             {seen, std::to_string(place.begin), std::to_string(place.end),
                              std::to_string(word.parts.size())})
                              .c_str());
}

}  // namespace

int draw_token_words(const TokenizerScene& scene, TokenizerChoice& choice, float width) {
  const Theme& t = theme();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float label = text_size(fonts().small, tr("tokenizer.words")).x + scaled(10), top = scaled(2);
  float total = 0;
  const std::vector<WordChip>& chips = word_chips(scene, total);
  const float bar = total > width - label ? ImGui::GetStyle().ScrollbarSize + scaled(2) : 0.f;
  const float height = scaled(kPieceHeight) + 2 * top;
  ImGui::Dummy(ImVec2(label, height));
  compat::item_tooltip(
      kept_tr("tokenizer.words.help", {format_count(static_cast<std::int64_t>(scene.steps.word_count))})
          .c_str());
  draw_text(Canvas(), fonts().small, ImVec2(at.x, at.y + (height - text_size(fonts().small, "X").y) / 2),
            t.text_dim, tr("tokenizer.words"));
  ImGui::SetCursorScreenPos(ImVec2(at.x + label, at.y));
  const ChildScope child("###token_words", ImVec2(width - label, height + bar),
                         ImGuiWindowFlags_HorizontalScrollbar);
  const StyleScope spacing(ImGuiStyleVar_ItemSpacing, ImVec2(scaled(kPieceGap), 0));
  ImGui::SetCursorPos(ImVec2(top, top));
  int clicked = -1;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const bool chosen = static_cast<int>(i) == choice.word;
    if (i > 0) ImGui::SameLine();
    bool hovered = false;
    if (text_box("###token_word_" + std::to_string(i), chips[i].name, chips[i].count,
                 chosen ? t.accent_soft : t.panel_raised, chosen ? t.accent : t.border,
                 chosen ? scaled(2) : 1.f, chips[i].width, hovered))
      clicked = static_cast<int>(i);
    if (hovered) word_tooltip(scene, scene.steps.words[i]);
    if (chosen && choice.follow) ImGui::SetScrollHereX(0.5f);
  }
  return clicked;
}

}  // namespace attnscope
