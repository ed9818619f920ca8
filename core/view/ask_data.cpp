// Ask over a data set as a figure: mean, standard error and count of every place, from the answer that the
// window has.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/session/asked_sweep.h"
#include "core/session/prompt_list.h"
#include "core/view/ask_figures.h"

namespace attnscope {
namespace {

// What knocked-out places become.
const char* became(const DataKnockout& how) {
  using From = DataKnockout::From;
  return how.from == From::itself     ? "figure.ask.data.how.zero"
         : how.from == From::resample ? "figure.ask.data.how.resample"
         : how.from == From::mean     ? "figure.ask.data.how.mean"
                                      : "figure.ask.data.how.mean_by_pos";
}

}  // namespace

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
  const DataQuestion& asked = answer.request.data->question;
  const std::vector<Text> said{answer.prompts_done(),
                               answer.prompts(),
                               data_name(answer.request.data->prompts->choice),
                               cell_text(answer.places[static_cast<std::size_t>(&most - cells.data())]),
                               answer.request.data->question.measure,
                               number(answer.base()),
                               number(most.value.mean()),
                               Text::of(became(asked.how)),
                               number(answer.clean()),
                               number(answer.corrupt())};
  const std::string kind = asked.path                          ? ".path"
                           : asked.patch == PatchInto::none    ? ""
                           : asked.patch == PatchInto::corrupt ? ".patch"
                                                               : ".patch.back";
  const auto matrix = [&](Scale scale, double (*of)(const DataCell&)) {
    std::vector<double> values;
    for (const DataCell& cell : cells) values.push_back(of(cell));
    return place_matrix(answer.places, values, scale);
  };
  const auto part = [&](const char* id, figure::MatrixMark mark, int priority) {
    const std::string key = std::string("figure.ask.data.") + id;
    const std::string title = id == std::string_view("change") ? key + kind : key;
    return figure::leaf(
        {id, std::move(mark), priority, {Text::of(title, said), Text::of(key + ".short")}, ""});
  };
  ViewDrawing out{
      {Text::of(asked.path ? "figure.ask.data.question.path" : "figure.ask.data.question")},
      {Text::of("figure.ask.data.said" + kind, said), Text::of("figure.ask.data.said.short", said)},
      part("change", matrix(Scale::diverging, [](const DataCell& cell) { return cell.change.mean(); }), 3)};
  figure::MatrixMark counts =
      matrix(Scale::share, [](const DataCell& cell) { return static_cast<double>(cell.value.n()); });
  counts.digits = 0;
  for (figure::MatrixMark::Row& row : counts.own_rows) row.digits = 0;
  std::vector<figure::PartBox> below;
  if (answer.can_normalise()) {
    std::vector<double> scaled;
    for (std::size_t i = 0; i < cells.size(); ++i) scaled.push_back(answer.normalised(i));
    below.push_back(part("normalised", place_matrix(answer.places, scaled, Scale::diverging), 2));
  }
  below.push_back(
      part("mean", matrix(Scale::diverging, [](const DataCell& cell) { return cell.value.mean(); }), 2));
  below.push_back(part(
      "stderr", matrix(Scale::share, [](const DataCell& cell) { return cell.value.standard_error(); }), 2));
  below.push_back(part("n", std::move(counts), 1));
  out.below = figure::column(std::move(below));
  return out;
}

}  // namespace attnscope
