#include "app/views/tokenizer_lattice.h"

#include <algorithm>
#include <array>
#include <map>

#include "app/figure/canvas.h"
#include "app/views/tokenizer_boxes.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {

namespace {

constexpr float kMergeGutter = 78.f;  // left of a lattice
constexpr float kLane = kPieceBox + 22.f, kLeastLane = kPieceBox + 4.f, kScoreBelow = kPieceBox + 16.f;

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

PieceInk candidate_ink(const WordSteps::Candidate& next, bool considered, bool finished) {
  const Theme& t = theme();
  PieceInk ink{t.panel_raised, t.border, next.best ? t.text : t.text_dim};
  if (next.unknown) ink.edge = t.warning;
  if (next.best) ink.edge = mix(t.border, t.text, 0.45f);
  if (finished && next.chosen) ink = {t.accent_soft, t.accent, t.text, scaled(2)};
  const float alpha = considered ? 1.f : kLaterStep;
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

}  // namespace

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
  name_rows(corner, {scaled(4), head + scaled(4), head + scaled(kPieceBox), height - foot + scaled(7)});
  std::int64_t clicked = -1;
  std::map<std::size_t, double> totals;  // best score by end byte
  for (const WordSteps::Candidate& next : word.steps.candidates)
    if (next.best) totals[next.end] = next.total;
  for (std::size_t c = 0; c < count; ++c) {
    const ImVec2 at(origin.x + static_cast<float>(c) * column, origin.y);
    const bool current = static_cast<std::int64_t>(c) + 1 == step;
    if (step_button("token_step_", static_cast<std::int64_t>(c) + 1, current && !finished, at, column,
                    height))
      clicked = static_cast<std::int64_t>(c) + 1;
    const std::string_view bytes =
        word.text.text().substr(columns.bytes[c], columns.bytes[c + 1] - columns.bytes[c]);
    const std::string character = bytes == "▁" ? "·" : display_bytes(bytes);
    note_text(character);
    const float alpha = static_cast<std::int64_t>(c) < step ? 1.f : kLaterStep;
    draw_text(canvas, fonts().mono,
              ImVec2(at.x + (column - text_size(fonts().mono, character).x) / 2, at.y + scaled(3)),
              with_alpha(t.text, alpha), character);
    const auto total = totals.find(columns.bytes[c + 1]);
    if (total == totals.end() || static_cast<std::int64_t>(c) >= step) continue;
    const std::string sum = score_text(total->second);
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
    const PieceInk ink = candidate_ink(next, considered, finished);
    const WordPart piece{next.id, next.begin, next.end, next.unknown};
    const std::string score = score_text(next.score);
    const ImVec2 extent = text_size(fonts().mono_small, score);
    const float right = beside ? extent.x + scaled(4) : 0.f;
    const std::string name(
        middle_truncated(fonts().mono, piece_name(scene, word, piece), width - right - scaled(6)));
    note_text(name);
    const bool hovered = draw_piece_box(at, width, scaled(kPieceBox), name, ink, right);
    draw_text(canvas, fonts().mono_small,
              beside ? ImVec2(at.x + width - right, at.y + (scaled(kPieceBox) - extent.y) / 2)
                     : ImVec2(at.x + (width - extent.x) / 2, at.y + scaled(kPieceBox + 2)),
              with_alpha(t.text_dim, considered ? 1.f : kLaterStep), score);
    if (hovered)
      show_piece(
          scene, word, piece,
          tr(next.best ? "tokenizer.tip.best" : "tokenizer.tip.candidate", {score, score_text(next.total)}));
  }
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(scaled(kMergeGutter) + static_cast<float>(count) * column, height));
  caption(tr("tokenizer.lattice.legend"));
  if (moved)
    ImGui::SetScrollFromPosX(origin.x + (static_cast<float>(step) - 0.5f) * column - ImGui::GetWindowPos().x,
                             0.5f);
  return clicked;
}

std::string lattice_words(const TokenizerScene& scene, const SegmentedWord& word, std::int64_t step) {
  const TokenizerStepsColumns columns = tokenizer_steps_columns_of(word.text.text());
  const std::size_t end = columns.bytes[static_cast<std::size_t>(step)];
  for (const WordSteps::Candidate& next : word.steps.candidates) {
    if (!next.best || next.end != end) continue;
    const std::string name = piece_name(scene, word, {next.id, next.begin, next.end, next.unknown});
    const bool last = step == step_count(word);
    return tr(last ? "tokenizer.step.path" : "tokenizer.step.position",
              {std::to_string(step), score_text(next.total), name});
  }
  return tr("tokenizer.step.lattice", {std::to_string(columns.bytes.size() - 1)});
}

}  // namespace attnscope
