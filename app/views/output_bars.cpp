#include "app/views/output_bars.h"

#include <algorithm>

#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// Left edges, pixels; numbers are right-aligned at left edge + `number`. A missing column has the edge of the
// one before it.
struct OutputBarsColumns {
  float token, logit, penalised, scaled_by, bar, bar_end, prob, kept;
  float number = 0;
  bool sampled = true, penalty = false, divided = false;
  ImFont* numbers = nullptr;
};

OutputBarsColumns output_bars_columns_of(float x, float width, const OutputRows& rows) {
  OutputBarsColumns out{};
  out.sampled = rows.sampled;
  out.divided = rows.sampled && rows.sampling.temperature > 0 && width > scaled(330);
  out.penalty = rows.sampled && rows.sampling.repetition_penalty != 1.f && width > scaled(400);
  out.numbers = width > scaled(420) ? fonts().mono : fonts().mono_small;
  out.number = text_size(out.numbers, "−00.00").x + scaled(12);
  const float token = std::clamp(width * 0.2f, scaled(70), scaled(150));
  out.token = x + scaled(16);
  out.logit = out.token + token;
  out.penalised = out.logit + (out.penalty ? out.number : 0);
  out.scaled_by = out.penalised + (out.divided ? out.number : 0);
  out.bar = out.scaled_by + out.number + scaled(8);
  out.kept = x + width - (out.sampled ? out.number : 0);
  out.prob = out.kept - out.number;
  out.bar_end = out.prob - scaled(2);
  return out;
}

void output_bars_right_text(ImFont* font, float right, float y, ImU32 colour, std::string_view text) {
  draw_text(Canvas(), font, ImVec2(right - text_size(font, text).x, y), colour, text);
}

void draw_head(const OutputBarsColumns& c, const OutputRows& rows, float y) {
  const ImU32 dim = theme().text_dim;
  ImFont* font = fonts().small;
  draw_text(Canvas(), font, ImVec2(c.token, y), dim, tr(rows.name));
  const auto number = [&](float column, std::string_view text) {
    output_bars_right_text(font, column + c.number, y, dim, text);
  };
  number(c.logit, tr("output.column.logit"));
  if (c.penalty) number(c.penalised, tr("output.column.penalised"));
  if (c.divided)
    number(c.scaled_by, kept_tr("output.column.scaled", {number_text(rows.sampling.temperature, 2)}));
  output_bars_right_text(font, c.prob + c.number - scaled(4), y, dim, tr("output.column.probability"));
  if (c.sampled)
    output_bars_right_text(font, c.kept + c.number - scaled(4), y, dim, tr("output.column.kept"));
}

// String key of the filter that removed a token.
const char* cut_key(Cut cut) {
  switch (cut) {
    case Cut::top_k: return "output.top_k";
    case Cut::top_p: return "output.top_p";
    case Cut::min_p: return "output.min_p";
    case Cut::greedy: return "output.cut.greedy";
    case Cut::none: break;
  }
  return "output.cut.none";
}

struct Row {
  std::string_view name;
  bool words = false;  // a label, not a token
  const NextToken* token = nullptr;
  double prob = 0, kept = 0;
  bool chosen = false;
};

void output_bars_draw_bar(const OutputBarsColumns& c, float y, float height, double prob, double kept,
                          double most, bool tail) {
  const Canvas canvas;
  const Theme& t = theme();
  const float room = std::max(c.bar_end - c.bar, 1.f), y0 = y + scaled(4), y1 = y + height - scaled(4);
  const auto x = [&](double value) {
    return c.bar + std::max(room * static_cast<float>(value / most), scaled(1));
  };
  const bool cut = !(kept > 0);
  const ImU32 colour = cut ? t.masked_stripe : tail ? t.norm : t.attention;
  if (kept > prob) {  // gain by renormalising after the cuts
    canvas.fill_rect(ImVec2(c.bar, y0), ImVec2(x(kept), y1), with_alpha(colour, 0.25f), scaled(2));
    canvas.rect(ImVec2(c.bar, y0), ImVec2(x(kept), y1), with_alpha(colour, 0.6f), scaled(2));
  }
  canvas.fill_rect(ImVec2(c.bar, y0), ImVec2(x(prob), y1), colour, scaled(2));
}

void output_bars_draw_row(const Row& row, const OutputBarsColumns& c, float y, float height, double most) {
  const Theme& t = theme();
  const Canvas canvas;
  const bool cut = !(row.kept > 0);
  const ImU32 ink = cut ? t.text_dim : t.text;
  ImFont* font = row.words ? fonts().small : fonts().mono;
  const float text_y = y + (height - text_size(font, "X").y) / 2;
  const float number_y = y + (height - text_size(c.numbers, "0").y) / 2;
  const float name_end = row.token ? c.logit - scaled(4) : c.bar - scaled(6);
  draw_text(canvas, font, ImVec2(c.token, text_y), row.chosen ? t.accent : ink,
            middle_truncated(font, row.name, name_end - c.token));
  if (row.chosen) {
    const float r = scaled(4), middle = y + height / 2, x = c.token - scaled(13);
    canvas.fill_triangle(ImVec2(x, middle - r), ImVec2(x + r * 1.5f, middle), ImVec2(x, middle + r),
                         t.accent);
  }
  if (row.token)
    output_bars_right_text(c.numbers, c.logit + c.number, number_y, t.text_dim,
                           number_text(row.token->logit, 2));
  if (row.token && c.penalty)
    output_bars_right_text(c.numbers, c.penalised + c.number, number_y,
                           row.token->penalised == row.token->logit ? t.text_dim : t.warning,
                           number_text(row.token->penalised, 2));
  if (row.token && c.divided)
    output_bars_right_text(c.numbers, c.scaled_by + c.number, number_y, t.text_dim,
                           number_text(row.token->scaled, 2));
  output_bars_draw_bar(c, y, height, row.prob, row.kept, most, row.words);
  output_bars_right_text(c.numbers, c.prob + c.number - scaled(4), number_y, ink,
                         number_text(static_cast<float>(row.prob), 4));
  if (!c.sampled) return;
  const float kept_end = c.kept + c.number - scaled(4);
  if (!cut)
    return output_bars_right_text(c.numbers, kept_end, number_y, ink,
                                  number_text(static_cast<float>(row.kept), 4));
  output_bars_right_text(fonts().small, kept_end, y + (height - text_size(fonts().small, "X").y) / 2,
                         t.warning, row.token ? tr(cut_key(row.token->cut)) : "–");
}

}  // namespace

float output_head_height() { return text_size(fonts().small, "X").y + scaled(4); }

int draw_next_tokens(const NextSummary& summary, const OpenedModel& opened, std::size_t shown,
                     const OutputRows& rows, ImVec2 at, float width) {
  const OutputBarsColumns c = output_bars_columns_of(at.x, width, rows);
  const float height = rows.height;
  shown = std::min(shown, summary.top.size());
  const NextSummary::Tail tail = summary.tail(shown);
  double most = std::max({1e-9, tail.prob, tail.kept});
  for (std::size_t i = 0; i < shown; ++i)
    most =
        std::max({most, static_cast<double>(summary.top[i].prob), static_cast<double>(summary.top[i].kept)});
  draw_head(c, rows, at.y);
  float y = at.y + output_head_height();
  int clicked = -1;
  for (std::size_t i = 0; i < shown; ++i, y += height) {
    const NextToken& token = summary.top[i];
    const std::string name = output_name(opened, token.id);
    const Row row{name,
                  false,
                  &token,
                  static_cast<double>(token.prob),
                  static_cast<double>(token.kept),
                  rows.sampled && token.id == summary.choice};
    note_text(name);
    ImGui::SetCursorScreenPos(ImVec2(at.x, y));
    const Label id("###next_", std::to_string(i));
    if (ImGui::InvisibleButton(id.c_str(), ImVec2(std::max(width, 1.f), height)))
      clicked = static_cast<int>(i);
    note_item(id);
    if (rows.offer) rows.offer(token.id);
    if (ImGui::IsItemHovered()) {
      Canvas().fill_rect(ImVec2(at.x, y), ImVec2(at.x + width, y + height), theme().hovered, scaled(4));
      std::string help = tr(rows.help, {row.name, std::to_string(token.id), std::to_string(i + 1)});
      if (rows.offer) help += std::string("\n") + tr("ask.offer.help");
      ImGui::SetTooltip("%s", help.c_str());
    }
    output_bars_draw_row(row, c, y, height, most);
  }
  if (tail.count > 0) {
    const std::string count = format_count(tail.count);
    output_bars_draw_row({kept_tr(tail.count == 1 ? "output.other" : "output.others", {count}), true, nullptr,
                          tail.prob, tail.kept, false},
                         c, y, height, most);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy(ImVec2(width, y + height - at.y));
  return clicked;
}

}  // namespace attnscope
