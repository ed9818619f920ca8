#include "core/trace/step_edits.h"

#include <algorithm>

#include "core/tensor/shape_of.h"

namespace attnscope {
namespace {

// A tensor like these rows of a step, of zeros.
Tensor zeros_like(const Tensor& rows) {
  Buffer out(shape_of(rows));
  std::fill(out.data(), out.data() + out.count(), 0.f);
  return std::move(out).freeze();
}

const std::vector<std::uint8_t>* padding_of(const Trace& trace, const Site& site) {
  const Stack stack = rows_stack(site, Axis::pos);
  return stack == Stack::enc      ? &trace.input.source_attention_mask
         : stack == Stack::vision ? nullptr
                                  : &trace.input.attention_mask;
}

double& cell_of(Matrix64& x, std::int64_t row, std::int64_t col) {
  return x.cells[static_cast<std::size_t>(row * x.cols + col)];
}

}  // namespace

Tensor last_rows(const Trace& trace, const Site& site, std::int64_t count) {
  const Record* record = trace.find(site);
  CHECK(record != nullptr);
  return record->rows.range(record->rows.count() - count, record->rows.count());
}

Matrix64 side_by_side(const Tensor& values) {
  if (values.rank() == 2) return matrix64(values);
  const bool rows_first = is_row_axis(values.axis(0));
  const std::int64_t heads = values.size(rows_first ? 1 : 0), rows = values.size(rows_first ? 0 : 1),
                     d = values.size(2);
  Matrix64 out{rows, heads * d, {}};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t i = 0; i < d; ++i)
        out.cells.push_back(
            static_cast<double>(rows_first ? values.at(row, head, i) : values.at(head, row, i)));
  return out;
}

StepEdits::StepEdits(const Trace& trace, const Site& site, Range rows) {
  for (const auto& edit : trace.edits) {
    const NumberEdit* number = edit->number();
    if (!number || path_from(*number) || number->where.kind != Target::Kind::step ||
        number->where.site != site || !trace.find(site))
      continue;
    const Tensor zeros = zeros_like(last_rows(trace, site, rows.size()));
    const std::vector<std::uint8_t>* padding = padding_of(trace, site);
    const RowFrame frame{rows.begin, padding};
    const auto covered = attnscope::apply({number->where, EditOp::set, 1.f}, zeros, frame);
    if (!covered || !covered->reached) continue;  // the run said what is wrong with it
    One one{number->op, One::Operand::numbers, 0, side_by_side(covered->value), {}, {}};
    if (const auto* from = std::get_if<FromPos>(&number->value)) {
      one.operand = One::Operand::row, one.row = from->pos - rows.begin;
    } else if (std::holds_alternative<MeanOver>(number->value)) {
      one.operand = One::Operand::mean;
      for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const auto at = static_cast<std::size_t>(row);
        one.counted.push_back(!padding || at >= padding->size() || (*padding)[at] != 0);
      }
    } else {
      const auto numbers = attnscope::apply({number->where, EditOp::set, number->value}, zeros, frame);
      if (!numbers) continue;
      one.numbers = side_by_side(numbers->value);
    }
    edits_.push_back(std::move(one));
  }
}

// By column what a mean or a copy of the step's own rows is; nothing of other operands.
std::vector<double> StepEdits::One::of_rows(const Matrix64& x) const {
  if (operand == Operand::numbers) return {};
  std::vector<double> out(static_cast<std::size_t>(x.cols));
  const auto all = static_cast<double>(std::count(counted.begin(), counted.end(), true));
  for (std::int64_t col = 0; col < x.cols; ++col) {
    double sum = 0;
    for (std::int64_t i = 0; operand == Operand::mean && i < x.rows; ++i)
      if (counted[static_cast<std::size_t>(i)]) sum += x.at(i, col) / all;
    out[static_cast<std::size_t>(col)] = operand == Operand::mean ? sum : x.at(row, col);
  }
  return out;
}

double StepEdits::One::at(const std::vector<double>& own, std::int64_t at_row, std::int64_t col) const {
  return own.empty() ? numbers.at(at_row, col) : own[static_cast<std::size_t>(col)];
}

void StepEdits::carry_out(const One& edit, Matrix64& x) {
  const std::vector<double> own = edit.of_rows(x);
  for (std::int64_t row = 0; row < x.rows; ++row)
    for (std::int64_t col = 0; col < x.cols; ++col) {
      if (edit.covered.at(row, col) == 0) continue;
      const double operand = edit.at(own, row, col);
      double& cell = cell_of(x, row, col);
      cell = edit.op == EditOp::set ? operand : edit.op == EditOp::add ? cell + operand : cell * operand;
    }
}

void StepEdits::apply(Matrix64& x) const {
  for (const One& edit : edits_) carry_out(edit, x);
}

void StepEdits::carry(Matrix64 was, Matrix64& change) const {
  for (std::size_t i = 0; i < was.cells.size(); ++i) change.cells[i] += was.cells[i];
  apply(was);
  apply(change);
  for (std::size_t i = 0; i < was.cells.size(); ++i) change.cells[i] -= was.cells[i];
}

// What the operand has of a direction, to the rows that it was made of.
void StepEdits::One::send(std::int64_t col, double part, Matrix64& g) const {
  if (operand == Operand::row) cell_of(g, row, col) += part;
  const auto all = static_cast<double>(std::count(counted.begin(), counted.end(), true));
  for (std::int64_t i = 0; operand == Operand::mean && i < g.rows; ++i)
    if (counted[static_cast<std::size_t>(i)]) cell_of(g, i, col) += part / all;
}

double StepEdits::back(const One& edit, const Matrix64& before, Matrix64& g) {
  const Matrix64 over = g;
  const std::vector<double> own = edit.of_rows(before);
  double numbers = 0;
  std::vector<double> sent(static_cast<std::size_t>(g.cols), 0.0);
  for (std::int64_t row = 0; row < g.rows; ++row)
    for (std::int64_t col = 0; col < g.cols; ++col) {
      const double along = over.at(row, col);
      if (edit.covered.at(row, col) == 0 || along == 0) continue;
      double& cell = cell_of(g, row, col);
      if (edit.op == EditOp::scale) {
        cell = along * edit.at(own, row, col);
        continue;
      }
      if (edit.op == EditOp::set) cell = 0;
      if (own.empty())
        numbers += along * edit.at(own, row, col);
      else
        sent[static_cast<std::size_t>(col)] += along;
    }
  for (std::int64_t col = 0; col < g.cols; ++col)
    if (const double part = sent[static_cast<std::size_t>(col)]; part != 0) edit.send(col, part, g);
  return numbers;
}

double StepEdits::back(const Matrix64& before, Matrix64& g) const {
  std::vector<Matrix64> steps{before};
  for (std::size_t i = 0; i + 1 < edits_.size(); ++i) {
    steps.push_back(steps.back());
    carry_out(edits_[i], steps.back());
  }
  double own = 0;
  for (std::size_t i = edits_.size(); i-- > 0;) own += back(edits_[i], steps[i], g);
  return own;
}

}  // namespace attnscope
