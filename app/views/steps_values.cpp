// Maps cells of an operand to values of the run and back: heads, transposed matrices, picked rows and
// columns.
#include <algorithm>

#include "app/look/colormap.h"
#include "app/views/steps_figure.h"
#include "core/lens/alignment.h"

namespace attnscope {
namespace {

std::int64_t picked(const std::vector<std::int64_t>& picks, std::int64_t at) {
  if (picks.empty()) return at;
  return at >= 0 && at < static_cast<std::int64_t>(picks.size()) ? picks[static_cast<std::size_t>(at)] : -1;
}

// Position of a source index in the picks, or -1.
std::int64_t unpicked(const std::vector<std::int64_t>& picks, std::int64_t index) {
  if (picks.empty()) return index;
  const auto at = std::find(picks.begin(), picks.end(), index);
  return at == picks.end() ? -1 : at - picks.begin();
}

// A rectangle of the source.
Tensor plane(const Trace& trace, const Operand& operand, Range rows, Range cols) {
  if (operand.transposed) {
    Operand upright = operand;
    upright.transposed = false;
    const Tensor transposed = plane(trace, upright, cols, rows);
    return transposed.empty() ? transposed : transposed.transpose();
  }
  if (!operand.is_weight()) {
    const Slot slot = operand.site.slot;
    const Record* record = trace.find(operand.site);
    const bool follows = record && record->derived && (is_over_vocabulary(slot));
    if (follows && rows.size() == 1) {  // the cached row
      const Tensor logits = trace.logits_row(rows.begin);
      if (logits.empty()) return {};
      const Tensor row = logits.split(0, Axis::pos, 1, Axis::vocab);
      return (role_of(slot) == StepRole::logits ? row : softmax_rows(row)).slice(1, cols.begin, cols.end);
    }
    return trace.slice(operand.site, std::max<std::int64_t>(operand.head, 0), rows, cols);
  }
  const Tensor weight = trace.weights().get(operand.weight);
  if (weight.rank() == 1)
    return weight.slice(0, cols.begin, cols.end).split(0, Axis::none, 1, weight.axis(0));
  return weight.slice(0, rows.begin, rows.end).slice(1, cols.begin, cols.end);
}

}  // namespace

Tensor operand_values(const Trace& trace, const Operand& operand, Range rows, Range cols) {
  if (rows.size() <= 0 || cols.size() <= 0) return {};
  if (operand.part) return operand.part(rows, cols);
  if (operand.picked_rows.empty() && operand.picked_cols.empty()) return plane(trace, operand, rows, cols);
  Buffer out({{Axis::none, rows.size()}, {Axis::none, cols.size()}});
  const bool whole_row = operand.site.is(StepRole::probs) && !operand.is_weight();
  const std::int64_t vocab = trace.config().outputs();
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t from = picked(operand.picked_rows, row);
    const Tensor all = operand.picked_cols.empty() ? plane(trace, operand, {from, from + 1}, cols)
                       : whole_row                 ? plane(trace, operand, {from, from + 1}, {0, vocab})
                                                   : Tensor();
    for (std::int64_t col = cols.begin; col < cols.end; ++col) {
      const std::int64_t at = picked(operand.picked_cols, col);
      float& cell = out.data()[(row - rows.begin) * cols.size() + col - cols.begin];
      if (operand.picked_cols.empty())
        cell = all.at(0, col - cols.begin);
      else if (whole_row)
        cell = all.at(0, at);
      else if (operand.is_weight())
        cell = plane(trace, operand, {from, from + 1}, {at, at + 1}).at(0, 0);
      else
        cell = trace.cell(operand.site, {from, at});
    }
  }
  return std::move(out).freeze();
}

Tensor operand_change(const Trace& now, const Trace& old, const Operand& operand, Range rows, Range cols,
                      bool& shifted) {
  const Record *own = now.find(operand.site), *other = old.find(operand.site);
  if (operand.part || operand.is_weight() || !own || !other || own->axes != other->axes) return {};
  for (std::size_t d = 0; d < own->axes.size(); ++d) {
    const Axis axis = own->axes[d];
    const bool counted = axis == Axis::pos || axis == Axis::query || axis == Axis::key;
    if (!counted && own->shape[d] != other->shape[d]) return {};
  }
  const auto partners = [&](const FigureAxis& axis) {
    Alignment out = align_rows(now, old, axis.stack);
    const auto first = std::min<std::int64_t>(axis.first, static_cast<std::int64_t>(out.to_b.size()));
    out.to_b.erase(out.to_b.begin(), out.to_b.begin() + first);
    for (std::int64_t& row : out.to_b) row = row >= first ? row - first : -1;
    return out;
  };
  const bool rows_move = operand.row.names == FigureAxis::Names::token && operand.picked_rows.empty(),
             cols_move = operand.col.names == FigureAxis::Names::token && operand.picked_cols.empty();
  const Alignment row_map = rows_move ? partners(operand.row) : Alignment(),
                  col_map = cols_move ? partners(operand.col) : Alignment();
  const bool same = (!rows_move || row_map.identity()) && (!cols_move || col_map.identity());
  if (same && own->shape != other->shape) return {};
  const Tensor values = operand_values(now, operand, rows, cols);
  const Tensor before =
      aligned_plane(rows_move ? &row_map : nullptr, rows, cols_move ? &col_map : nullptr, cols, 0.f,
                    [&](Range r, Range c) { return operand_values(old, operand, r, c); });
  if (values.empty() || before.empty()) return {};
  shifted |= !same;
  std::vector<float> cells = difference(values, before).values();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const bool known = (!rows_move || row_map.matches(rows.begin + at / cols.size())) &&
                       (!cols_move || col_map.matches(cols.begin + at % cols.size()));
    if (!known) cells[i] = kMasked;
  }
  return Tensor::from(std::move(cells), {{Axis::none, rows.size()}, {Axis::none, cols.size()}});
}

std::vector<std::int64_t> source_index(const Trace& trace, const Operand& operand, std::int64_t row,
                                       std::int64_t col) {
  row = picked(operand.picked_rows, row);
  col = picked(operand.picked_cols, col);
  if (operand.transposed) std::swap(row, col);
  if (operand.is_weight()) {
    if (trace.weights().get(operand.weight).rank() == 1) return {col};
    return {row, col};
  }
  std::vector<std::int64_t> index{row, col};
  const Record* record = trace.find(operand.site);
  for (std::size_t d = 0; record && d < record->axes.size(); ++d)
    if (record->axes[d] == Axis::head)
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(d), operand.head);
  return index;
}

std::optional<Spot> spot_of(const Trace& trace, const Operand& operand, const Source& source) {
  if (operand.part) return std::nullopt;
  std::vector<std::int64_t> index = source.index;
  if (operand.is_weight()) {
    if (!source.is_weight || source.name != operand.weight) return std::nullopt;
    if (index.size() == 1) index.insert(index.begin(), 0);
  } else {
    if (source.is_weight || source.site != operand.site) return std::nullopt;
    const Record* record = trace.find(operand.site);
    for (std::size_t d = 0; record && d < record->axes.size(); ++d) {
      if (record->axes[d] != Axis::head) continue;
      if (index[d] != operand.head) return std::nullopt;
      index.erase(index.begin() + static_cast<std::ptrdiff_t>(d));
      break;
    }
  }
  if (index.size() != 2) return std::nullopt;
  if (operand.transposed) std::swap(index[0], index[1]);
  const Spot spot{unpicked(operand.picked_rows, index[0]), unpicked(operand.picked_cols, index[1])};
  if (spot.row < 0 || spot.col < 0 || spot.row >= operand.row.size || spot.col >= operand.col.size)
    return std::nullopt;
  return spot;
}

}  // namespace attnscope
