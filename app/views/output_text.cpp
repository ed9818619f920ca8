#include "app/views/output_text.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kOutputTextLeastRow = 22.f, kOutputTextMostRow = 34.f;

struct OutputTextColumns {
  float pos, token, bar, bar_end, nats, prob, rank, best;
};

OutputTextColumns output_text_columns_of(float x, float width) {
  OutputTextColumns c{};
  const float number = text_size(fonts().mono, "00.000").x + scaled(10);
  c.pos = x;
  c.token = x + text_size(fonts().mono_small, "0000").x + scaled(8);
  c.best = x + width - std::clamp(width * 0.26f, scaled(90), scaled(230));
  c.rank = c.best - scaled(16) - number * 0.7f;
  c.prob = c.rank - number;
  c.nats = c.prob - number;
  c.bar = c.token + std::clamp(width * 0.16f, scaled(64), scaled(140));
  c.bar_end = c.nats - scaled(2);
  return c;
}

void output_text_right_text(ImFont* font, float right, float y, ImU32 colour, const std::string& text) {
  draw_text(Canvas(), font, ImVec2(right - text_size(font, text).x, y), colour, text);
}

// One row: position, token, bar, surprisal in nats, probability, rank, most likely token.
void output_text_draw_row(const RowChance& row, const std::string& name, const std::string& best,
                          const OutputTextColumns& c, float y, float height, double most, float right) {
  const Theme& t = theme();
  const Canvas canvas;
  ImFont* small = fonts().small;
  const auto middle = [&](ImFont* font) { return y + (height - text_size(font, "X").y) / 2; };
  draw_text(canvas, fonts().mono_small, ImVec2(c.pos + scaled(2), middle(fonts().mono_small)), t.text_dim,
            std::to_string(row.row + 1));
  draw_text(canvas, fonts().mono, ImVec2(c.token, middle(fonts().mono)), t.text,
            middle_truncated(fonts().mono, name, c.bar - c.token - scaled(6)));
  const float share = static_cast<float>(-row.log_prob / most);
  const ImU32 colour = row.rank == 0 ? t.ok : t.mlp;
  canvas.fill_rect(ImVec2(c.bar, y + scaled(5)),
                   ImVec2(c.bar + std::max(scaled(1), (c.bar_end - c.bar) * share), y + height - scaled(5)),
                   colour, scaled(2));
  output_text_right_text(fonts().mono, c.prob - scaled(10), middle(fonts().mono), t.text,
                         number_text(static_cast<float>(-row.log_prob), 3));
  output_text_right_text(fonts().mono, c.rank - scaled(10), middle(fonts().mono), t.text,
                         number_text(static_cast<float>(std::exp(row.log_prob)), 3));
  output_text_right_text(fonts().mono, c.best - scaled(16), middle(fonts().mono), t.text,
                         std::to_string(row.rank + 1));
  const std::string instead =
      row.rank == 0 ? std::string(tr("output.text.itself")) : best + " " + number_text(row.best_prob, 3);
  draw_text(canvas, row.rank == 0 ? small : fonts().mono,
            ImVec2(c.best, middle(row.rank == 0 ? small : fonts().mono)), t.text_dim,
            middle_truncated(row.rank == 0 ? small : fonts().mono, instead, right - c.best));
}

}  // namespace

std::int64_t draw_output_text(const ViewContext& context, const std::vector<RowChance>& rows,
                              std::int64_t pos, ImVec2 at, ImVec2 room) {
  const OpenedModel& opened = *context.run.document.opened;
  const Theme& t = theme();
  const Canvas canvas;
  ImGui::SetCursorScreenPos(at);
  const Perplexity all = perplexity(rows);
  if (all.tokens == 0) {
    caption(tr("output.text.none"));
    return -1;
  }
  figure_text(tr("output.text.value",
                 {significant(all.value, 4), format_count(all.tokens), significant(all.nats, 4),
                  format_count(context.run.trace(context.workspace.cursor.sequence).config().outputs())}),
              room.x);
  const float width = room.x - scaled(14), begin = ImGui::GetCursorScreenPos().y;
  const OutputTextColumns c = output_text_columns_of(at.x, width);
  ImFont* small = fonts().small;
  const float head = text_size(small, "X").y + scaled(6);
  draw_text(canvas, small, ImVec2(c.token, begin), t.text_dim, tr("output.column.token"));
  output_text_right_text(small, c.prob - scaled(10), begin, t.text_dim, tr("output.text.nats"));
  output_text_right_text(small, c.rank - scaled(10), begin, t.text_dim, tr("output.text.prob"));
  output_text_right_text(small, c.best - scaled(16), begin, t.text_dim, tr("output.text.rank"));
  draw_text(canvas, small, ImVec2(c.best, begin), t.text_dim,
            middle_truncated(small, tr("output.text.best"), at.x + width - c.best));
  double most = 1e-9;
  std::vector<const RowChance*> shown;
  for (const RowChance& row : rows)
    if (row.next >= 0) shown.push_back(&row), most = std::max(most, -row.log_prob);
  ImGui::SetCursorScreenPos(ImVec2(at.x, begin + head));
  const float list = std::max(scaled(60), at.y + room.y - begin - head);
  const ChildScope child("output_text_rows", ImVec2(room.x, list));
  const float height = std::clamp(list / static_cast<float>(std::max<std::size_t>(1, shown.size())),
                                  scaled(kOutputTextLeastRow), scaled(kOutputTextMostRow));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  std::int64_t clicked = -1;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()), height);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const RowChance& row = *shown[static_cast<std::size_t>(i)];
      const float y = origin.y + static_cast<float>(i) * height;
      const std::string name = output_name(opened, row.next), best = output_name(opened, row.best);
      note_text(name), note_text(best);
      ImGui::SetCursorScreenPos(ImVec2(at.x, y));
      const std::string id = "text_row_" + std::to_string(row.row);
      if (ImGui::InvisibleButton(("###" + id).c_str(), ImVec2(std::max(1.f, width), height)))
        clicked = row.row;
      note_item(id);
      if (ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        ImGui::SetTooltip("%s", tr("output.text.help",
                                   {name, std::to_string(row.row + 1), significant(std::exp(row.log_prob), 4),
                                    significant(-row.log_prob, 4), std::to_string(row.rank + 1)})
                                    .c_str());
      }
      if (ImGui::IsItemHovered() || row.row == pos)
        canvas.fill_rect(ImVec2(at.x, y), ImVec2(at.x + width, y + height),
                         row.row == pos ? t.accent_soft : t.hovered, scaled(4));
      output_text_draw_row(row, name, best, c, y, height, most, at.x + width);
    }
  clipper.End();
  return clicked;
}

}  // namespace attnscope
