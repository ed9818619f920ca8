// Figures of lookups in a table, and of steps over the vocabulary: the most likely tokens of one row.
#include "app/views/steps_builder.h"
#include "core/base/words.h"
#include "core/trace/row_parts.h"

namespace attnscope {

// For each row of the step, its row in the table.
std::vector<std::int64_t> FigureBuilder::table_rows(std::int64_t count) const {
  const Stack own = asked_.site.stack;
  const auto &ids = trace_.ids_of(own), &types = trace_.input.types;
  const Positions positions = trace_.positions(own);
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < count; ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (asked_.site.is(StepRole::words))
      rows.push_back(ids[at]);
    else if (asked_.site.is(StepRole::position))
      rows.push_back(positions.of(row) + stack().position.offset);
    else
      rows.push_back(at < types.size() ? types[at] : 0);
  }
  return rows;
}

void FigureBuilder::lookup() {
  Operand table = weight(input().name, "table"), out = result();
  const StepRole role = role_of(asked_.site.slot);
  table.picked_rows = table_rows(out.row.size);
  table.row.names = role == StepRole::words ? FigureAxis::Names::vocab : FigureAxis::Names::index;
  table.row.title = tr(role == StepRole::words      ? "steps.axis.table_token"
                       : role == StepRole::position ? "steps.axis.table_pos"
                                                    : "steps.axis.table_segment");
  table.row.size = out.row.size;
  table.row.key = "rows";
  figure_.shared_range = true;
  block("", {add(std::move(table))});
  block("→", {add(std::move(out))});
}

// ---- vocabulary: only the most likely tokens of one row are shown ----
void FigureBuilder::pick(Operand& operand, bool rows_too) const {
  if (!asked_.whole_vocabulary) {
    operand.picked_cols = asked_.top;
    operand.col.size = static_cast<std::int64_t>(asked_.top.size());
  }
  if (!rows_too || !large_vocabulary(trace_)) return;
  operand.picked_rows = {asked_.query};
  operand.row.size = 1;
}

void FigureBuilder::vocabulary() {
  if (!asked_.whole_vocabulary && asked_.top.empty()) {
    figure_.pending = true;
    figure_.layout = Figure::Layout::none;
    return;
  }
  if (why_.terms.empty()) {  // recorded logits without inputs
    Operand out = result();
    pick(out, true);
    out.col.names = FigureAxis::Names::output;
    return block("", {add(std::move(out))});
  }
  if (asked_.site.is(StepRole::logits)) {
    dot();
    for (Operand& operand : figure_.operands) {
      if (operand.id == "left") {
        if (large_vocabulary(trace_) && operand.picked_rows.empty())
          operand.picked_rows = {asked_.query}, operand.row.size = 1;
      } else {
        pick(operand, operand.is_result);
        operand.col.names = FigureAxis::Names::output;
      }
    }
    return;
  }
  Operand before = step(input().site, "before"), out = result();
  pick(before, true);
  pick(out, true);
  const Trace* trace = &trace_;
  const auto row_of = [rows = before.picked_rows](std::int64_t row) {
    return rows.empty() ? row : rows[static_cast<std::size_t>(row)];
  };
  const auto parts = [trace, row_of](Range rows, bool sum) {
    Buffer column({{Axis::pos, rows.size()}, {Axis::unit, 1}});
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const Tensor logits = trace->logits_row(row_of(row)).split(0, Axis::pos, 1, Axis::vocab);
      const SoftmaxParts all = softmax_parts(logits);
      column.data()[row - rows.begin] = (sum ? all.sum : all.high).at(0);
    }
    return std::move(column).freeze();
  };
  const FigureAxis rows = before.row;
  const std::int64_t outputs = trace_.config().outputs();
  Operand sum =
      column("sum", "steps.part.sum", rows, outputs, [parts](Range r, Range) { return parts(r, true); });
  sum.map = Colormap::sequential;
  block("", {add(before),
             add(column("max", "steps.part.max", rows, outputs,
                        [parts](Range r, Range) { return parts(r, false); })),
             add(std::move(sum))});
  block("→", {add(std::move(out))});
}

}  // namespace attnscope
