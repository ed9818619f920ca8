#include "app/views/kv_stack.h"

#include <algorithm>
#include <cmath>

#include "app/look/item_map.h"
#include "app/widgets/matrix_plot.h"
#include "app/widgets/pieces.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

constexpr float kKvStackLeastRow = 15.f, kKvStackMostRow = 160.f, kKvStackLeastColumn = 9.f,
                kMostColumn = 110.f;  // units

struct StackFrame {
  ImVec2 p0;  // of the cells
  ImVec2 cell;
  std::int64_t first = 0, shown = 0;  // first visible column, number of visible ones
};

// If not all columns fit, the newest ones.
StackFrame frame_of(const KvStack& stack, ImVec2 at, ImVec2 size) {
  StackFrame out;
  float labels = 0;
  for (const KvStackRow& row : stack.rows)
    labels = std::max(labels, text_size(fonts().mono_small, row.label).x);
  const float top = text_size(fonts().small, "X").y * 2 + scaled(8);
  out.p0 = ImVec2(at.x + labels + scaled(8), at.y + top);
  const float width = at.x + size.x - out.p0.x;
  const auto fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / scaled(kKvStackLeastColumn)));
  out.shown = std::min(stack.columns, fit);
  out.first = std::clamp<std::int64_t>(stack.length - out.shown, 0, stack.columns - out.shown);
  const float rows = static_cast<float>(std::max<std::size_t>(1, stack.rows.size()));
  out.cell = ImVec2(std::min(width / static_cast<float>(out.shown), scaled(kMostColumn)),
                    std::min((size.y - top) / rows, scaled(kKvStackMostRow)));
  return out;
}

void draw_cell(const Canvas& canvas, const KvStack& stack, std::int64_t column, ImVec2 p0, ImVec2 p1,
               bool chosen) {
  const Theme& t = theme();
  const float middle = (p0.y + p1.y) / 2, round = std::min(scaled(3), (p1.x - p0.x) / 4);
  if (column >= stack.length) {
    canvas.rect(p0, p1, with_alpha(t.border, 0.7f), round);
    return;
  }
  const bool computed = column >= stack.computed;
  const float strength = computed ? 1.f : 0.38f;
  const auto tint = [&](ImU32 colour) { return mix(t.ground, colour, strength); };
  canvas.fill_rect(p0, ImVec2(p1.x, middle), tint(t.k), round, ImDrawFlags_RoundCornersTop);
  canvas.fill_rect(ImVec2(p0.x, middle), p1, tint(t.v), round, ImDrawFlags_RoundCornersBottom);
  if (computed)
    canvas.rect(p0, p1, t.text, round, 0, scaled(1.4f));
  else if (chosen)
    canvas.rect(p0, p1, with_alpha(t.accent, 0.6f), round);
}

void draw_columns(const Canvas& canvas, const KvStack& stack, const StackFrame& frame, ImVec2 at) {
  ImFont* const font = fonts().small;
  const float line = text_size(font, "X").y;
  const float widest = text_size(font, std::to_string(stack.columns - 1)).x + scaled(4);
  const auto every = static_cast<std::int64_t>(std::ceil(widest / frame.cell.x));
  bool named = frame.cell.x >= scaled(26);  // all or none: the numbers stand for them
  for (std::int64_t i = 0; named && i < frame.shown; ++i)
    named = text_size(font, stack.token(frame.first + i)).x <= frame.cell.x - scaled(3);
  for (std::int64_t i = 0; i < frame.shown; ++i) {
    const std::int64_t column = frame.first + i;
    const bool here = column >= stack.computed && column < stack.length;
    const float x = frame.p0.x + frame.cell.x * static_cast<float>(i);
    const std::string number = std::to_string(column);
    const float wide = text_size(font, number).x;
    if (column % every != 0) continue;
    draw_text(canvas, font, ImVec2(x + (frame.cell.x - wide) / 2, at.y), theme().text_dim, number);
    if (!named) continue;
    const std::string text = stack.token(column);
    note_text(text);
    draw_text(canvas, font, ImVec2(x + (frame.cell.x - text_size(font, text).x) / 2, at.y + line + scaled(1)),
              here ? theme().text : theme().text_dim, text);
  }
}

}  // namespace

std::vector<KvStackRow> kv_stack_rows(const std::vector<int>& heads_of_layers, float height) {
  std::int64_t all = 0;
  for (const int heads : heads_of_layers) all += heads;
  const bool each = static_cast<float>(all) * scaled(kKvStackLeastRow) <= height;
  std::vector<KvStackRow> out;
  for (std::size_t layer = 0; layer < heads_of_layers.size(); ++layer) {
    const std::string name = std::to_string(layer);
    const int at = static_cast<int>(layer);
    if (!each) out.push_back({at, -1, name});
    for (int head = 0; each && head < heads_of_layers[layer]; ++head)
      out.push_back({at, head, name + "." + std::to_string(head)});
  }
  return out;
}

KvStackEvent draw_kv_stack(const KvStack& stack, ImVec2 at, ImVec2 size) {
  KvStackEvent event;
  if (stack.rows.empty() || stack.columns == 0) return event;
  const DrawGroupScope group("kv_cache");
  const StackFrame frame = frame_of(stack, at, size);
  const Canvas canvas;
  const ImVec2 end(frame.p0.x + frame.cell.x * static_cast<float>(frame.shown),
                   frame.p0.y + frame.cell.y * static_cast<float>(stack.rows.size()));
  ImGui::SetCursorScreenPos(frame.p0);
  event.clicked = hit_area("###kv_stack", ImVec2(end.x - frame.p0.x, end.y - frame.p0.y));
  note_item("kv_stack",
            {frame.p0, end, std::ssize(stack.rows), frame.shown, 0, static_cast<double>(frame.first),
             static_cast<double>(stack.rows.size()), static_cast<double>(frame.first + frame.shown)});
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    event.row = std::clamp(static_cast<int>((mouse.y - frame.p0.y) / frame.cell.y), 0,
                           static_cast<int>(stack.rows.size()) - 1);
    event.column = frame.first +
                   std::clamp<std::int64_t>(static_cast<std::int64_t>((mouse.x - frame.p0.x) / frame.cell.x),
                                            0, frame.shown - 1);
  }
  draw_columns(canvas, stack, frame, at);
  ImFont* const font = fonts().mono_small;
  const float line = text_size(font, "0").y, gap = frame.cell.x > scaled(14) ? scaled(2) : scaled(1);
  const auto step = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil((line + scaled(1)) / std::max(1.f, frame.cell.y))));
  for (std::size_t row = 0; row < stack.rows.size(); ++row) {
    const KvStackRow& it = stack.rows[row];
    const bool chosen = it.layer == stack.layer && (it.head < 0 || it.head == stack.head);
    const float y = frame.p0.y + frame.cell.y * static_cast<float>(row);
    if (row % step == 0 || chosen)
      draw_text(canvas, font,
                ImVec2(frame.p0.x - scaled(8) - text_size(font, it.label).x, y + (frame.cell.y - line) / 2),
                chosen ? theme().accent : theme().text_dim, it.label);
    const float below = frame.cell.y > scaled(8) ? scaled(2) : 1.f;
    for (std::int64_t i = 0; i < frame.shown; ++i) {
      const float x = frame.p0.x + frame.cell.x * static_cast<float>(i);
      draw_cell(canvas, stack, frame.first + i, ImVec2(x, y),
                ImVec2(x + frame.cell.x - gap, y + frame.cell.y - below), chosen);
    }
  }
  return event;
}

}  // namespace attnscope
