#include "app/views/steps_row.h"

#include <algorithm>
#include <bit>

#include "app/figure/canvas.h"
#include "app/look/item_map.h"
#include "app/look/kept_text.h"
#include "app/look/theme.h"
#include "app/views/steps_plot.h"
#include "core/base/words.h"
#include "core/lesson/leaks.h"
#include "core/view/step_row.h"

namespace attnscope {
namespace {

constexpr std::int64_t kMostNamed = 4096;  // columns; of more, names are their indices
constexpr std::int64_t kFewRows = 4;       // of a product or a copy: presented, its own digits are as large
constexpr float kForChange = 1.24f;        // times the room, where the difference is one row more
constexpr float kPresenterHalf = 0.5f;     // of the scale of the presenter: one unit of its figures

// Index of the row in the operand: that of the query, of other stacks that of the key.
std::int64_t looked_at(const Cursor& cursor, const Operand& operand) {
  const std::int64_t at = operand.row.stack == cursor.stack ? cursor.query : cursor.key;
  return operand.picked_rows.empty()
             ? std::clamp<std::int64_t>(at - operand.row.first, 0,
                                        std::max<std::int64_t>(0, operand.row.size - 1))
             : 0;
}
std::vector<float> values_of_row(const Tensor& plane) {
  std::vector<float> out;
  for (std::int64_t col = 0; !plane.empty() && col < plane.size(1); ++col) out.push_back(plane.at(0, col));
  return out;
}
// It has the same rows and columns as the result.
bool stands_over(const Figure& figure, const Operand& input, const Operand& result) {
  return figure.layout == Figure::Layout::row && figure.rule != Rule::copy && !input.is_weight() &&
         !input.is_result && input.row.size == result.row.size && input.col.size == result.col.size &&
         (input.head < 0 || result.head < 0 || input.head == result.head);
}
LargeRow large_row(const Trace& trace, const Operand& operand, std::int64_t row) {
  LargeRow out;
  out.row.name = Text(operand.title);
  out.row.values = values_of_row(operand_values(trace, operand, {row, row + 1}, {0, operand.col.size}));
  if (operand.is_step() && operand.picked_cols.empty() && operand.picked_rows.empty())
    out.row.of = place_of(trace, operand.site, operand.head, row);
  if (operand.map == Colormap::sequential) out.scale = figure::Scale::share;
  if (operand.map == Colormap::mask) out.scale = figure::Scale::open;
  return out;
}
// A lesson keeps a cell of the row to itself, under whatever name; numbers that are no step of the run cannot
// be traced, and stay away from a page that hides any.
bool is_kept_back(const Workspace& workspace, const LargeRow& row) {
  if (!workspace.hides) return false;
  const auto target = row.row.of.empty() ? Result<Target>(Error{}) : parse_target(row.row.of);
  return !target || hides_any(workspace.hidden, *target);
}
figure::Names column_names(const ViewContext& context, const Operand& operand) {
  figure::Names out;
  if (operand.col.size > kMostNamed) return out;
  if (operand.col.names == FigureAxis::Names::none) {
    out.shown = false;
    return out;
  }
  if (operand.col.names == FigureAxis::Names::index && operand.picked_cols.empty()) return out;
  out.ink = operand.col.colour ? figure::Ink::key : figure::Ink::dim;
  for (std::int64_t col = 0; col < operand.col.size; ++col)
    out.labels.emplace_back(axis_entry(context.run, context.workspace.cursor.sequence, operand, false, col));
  return out;
}

// Around a figure that stands alone; the row stands between others.
float margin_of_row(bool presented, float unit) {
  return (presented ? figure::kPresenterLetters : figure::kWindowLetters).pad * unit;
}

}  // namespace

bool StepsRow::make(const ViewContext& context, const Figure& figure, ImVec2 most, bool difference) {
  const bool presented = context.workspace.presenting;
  const Trace& trace = context.run.trace(context.workspace.cursor.sequence);
  const Operand& result = operand_of(figure, figure.result());
  const std::int64_t row = looked_at(context.workspace.cursor, result);
  std::vector<LargeRow> rows;
  for (const Operand& operand : figure.operands)
    if (stands_over(figure, operand, result)) rows.push_back(large_row(trace, operand, row));
  rows.push_back(large_row(trace, result, row));
  if (is_kept_back(context.workspace, rows.back())) return false;
  std::erase_if(rows, [&](const LargeRow& one) { return is_kept_back(context.workspace, one); });
  if (difference) {
    bool shifted = false;
    const Tensor change = operand_change(trace, context.before->trace(context.workspace.cursor.sequence),
                                         result, {row, row + 1}, {0, result.col.size}, shifted);
    if (!change.empty())
      rows.push_back(
          {{Text::of("steps.legend.difference"), values_of_row(change)}, figure::Scale::diverging});
  }
  const Text title = Text::of(
      "steps.row", {Text(axis_entry(context.run, context.workspace.cursor.sequence, result, true, row))});
  const auto drawn = large_rows(rows, column_names(context, result), title);
  if (!drawn) return false;
  // A projector's digits are at least as large as core/figure asks for, however small its picture.
  const float unit = presented ? std::max(1.f, ui_scale() * kPresenterHalf) : ui_scale();
  margin_ = margin_of_row(presented, unit);
  float high = most.y + (presented ? 0 : 2 * margin_);
  const auto shown = [&] {
    return box_.show_at(*drawn, key_, ImVec2(most.x + 2 * margin_, high), presented, unit);
  };
  bool fits = shown();
  if (presented && difference && (!fits || box_.unit() < unit)) high *= kForChange, fits = shown();
  if (!fits) return false;
  margin_ = margin_of_row(presented, box_.unit());
  room_ = ImVec2(most.x + 2 * margin_, std::min(high, std::ceil(box_.natural_height())));
  return box_.show_at(*drawn, key_, room_, presented, box_.unit());
}

float StepsRow::follow(const ViewContext& context, const Figure& figure, ImVec2 most, bool difference) {
  const Cursor& cursor = context.workspace.cursor;
  if (figure.result() < 0 || figure.pending || most.x < 1 || most.y < 1) return 0;
  const bool large = figure.layout == Figure::Layout::product || figure.rule == Rule::copy;
  const bool few = large && operand_of(figure, figure.result()).row.size <= kFewRows;
  if (few && context.workspace.presenting) return 0;
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t key =
      text_key({figure.id, context.run.version, number(cursor.query), number(cursor.key),
                number(cursor.stack), difference ? context.before->version + 1 : 0, context.workspace.hides,
                number(context.workspace.hidden.size()), number(std::bit_cast<std::uint32_t>(most.x)),
                number(std::bit_cast<std::uint32_t>(most.y))});
  if (failed_ == key && key_ == key) return 0;
  if (key_ != key || box_.stale(key, room_, context.workspace.presenting)) {
    key_ = key;
    const bool made = make(context, figure, most, difference);
    failed_ = made ? 0 : key;
    if (!made) box_.clear();
  }
  return box_.empty() ? 0.f : room_.y - 2 * margin_;
}

void StepsRow::draw(const ViewContext& context, const Figure& figure) {
  if (box_.empty()) return;
  const Operand& result = operand_of(figure, figure.result());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  hit_area("###steps_row", ImVec2(room_.x - 2 * margin_, room_.y - 2 * margin_));
  {
    const DrawGroupScope group("row", result.site, result.head);
    box_.draw(ImVec2(at.x - margin_, at.y - margin_));
  }
  hands_.follow({context.run, context.workspace, context.commands, box_});
}

}  // namespace attnscope
