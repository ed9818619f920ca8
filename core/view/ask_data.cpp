// Ask over a data set as a figure: mean, standard error and count of every place, from the answer that the
// window has.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/session/asked_sweep.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_figures.h"

namespace attnscope {
Result<ViewDrawing> draw_asked_data(const SweepAnswer& answer) {
  using figure::Scale;
  const std::vector<DataCell>& cells = answer.data->cells();
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
  const auto matrix = [&](Scale scale, double (*of)(const DataCell&)) {
    std::vector<double> values;
    for (const DataCell& cell : cells) values.push_back(of(cell));
    return place_matrix(answer.places, values, scale);
  };
  const auto part = [&](const char* id, figure::MatrixMark mark, int priority) {
    const std::string key = std::string("figure.ask.data.") + id;
    return figure::leaf({id, std::move(mark), priority, {Text::of(key, said), Text::of(key + ".short")}, ""});
  };
  ViewDrawing out{
      {Text::of("figure.ask.data.question")},
      {Text::of("figure.ask.data.said", said), Text::of("figure.ask.data.said.short", said)},
      part("change", matrix(Scale::diverging, [](const DataCell& cell) { return cell.change.mean(); }), 3)};
  figure::MatrixMark counts =
      matrix(Scale::share, [](const DataCell& cell) { return static_cast<double>(cell.value.n()); });
  counts.digits = 0;
  for (figure::MatrixMark::Row& row : counts.own_rows) row.digits = 0;
  out.below = figure::column(
      {part("mean", matrix(Scale::diverging, [](const DataCell& cell) { return cell.value.mean(); }), 2),
       part("stderr", matrix(Scale::share, [](const DataCell& cell) { return cell.value.standard_error(); }),
            2),
       part("n", std::move(counts), 1)});
  return out;
}

}  // namespace attnscope
