#include "app/views/tokenizer_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kTokenizerStepsRow = 31.f, kTokenizerStepsLeastRow = 28.f, kBox = 24.f,
                kTokenizerStepsGap = 4.f, kPadding = 7.f;
constexpr float kNumberColumn = 34.f, kRuleColumn = 92.f;
constexpr float kDim = 0.34f;
constexpr float kMergeGutter = 78.f;                                                      // left of a lattice
constexpr float kLane = kBox + 22.f, kLeastLane = kBox + 4.f, kScoreBelow = kBox + 16.f;  // of a lattice

std::string number_of(double value) { return number_text(static_cast<float>(value), 2); }

void piece_tooltip(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece,
                   const std::string& more) {
  const std::string_view seen = word.text.text();
  const std::size_t end = std::min<std::size_t>(piece.end, seen.size()),
                    begin = std::min<std::size_t>(piece.begin, end);
  const ByteSpan place = word.text.span(begin, end);
  const std::string_view bytes =
      std::string_view(scene.text)
          .substr(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.end - place.begin));
  const std::string name = piece_name(scene, word, piece);
  std::string text = piece.id >= 0 ? tr("tokenizer.tip.token", {name, std::to_string(piece.id)})
                                   : tr("tokenizer.tip.no_token", {name});
  text += "\n" + tr("tokenizer.tip.place",
                    {std::to_string(place.begin), std::to_string(place.end), hex_bytes(bytes)});
  if (!more.empty()) text += "\n" + more;
  note_text(text);
  ImGui::SetTooltip("%s", text.c_str());
}

struct BoxInk {
  ImU32 ground, edge, text;
  float outline = 1.f;
};

// A box of `width` with a name centred in it, leaving `right` pixels free at the right. Returns true while it
// is hovered.
bool draw_box(ImVec2 at, float width, float height, std::string_view name, const BoxInk& ink,
              float right = 0) {
  const Canvas canvas;
  const ImVec2 end(at.x + width, at.y + height);
  canvas.fill_rect(at, end, ink.ground, scaled(4));
  canvas.rect(at, end, ink.edge, scaled(4), 0, ink.outline);
  const ImVec2 extent = text_size(fonts().mono, name);
  draw_text(canvas, fonts().mono,
            ImVec2(at.x + (width - right - extent.x) / 2, at.y + (height - extent.y) / 2), ink.text, name);
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end);
}

// Preferred row height if all rows fit, otherwise lower to show more of them.
float row_height(std::int64_t rows, float room) {
  return std::clamp(std::floor(room / static_cast<float>(std::max<std::int64_t>(1, rows))),
                    scaled(kTokenizerStepsLeastRow), scaled(kTokenizerStepsRow));
}

// The whole row as a button; true when clicked.
bool tokenizer_steps_row_button(const char* prefix, std::int64_t row, bool current, ImVec2 at, float width,
                                float height) {
  ImGui::SetCursorScreenPos(at);
  const std::string id = std::string("###") + prefix + std::to_string(row);
  const bool clicked = hit_area(id.c_str(), ImVec2(std::max(1.f, width), height));
  note_item(id);
  if (current)
    Canvas().fill_rect(at, ImVec2(at.x + width, at.y + height), with_alpha(theme().accent_soft, 0.55f),
                       scaled(4));
  return clicked;
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
  return tr("tokenizer.score", {number_of(merge.score)});
}

// Draws the visible part of one row; `focus`: centre of the piece that was made.
void draw_merge_row(const TokenizerScene& scene, const SegmentedWord& word, PieceNames& names,
                    std::int64_t row, std::int64_t step, ImVec2 at, float height, float& focus) {
  const Theme& t = theme();
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x;
  const float alpha = row > step ? kDim : 1.f;
  const Canvas canvas;
  const MergeRow shown = merge_row(word, row);
  const float text_y = at.y + (height - text_size(fonts().mono_small, "X").y) / 2;
  draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(8), text_y), with_alpha(t.text_dim, alpha),
            std::to_string(row));
  if (row > 0)
    draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(kNumberColumn), text_y),
              with_alpha(t.text_dim, alpha), rule_text(word.steps.merges[static_cast<std::size_t>(row - 1)]));
  float x = at.x + scaled(kNumberColumn + kRuleColumn);
  const float y = at.y + (height - scaled(kBox)) / 2;
  for (std::size_t i = 0; i < shown.pieces.size(); ++i) {
    if (x > right && row != step) return;  // the current row needs the position of its piece
    const WordPart& piece = shown.pieces[i];
    const PieceNames::Named named = names.of(scene, word, piece);
    const float width = named.width + 2 * scaled(kPadding);
    const bool made = i == shown.made,
               pair = i == shown.first || (shown.first != SIZE_MAX && i == shown.first + 1);
    BoxInk ink{t.panel_raised, t.border, t.text};
    if (piece.id < 0) ink.edge = t.warning;
    if (made) ink = {t.accent_soft, t.accent, t.text, scaled(2)};
    ink = {with_alpha(ink.ground, alpha), with_alpha(ink.edge, alpha), with_alpha(ink.text, alpha),
           ink.outline};
    if (draw_box(ImVec2(x, y), width, scaled(kBox), named.text, ink)) piece_tooltip(scene, word, piece, "");
    if (pair)  // a bracket below the two pieces merged next
      canvas.line(
          ImVec2(x + (i == shown.first ? scaled(2) : -scaled(kTokenizerStepsGap)), y + scaled(kBox + 2)),
          ImVec2(x + width - scaled(2), y + scaled(kBox + 2)), with_alpha(t.accent, alpha), scaled(2));
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
      if (tokenizer_steps_row_button("token_step_", row, row == step, at, widest, high)) clicked = row;
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

// ---- lattice ------------------------------------------------------------------------------------------

struct TokenizerStepsColumns {
  std::vector<std::size_t> bytes;  // byte offsets of the characters, and the end
  std::size_t at(std::size_t byte) const {
    return static_cast<std::size_t>(std::lower_bound(bytes.begin(), bytes.end(), byte) - bytes.begin());
  }
};

TokenizerStepsColumns tokenizer_steps_columns_of(std::string_view text) {
  TokenizerStepsColumns out;
  for (std::size_t at = 0; at < text.size();) {
    out.bytes.push_back(at);
    next_code_point(text, at);
  }
  out.bytes.push_back(text.size());
  return out;
}

// Puts each candidate into the first lane that is free at its start.
std::vector<std::size_t> lanes_of(const WordSteps& steps, std::size_t& count) {
  std::vector<std::size_t> lanes, ends;
  for (const WordSteps::Candidate& next : steps.candidates) {
    std::size_t lane = 0;
    while (lane < ends.size() && ends[lane] > next.begin) ++lane;
    if (lane == ends.size()) ends.push_back(0);
    ends[lane] = next.end;
    lanes.push_back(lane);
  }
  count = ends.size();
  return lanes;
}

BoxInk candidate_ink(const WordSteps::Candidate& next, bool considered, bool finished) {
  const Theme& t = theme();
  BoxInk ink{t.panel_raised, t.border, next.best ? t.text : t.text_dim};
  if (next.unknown) ink.edge = t.warning;
  if (next.best) ink.edge = mix(t.border, t.text, 0.45f);
  if (finished && next.chosen) ink = {t.accent_soft, t.accent, t.text, scaled(2)};
  const float alpha = considered ? 1.f : kDim;
  return {with_alpha(ink.ground, alpha), with_alpha(ink.edge, alpha), with_alpha(ink.text, alpha),
          ink.outline};
}

// Row labels of the lattice, at these heights below its corner.
void name_rows(ImVec2 corner, const std::array<float, 4>& heights) {
  constexpr const char* kNames[] = {"tokenizer.lattice.letters", "tokenizer.lattice.pieces",
                                    "tokenizer.lattice.score", "tokenizer.lattice.sum"};
  for (std::size_t i = 0; i < heights.size(); ++i)
    draw_text(Canvas(), fonts().small, ImVec2(corner.x, corner.y + heights[i]), theme().text_dim,
              tr(kNames[i]));
}

std::int64_t draw_lattice(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step,
                          bool moved) {
  const Theme& t = theme();
  const TokenizerStepsColumns columns = tokenizer_steps_columns_of(word.text.text());
  const std::size_t count = columns.bytes.size() - 1;
  std::size_t lane_count = 0;
  const std::vector<std::size_t> lanes = lanes_of(word.steps, lane_count);
  const float column = scaled(58), head = scaled(26), foot = scaled(30);
  const float lane_height =
      std::clamp((ImGui::GetContentRegionAvail().y - head - foot) / static_cast<float>(lane_count),
                 scaled(kLeastLane), scaled(kLane));
  const bool beside = lane_height < scaled(kScoreBelow);  // the score is beside the name, not below it
  const ImVec2 corner = ImGui::GetCursorScreenPos(), origin(corner.x + scaled(kMergeGutter), corner.y);
  const float height = head + static_cast<float>(lane_count) * lane_height + foot;
  const bool finished = step >= static_cast<std::int64_t>(count);
  const Canvas canvas;
  name_rows(corner, {scaled(4), head + scaled(4), head + scaled(kBox), height - foot + scaled(7)});
  std::int64_t clicked = -1;
  std::map<std::size_t, double> totals;  // best score by end byte
  for (const WordSteps::Candidate& next : word.steps.candidates)
    if (next.best) totals[next.end] = next.total;
  for (std::size_t c = 0; c < count; ++c) {
    const ImVec2 at(origin.x + static_cast<float>(c) * column, origin.y);
    const bool current = static_cast<std::int64_t>(c) + 1 == step;
    if (tokenizer_steps_row_button("token_step_", static_cast<std::int64_t>(c) + 1, current && !finished, at,
                                   column, height))
      clicked = static_cast<std::int64_t>(c) + 1;
    const std::string_view bytes =
        word.text.text().substr(columns.bytes[c], columns.bytes[c + 1] - columns.bytes[c]);
    const std::string character = bytes == "▁" ? "·" : display_bytes(bytes);
    note_text(character);
    const float alpha = static_cast<std::int64_t>(c) < step ? 1.f : kDim;
    draw_text(canvas, fonts().mono,
              ImVec2(at.x + (column - text_size(fonts().mono, character).x) / 2, at.y + scaled(3)),
              with_alpha(t.text, alpha), character);
    const auto total = totals.find(columns.bytes[c + 1]);
    if (total == totals.end() || static_cast<std::int64_t>(c) >= step) continue;
    const std::string sum = number_of(total->second);
    draw_text(canvas, fonts().mono_small,
              ImVec2(at.x + column - scaled(6) - text_size(fonts().mono_small, sum).x,
                     origin.y + height - foot + scaled(8)),
              current || finished ? t.text : t.text_dim, sum);
  }
  const float left_edge = ImGui::GetWindowPos().x, right_edge = left_edge + ImGui::GetWindowSize().x;
  for (std::size_t i = 0; i < word.steps.candidates.size(); ++i) {
    const WordSteps::Candidate& next = word.steps.candidates[i];
    const std::size_t first = columns.at(next.begin), last = columns.at(next.end);
    const ImVec2 at(origin.x + static_cast<float>(first) * column + scaled(2),
                    origin.y + head + static_cast<float>(lanes[i]) * lane_height);
    const float width = static_cast<float>(std::max<std::size_t>(1, last - first)) * column - scaled(4);
    if (at.x > right_edge || at.x + width < left_edge) continue;
    const bool considered = static_cast<std::int64_t>(last) <= step;
    const BoxInk ink = candidate_ink(next, considered, finished);
    const WordPart piece{next.id, next.begin, next.end, next.unknown};
    const std::string score = number_of(next.score);
    const ImVec2 extent = text_size(fonts().mono_small, score);
    const float right = beside ? extent.x + scaled(4) : 0.f;
    const std::string name(
        middle_truncated(fonts().mono, piece_name(scene, word, piece), width - right - scaled(6)));
    note_text(name);
    const bool hovered = draw_box(at, width, scaled(kBox), name, ink, right);
    draw_text(canvas, fonts().mono_small,
              beside ? ImVec2(at.x + width - right, at.y + (scaled(kBox) - extent.y) / 2)
                     : ImVec2(at.x + (width - extent.x) / 2, at.y + scaled(kBox + 2)),
              with_alpha(t.text_dim, considered ? 1.f : kDim), score);
    if (hovered)
      piece_tooltip(
          scene, word, piece,
          tr(next.best ? "tokenizer.tip.best" : "tokenizer.tip.candidate", {score, number_of(next.total)}));
  }
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(scaled(kMergeGutter) + static_cast<float>(count) * column, height));
  caption(tr("tokenizer.lattice.legend"));
  if (moved)
    ImGui::SetScrollFromPosX(origin.x + (static_cast<float>(step) - 0.5f) * column - ImGui::GetWindowPos().x,
                             0.5f);
  return clicked;
}

// ---- attempts -----------------------------------------------------------------------------------------

float draw_attempt_row(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t row,
                       std::int64_t step, ImVec2 at, float height) {
  const Theme& t = theme();
  const WordSteps::Attempt& attempt = word.steps.attempts[static_cast<std::size_t>(row - 1)];
  const float alpha = row > step ? kDim : 1.f;
  const Canvas canvas;
  const std::string_view seen = word.text.text();
  const float text_y = at.y + (height - text_size(fonts().mono_small, "X").y) / 2;
  draw_text(canvas, fonts().mono_small, ImVec2(at.x + scaled(8), text_y), with_alpha(t.text_dim, alpha),
            std::to_string(row));
  const std::string before(seen.substr(0, attempt.begin)),
      tried(seen.substr(attempt.begin, attempt.end - attempt.begin)), after(seen.substr(attempt.end));
  for (const std::string& text : {before, tried, after}) note_text(text);
  const bool found = attempt.id >= 0;
  const float y = at.y + (height - scaled(kBox)) / 2;
  const float letter_y = y + (scaled(kBox) - text_size(fonts().mono, "X").y) / 2;
  float x = at.x + scaled(kNumberColumn);
  draw_text(canvas, fonts().mono, ImVec2(x, letter_y), with_alpha(t.text_dim, alpha), before);
  x += text_size(fonts().mono, before).x + scaled(2);
  const float width = text_size(fonts().mono, tried).x + 2 * scaled(4);
  const BoxInk ink = found ? BoxInk{with_alpha(t.accent_soft, alpha), with_alpha(t.accent, alpha),
                                    with_alpha(t.text, alpha), scaled(2)}
                           : BoxInk{with_alpha(t.panel_raised, alpha), with_alpha(t.border, alpha),
                                    with_alpha(t.text, alpha)};
  if (draw_box(ImVec2(x, y), width, scaled(kBox), tried, ink))
    piece_tooltip(scene, word, {attempt.id, attempt.begin, attempt.end}, "");
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
      if (tokenizer_steps_row_button("token_step_", row + 1, row + 1 == step, at,
                                     room.x + ImGui::GetScrollX(), high))
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
  return tr("tokenizer.step.merge_score", {left, right, whole, number_of(merge.score)});
}

std::string lattice_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step) {
  const TokenizerStepsColumns columns = tokenizer_steps_columns_of(word.text.text());
  const std::size_t end = columns.bytes[static_cast<std::size_t>(step)];
  for (const WordSteps::Candidate& next : word.steps.candidates) {
    if (!next.best || next.end != end) continue;
    const std::string name = piece_name(scene, word, {next.id, next.begin, next.end, next.unknown});
    const bool last = step == step_count(word);
    return tr(last ? "tokenizer.step.path" : "tokenizer.step.position",
              {std::to_string(step), number_of(next.total), name});
  }
  return tr("tokenizer.step.lattice", {std::to_string(columns.bytes.size() - 1)});
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
