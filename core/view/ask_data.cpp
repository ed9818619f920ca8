// Ask over a data set as a figure: mean, standard error and count of every place, from the answer that the
// window has.
#include "core/view/ask_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/session/asked_sweep.h"
#include "core/session/prompt_list.h"

namespace attnscope {
namespace {

// Rows are steps (and their heads, where positions are the columns), columns the last axis.
struct PlaceGrid {
  std::vector<std::string> rows, cols;
  std::vector<std::pair<std::size_t, std::size_t>> at;  ///< of each place

  explicit PlaceGrid(const std::vector<DataCell>& cells) {
    const auto index = [](std::vector<std::string>& names, const std::string& name) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
      names.push_back(name);
      return names.size() - 1;
    };
    for (const DataCell& cell : cells) {
      std::vector<AxisRange> front = cell.at;
      if (!front.empty()) front.pop_back();
      const std::string col = cell.at.empty() ? "" : cell.at.back().axis + " " + to_text(cell.at.back());
      at.emplace_back(index(rows, cell.step + to_text(front)), index(cols, col));
    }
  }
};

figure::MatrixMark place_matrix(const PlaceGrid& grid, const std::vector<DataCell>& cells,
                                figure::Scale scale, double (*number)(const DataCell&)) {
  figure::MatrixMark out;
  out.scale = scale, out.most = 1e-9;
  std::vector<float> values(grid.rows.size() * grid.cols.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double value = number(cells[i]);
    values[grid.at[i].first * grid.cols.size() + grid.at[i].second] = static_cast<float>(value);
    if (std::isfinite(value)) out.most = std::max(out.most, std::abs(value));
  }
  out.values = Tensor::from(std::move(values),
                            {{Axis::none, std::ssize(grid.rows)}, {Axis::none, std::ssize(grid.cols)}});
  for (const std::string& row : grid.rows) out.rows.labels.emplace_back(row);
  for (const std::string& col : grid.cols) out.cols.labels.emplace_back(col);
  return out;
}

}  // namespace

Result<ViewDrawing> draw_asked_data(const SweepAnswer& answer) {
  using figure::Scale;
  const std::vector<DataCell>& cells = answer.data->cells();
  const PlaceGrid grid(cells);
  const auto moved = [](const DataCell& cell) {
    const double by = std::abs(cell.change.mean());
    return std::isnan(by) ? -1 : by;
  };
  const DataCell& most = *std::max_element(
      cells.begin(), cells.end(), [&](const DataCell& a, const DataCell& b) { return moved(a) < moved(b); });
  const auto number = [](double value) { return format("%.2f", value); };
  using From = DataKnockout::From;
  const DataKnockout& how = answer.request.data->question.how;
  const char* became = how.from == From::itself     ? "figure.ask.data.how.zero"
                       : how.from == From::resample ? "figure.ask.data.how.resample"
                       : how.from == From::mean     ? "figure.ask.data.how.mean"
                                                    : "figure.ask.data.how.mean_by_pos";
  const std::vector<Text> said{answer.prompts_done(),
                               answer.prompts(),
                               data_name(answer.request.data->prompts->choice),
                               most.step + to_text(most.at),
                               answer.request.data->question.measure,
                               number(answer.base()),
                               number(most.value.mean()),
                               Text::of(became)};
  const auto part = [&](const char* id, figure::MatrixMark mark, int priority) {
    const std::string key = std::string("figure.ask.data.") + id;
    return figure::leaf({id, std::move(mark), priority, {Text::of(key, said), Text::of(key + ".short")}, ""});
  };
  ViewDrawing out{{Text::of("figure.ask.data.question")},
                  {Text::of("figure.ask.data.said", said), Text::of("figure.ask.data.said.short", said)},
                  part("change",
                       place_matrix(grid, cells, Scale::diverging,
                                    [](const DataCell& cell) { return cell.change.mean(); }),
                       3)};
  figure::MatrixMark counts = place_matrix(
      grid, cells, Scale::share, [](const DataCell& cell) { return static_cast<double>(cell.value.n()); });
  counts.digits = 0;
  out.below =
      figure::column({part("mean",
                           place_matrix(grid, cells, Scale::diverging,
                                        [](const DataCell& cell) { return cell.value.mean(); }),
                           2),
                      part("stderr",
                           place_matrix(grid, cells, Scale::share,
                                        [](const DataCell& cell) { return cell.value.standard_error(); }),
                           2),
                      part("n", std::move(counts), 1)});
  return out;
}

}  // namespace attnscope
