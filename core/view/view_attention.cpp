// Where does it look? One head's pattern, the row that is looked at drawn large, and the answer.
#include <algorithm>
#include <cmath>

#include "core/lens/attention_row.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox;

constexpr double kAddsUp = 0.01;  // how far from 1 the weights of a row may add up

// Where the row has its largest weight; or that there is none, that several are alike, or that an edit left
// weights that do not add up to 1.
std::vector<Text> attention_sentence(const ViewState& state, const figure::MatrixMark& row) {
  const auto weight_of = [&](int key) { return static_cast<double>(row.values.at(0, key)); };
  const int key = row.order.front();
  const double weight = weight_of(key);
  const Text query = row.rows.labels.front();
  const auto name_of = [&](int at) { return row.cols.labels[static_cast<std::size_t>(at)]; };
  if (std::isnan(weight)) {
    const auto numbers =
        std::find_if(row.order.begin(), row.order.end(), [&](int at) { return !std::isnan(weight_of(at)); });
    return {Text::of("figure.attention.nan",
                     {query, numbers - row.order.begin(), name_of(key), state.layer, state.head})};
  }
  if (!(weight > 0)) return {Text::of("figure.attention.nowhere", {query})};
  const std::string number = figure::number_text(weight, weight < 0.01 ? 4 : 2);
  double sum = 0;
  std::int64_t alike = 0;
  for (const int at : row.order) {
    if (const double one = weight_of(at); one > 0) sum += one;
    alike += figure::number_text(weight_of(at), weight < 0.01 ? 4 : 2) == number ? 1 : 0;
  }
  const std::vector<Text> said{query,      name_of(key),
                               number,     state.layer,
                               state.head, name_of(row.order[alike > 1 ? 1 : 0]),
                               alike,      figure::number_text(sum, 2)};
  const std::string start = "figure.attention.";
  const auto terms = attention_row(*state.run, state.place.pattern(state.layer), state.head, state.row);
  if (terms && terms->edited && std::abs(sum - 1) > kAddsUp)
    return {Text::of(start + "edited", said), Text::of(start + "short", said)};
  if (alike == 1) return {Text::of(start + "sentence", said), Text::of(start + "short", said)};
  const std::string kind = start + (alike == 2 ? "two" : "alike");
  return {Text::of(kind, said), Text::of(kind + ".short", said)};
}

Result<ViewDrawing> draw_attention(const ViewState& state) {
  const Record* record = state.run->find(state.place.pattern(state.layer));
  if (!record) return fail(Code::not_found, "error.view.no_attention");
  const figure::MatrixMark pattern = attention_matrix(state, slot_of(StepRole::pattern));
  const figure::MatrixMark row = attention_row_matrix(state, pattern);
  std::vector<PartBox> planes;
  if (state.level == Level::full && state.run->find(state.place.site(StepRole::scores, state.layer)))
    planes.push_back(figure::leaf({"scores",
                                   attention_matrix(state, slot_of(StepRole::scores)),
                                   1,
                                   {Text::of("figure.scores"), Text::of("figure.scores.short")},
                                   "planes"}));
  planes.push_back(figure::leaf(
      {"pattern", pattern, 2, {Text::of("figure.pattern"), Text::of("figure.pattern.short")}, "planes"}));
  return ViewDrawing{{Text::of("figure.attention.question")},
                     attention_sentence(state, row),
                     figure::either(std::move(planes)),
                     figure::leaf({"row", row, 3, {Text::of("figure.row", {row.rows.labels.front()})}, ""})};
}

}  // namespace

ViewSpec view_attention() {
  return {"attention", 10, true, true, draw_attention, true, nullptr, false, nullptr, true};
}

}  // namespace attnscope
