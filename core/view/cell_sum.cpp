#include "core/view/cell_sum.h"

#include <algorithm>
#include <cmath>

#include "core/base/words.h"
#include "core/step/catalog.h"
#include "core/trace/provenance.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::MatrixMark, figure::number_text;

// "0.33 + 0.09" and "0.33 − 0.09".
std::string added(const std::vector<std::string>& terms) {
  static const std::string minus = "−";
  std::string out;
  for (const std::string& term : terms) {
    const bool negative = term.starts_with(minus);
    if (out.empty())
      out = term;
    else
      out += negative ? " " + minus + " " + term.substr(minus.size()) : " + " + term;
  }
  return out;
}

std::string sum_of_column(const MatrixMark& matrix, std::int64_t row, std::int64_t col) {
  const auto number = [&](std::int64_t at) {
    return number_text(static_cast<double>(matrix.values.at(at, col)), matrix.row(at).digits);
  };
  switch (matrix.made) {
    case MatrixMark::Made::product:
      return row < 2 ? std::string()
                     : tr("figure.steps.cell.product", {number(row - 2), number(row - 1), number(row)});
    case MatrixMark::Made::softmax: return tr("figure.steps.cell.softmax", {number(row - 1), number(row)});
    case MatrixMark::Made::sum: {
      std::vector<std::string> terms;
      for (std::int64_t at = 0; at < row; ++at) terms.push_back(number(at));
      return added(terms) + " = " + number(row);
    }
    case MatrixMark::Made::none: break;
  }
  return {};
}

// One addend: its factors.
std::string said_term(const Term& term, int digits) {
  std::string out;
  for (const Source& factor : term.factors)
    out += (out.empty() ? "" : " × ") + number_text(factor.value, digits);
  return out;
}

std::string explained(const Trace& run, const Cell& cell, int digits, SumLength length) {
  const Record* record = run.find(cell.site);
  std::vector<std::int64_t> index;
  for (const AxisRange& at : cell.at) index.push_back(at.begin);
  const auto why = record ? explain(run, cell.site, index) : Result<Explanation>(Error{});
  if (!why || why->edited || why->terms.empty()) return {};
  if (why->rule != Rule::dot && why->rule != Rule::sum && why->rule != Rule::product) return {};
  std::vector<Term> terms = why->terms;
  const std::size_t count = terms.size();
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return std::abs(a.value) > std::abs(b.value); });
  terms.resize(std::min(count, length.most));
  std::vector<std::string> said;
  for (const Term& term : terms) said.push_back(said_term(term, digits));
  if (count > length.most)
    said.push_back(length.counted ? tr("figure.steps.cell.more", {std::to_string(count)}) : "…");
  return added(said) + " = " + number_text(why->recorded, digits);
}

}  // namespace

std::string cell_sum(const Trace& run, const MatrixMark& matrix, std::int64_t row, std::int64_t col,
                     SumLength length) {
  if (row < 0 || col < 0 || row >= matrix.values.size(0) || col >= matrix.values.size(1)) return {};
  if (!std::isfinite(matrix.values.at(row, col))) return {};
  if (row > 0 && row + 1 == matrix.values.size(0) && matrix.made != MatrixMark::Made::none)
    return sum_of_column(matrix, row, col);
  const auto cell = cell_of(run, matrix, row, col);
  return cell ? explained(run, *cell, matrix.row(row).digits, length) : std::string();
}

}  // namespace attnscope
