#include "app/views/tokenizer_steps.h"

#include <algorithm>
#include <cmath>

#include "app/views/tokenizer_boxes.h"
#include "app/views/tokenizer_lattice.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kTokenizerStepsRow = 31.f, kTokenizerStepsLeastRow = 28.f, kTokenizerStepsGap = 4.f,
                kPadding = 7.f;
constexpr float kNumberColumn = 34.f, kRuleColumn = 92.f;

// Preferred row height if all rows fit, otherwise lower to show more of them.
float row_height(std::int64_t rows, float room) {
  return std::clamp(std::floor(room / static_cast<float>(std::max<std::int64_t>(1, rows))),
                    scaled(kTokenizerStepsLeastRow), scaled(kTokenizerStepsRow));
}

// ---- merges -------------------------------------------------------------------------------------------

struct MergeRow {
  std::vector<WordPart> pieces;
  std::size_t made = SIZE_MAX;   // the piece made by this step
  std::size_t first = SIZE_MAX;  // first of the two pieces that the next step merges
};

MergeRow merge_row(const SegmentedWord& word, std::int64_t row) {
  MergeRow out;
  out.pieces = pieces_after(word, static_cast<std::size_t>(row));
  const auto& merges = word.steps.merges;
  const auto find = [&](int letter) {
    const WordPart& opening = word.steps.letters[static_cast<std::size_t>(letter)];
    for (std::size_t i = 0; i < out.pieces.size(); ++i)
      if (out.pieces[i].begin <= opening.begin && opening.begin < out.pieces[i].end) return i;
    return SIZE_MAX;
  };
  const auto index = static_cast<std::size_t>(row);
  if (row > 0 && index <= merges.size()) out.made = find(merges[index - 1].left);
  if (index < merges.size()) out.first = find(merges[index].left);
  return out;
}

std::string rule_text(const WordSteps::Merge& merge) {
  if (merge.rank >= 0) return tr("tokenizer.rank", {format_count(merge.rank)});
  return tr("tokenizer.score", {score_text(merge.score)});
}

// Draws the visible part of one row; `focus`: centre of the piece that was made.
void draw_merge_row(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                    std::int64_t row, std::int64_t step, ImVec2 at, float height, float& focus) {
  const Theme& t = theme();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  const float alpha = row > step ? kLaterStep : 1.f;
  const Canvas canvas;
  const MergeRow shown = merge_row(word, row);
  const float text_y = at.y + (height - text_size(fonts().mono_small, "X").y) / 2;
  draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(8), text_y), with_alpha(t.text_dim, alpha),
            std::to_string(row));
  if (row > 0)
    draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(kNumberColumn), text_y),
              with_alpha(t.text_dim, alpha), rule_text(word.steps.merges[static_cast<std::size_t>(row - 1)]));
  float x = at.x + scaled(kNumberColumn + kRuleColumn);
  const float y = at.y + (height - scaled(kPieceBox)) / 2;
  for (std::size_t i = 0; i < shown.pieces.size(); ++i) {
    if (x > right && row != step) return;  // the current row needs the position of its piece
    const WordPart& piece = shown.pieces[i];
    const PieceNames::Named named = names.of(scene, word, piece);
    const float width = named.width + 2 * scaled(kPadding);
    const bool made = i == shown.made,
               pair = i == shown.first || (shown.first != SIZE_MAX && i == shown.first + 1);
    PieceInk ink{t.panel_raised, t.border, t.text};
    if (piece.id < 0) ink.edge = t.warning;
    if (made) ink = {t.accent_soft, t.accent, t.text, scaled(2)};
    ink = {with_alpha(ink.ground, alpha), with_alpha(ink.edge, alpha), with_alpha(ink.text, alpha),
           ink.outline};
    if (draw_piece_box(ImVec2(x, y), width, scaled(kPieceBox), named.text, ink))
      show_piece(scene, word, piece, "");
    if (pair)  // a bracket below the two pieces merged next
      canvas.line(
          ImVec2(x + (i == shown.first ? scaled(2) : -scaled(kTokenizerStepsGap)), y + scaled(kPieceBox + 2)),
          ImVec2(x + width - scaled(2), y + scaled(kPieceBox + 2)), with_alpha(t.accent, alpha), scaled(2));
    if (made || (row == 0 && i == shown.first)) focus = x + width / 2;
    x += width + scaled(kTokenizerStepsGap);
  }
}

// Width of the first row, which has the most pieces.
float widest_row(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names) {
  float width = scaled(kNumberColumn + kRuleColumn);
  for (const WordPart& letter : word.steps.letters)
    width += names.of(scene, word, letter).width + 2 * scaled(kPadding) + scaled(kTokenizerStepsGap);
  return width;
}

std::int64_t draw_merges(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                         std::int64_t step, bool moved) {
  const std::int64_t rows = step_count(word) + 1;
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float high = row_height(rows, room.y), widest = std::max(room.x, widest_row(scene, word, names));
  std::int64_t clicked = -1;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows), high);
  float focus = -1;
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const ImVec2 at(origin.x, origin.y + static_cast<float>(row) * high);
      if (step_button("token_step_", row, row == step, at, widest, high)) clicked = row;
      float middle = -1;
      draw_merge_row(scene, word, names, row, step, at, high, middle);
      if (row == step) focus = middle;
    }
  }
  clipper.End();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(ImVec2(widest - scaled(2), static_cast<float>(rows) * high));
  if (moved) {
    ImGui::SetScrollFromPosY(origin.y + static_cast<float>(step) * high - ImGui::GetWindowPos().y, 0.6f);
    if (focus >= 0) ImGui::SetScrollFromPosX(focus - ImGui::GetWindowPos().x, 0.5f);
  }
  return clicked;
}

// ---- attempts -----------------------------------------------------------------------------------------

float draw_attempt_row(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t row,
                       std::int64_t step, ImVec2 at, float height) {
  const Theme& t = theme();
  const WordSteps::Attempt& attempt = word.steps.attempts[static_cast<std::size_t>(row - 1)];
  const float alpha = row > step ? kLaterStep : 1.f;
  const Canvas canvas;
  const std::string_view seen = word.text.text();
  const float text_y = at.y + (height - text_size(fonts().mono_small, "X").y) / 2;
  draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(8), text_y), with_alpha(t.text_dim, alpha),
            std::to_string(row));
  const std::string before(seen.substr(0, attempt.begin)),
      tried(seen.substr(attempt.begin, attempt.end - attempt.begin)), after(seen.substr(attempt.end));
  for (const std::string& text : {before, tried, after}) note_text(text);
  const bool found = attempt.id >= 0;
  const float y = at.y + (height - scaled(kPieceBox)) / 2;
  const float letter_y = y + (scaled(kPieceBox) - text_size(fonts().mono, "X").y) / 2;
  float x = at.x + scaled(kNumberColumn);
  draw_text(canvas, fonts().mono, ImVec2(x, letter_y), with_alpha(t.text_dim, alpha), before);
  x += text_size(fonts().mono, before).x + scaled(2);
  const float width = text_size(fonts().mono, tried).x + 2 * scaled(4);
  const PieceInk ink = found ? PieceInk{with_alpha(t.accent_soft, alpha), with_alpha(t.accent, alpha),
                                        with_alpha(t.text, alpha), scaled(2)}
                             : PieceInk{with_alpha(t.panel_raised, alpha), with_alpha(t.border, alpha),
                                        with_alpha(t.text, alpha)};
  if (draw_piece_box(ImVec2(x, y), width, scaled(kPieceBox), tried, ink))
    show_piece(scene, word, {attempt.id, attempt.begin, attempt.end}, "");
  x += width + scaled(2);
  draw_text(canvas, fonts().mono, ImVec2(x, letter_y), with_alpha(t.text_dim, alpha), after);
  x = std::max(x + text_size(fonts().mono, after).x + scaled(18), at.x + scaled(220));
  const std::string verdict = found ? tr("tokenizer.attempt.found", {scene.tokenizer->token_text(attempt.id),
                                                                     std::to_string(attempt.id)})
                                    : std::string(tr("tokenizer.attempt.missing"));
  note_text(verdict);
  draw_text(canvas, fonts().small, ImVec2(x, text_y), with_alpha(found ? t.ok : t.text_dim, alpha), verdict);
  return x + text_size(fonts().small, verdict).x - at.x;
}

std::int64_t draw_attempts(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step,
                           bool moved) {
  const std::int64_t rows = step_count(word);
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float high = row_height(rows, room.y);
  std::int64_t clicked = -1;
  float widest = room.x;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows), high);
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const ImVec2 at(origin.x, origin.y + static_cast<float>(row) * high);
      if (step_button("token_step_", row + 1, row + 1 == step, at, room.x + ImGui::GetScrollX(), high))
        clicked = row + 1;
      widest = std::max(widest, draw_attempt_row(scene, word, row + 1, step, at, high));
    }
  }
  clipper.End();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(ImVec2(widest - scaled(2), static_cast<float>(rows) * high));
  if (moved)
    ImGui::SetScrollFromPosY(origin.y + static_cast<float>(step - 1) * high - ImGui::GetWindowPos().y, 0.6f);
  return clicked;
}

// ---- words --------------------------------------------------------------------------------------------

std::string merge_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step) {
  const WordSteps& steps = word.steps;
  if (step == 0) return tr("tokenizer.step.letters", {std::to_string(steps.letters.size())});
  const WordSteps::Merge& merge = steps.merges[static_cast<std::size_t>(step - 1)];
  const MergeRow before = merge_row(word, step - 1);
  if (before.first == SIZE_MAX || before.first + 1 >= before.pieces.size()) return {};
  const std::string left = piece_name(scene, word, before.pieces[before.first]),
                    right = piece_name(scene, word, before.pieces[before.first + 1]),
                    whole = scene.tokenizer->token_display(merge.id);
  if (merge.rank >= 0) return tr("tokenizer.step.merge", {left, right, whole, format_count(merge.rank)});
  return tr("tokenizer.step.merge_score", {left, right, whole, score_text(merge.score)});
}

std::string attempt_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step) {
  if (step == 0) return tr("tokenizer.step.attempts");
  const WordSteps::Attempt& attempt = word.steps.attempts[static_cast<std::size_t>(step - 1)];
  const std::string tried(word.text.text().substr(attempt.begin, attempt.end - attempt.begin));
  if (attempt.id < 0 && step == step_count(word)) return tr("tokenizer.step.unknown", {tried});
  return tr(
      attempt.id >= 0 ? "tokenizer.step.found" : "tokenizer.step.missing",
      {tried, attempt.id >= 0 ? scene.tokenizer->token_text(attempt.id) : "", std::to_string(attempt.id)});
}

std::string look_up_words(const SegmentedWord& word) {
  const int id = word.steps.attempts.front().id;
  return tr(id >= 0 ? "tokenizer.step.looked_up" : "tokenizer.step.not_known",
            {word.text.text(), std::to_string(id)});
}

}  // namespace

std::string step_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step) {
  if (word.added) return tr("tokenizer.step.added");
  if (word.steps.cut_short)
    return tr("tokenizer.step.cut_short", {format_count(static_cast<std::int64_t>(word.steps.limit))});
  if (step_count(word) == 0)
    return tr(word.steps.kind == WordSteps::Kind::attempts ? "tokenizer.step.too_long"
              : word.parts.size() > 1                      ? "tokenizer.step.no_pair"
                                                           : "tokenizer.step.whole");
  switch (word.steps.kind) {
    case WordSteps::Kind::merges: return merge_words(scene, word, step);
    case WordSteps::Kind::lattice: return lattice_words(scene, word, step);
    case WordSteps::Kind::attempts: return attempt_words(scene, word, step);
    case WordSteps::Kind::whole: return look_up_words(word);
  }
  return {};
}

std::int64_t draw_token_steps(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                              std::int64_t step, bool moved, ImVec2 room) {
  const ChildScope child("###token_steps", room, ImGuiWindowFlags_HorizontalScrollbar);
  if (word.added || word.steps.cut_short || (step_count(word) == 0 && word.steps.letters.empty())) return -1;
  switch (word.steps.kind) {
    case WordSteps::Kind::merges: return draw_merges(scene, word, names, step, moved);
    case WordSteps::Kind::lattice: return draw_lattice(scene, word, step, moved);
    case WordSteps::Kind::whole:
    case WordSteps::Kind::attempts: return draw_attempts(scene, word, step, moved);
  }
  return -1;
}

}  // namespace attnscope
