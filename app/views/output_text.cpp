#include "app/views/output_text.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "app/widgets/places.h"
#include "app/widgets/table.h"
#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kOutputTextLeastRow = 22.f, kOutputTextMostRow = 34.f;

// Columns: position, token, bar, surprisal in nats, probability, rank, most likely token.
Table output_text_table(float width) {
  using Kind = TableColumn::Kind;
  const float number = text_size(fonts().mono, "00.000").x + scaled(10);
  Table table;
  table.columns = {
      {.width = text_size(fonts().mono_small, "0000").x + scaled(8)},
      {.title = tr("output.column.token"), .width = std::clamp(width * 0.16f, scaled(64), scaled(140))},
      {.kind = Kind::bar, .share = 1},
      {Kind::number, tr("output.text.nats"), number},
      {Kind::number, tr("output.text.prob"), number},
      {Kind::number, tr("output.text.rank"), number * 0.7f + scaled(6)},
      {.title = tr("output.text.best"), .width = std::clamp(width * 0.26f, scaled(90), scaled(230))}};
  table.words = table.digits = fonts().mono;
  return table;
}

TableRow output_text_row(const RowChance& row, const std::string& name, const std::string& best, bool here) {
  const Theme& t = theme();
  const double nats = -row.log_prob;
  TableCell instead{best + " " + number_text(row.best_prob, 3), t.text_dim};
  if (row.rank == 0) instead = {.text = tr("output.text.itself"), .ink = t.text_dim, .font = fonts().small};
  return {"###text_row_" + std::to_string(row.row),
          {{.text = std::to_string(row.row + 1), .ink = t.text_dim, .font = fonts().mono_small},
           {name},
           {.bar = nats, .bar_ink = row.rank == 0 ? t.ok : t.mlp},
           {number_text(static_cast<float>(nats), 3)},
           {number_text(static_cast<float>(std::exp(row.log_prob)), 3)},
           {std::to_string(row.rank + 1)},
           std::move(instead)},
          here};
}

}  // namespace

std::int64_t draw_output_text(const ViewContext& context, const std::vector<RowChance>& rows,
                              std::int64_t pos, ImVec2 at, ImVec2 room) {
  const OpenedModel& opened = *context.run.document.opened;
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
  Table table = output_text_table(width);
  (void)draw_table(table, ImVec2(at.x + scaled(4), begin), width - scaled(4));
  const float head = table_height(table) + scaled(2);
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
  for (TableColumn& column : table.columns) column.title.clear();
  table.columns[2].most = most;
  table.row = height;
  std::size_t first = 0;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()), height);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const RowChance& row = *shown[static_cast<std::size_t>(i)];
      if (table.rows.empty()) first = static_cast<std::size_t>(i);
      table.rows.push_back(
          output_text_row(row, output_name(opened, row.next), output_name(opened, row.best), row.row == pos));
    }
  clipper.End();
  const float top = origin.y + static_cast<float>(first) * height;
  const TableEvent event = draw_table(table, ImVec2(at.x, top), width, [&](int i) {
    if (!ImGui::IsItemHovered()) return;
    const RowChance& row = *shown[first + static_cast<std::size_t>(i)];
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    compat::item_tooltip(tr("output.text.help", {output_name(opened, row.next), std::to_string(row.row + 1),
                                                 significant(std::exp(row.log_prob), 4),
                                                 significant(-row.log_prob, 4), std::to_string(row.rank + 1)})
                             .c_str());
  });
  return event.clicked < 0 ? -1 : shown[first + static_cast<std::size_t>(event.clicked)]->row;
}

}  // namespace attnscope
