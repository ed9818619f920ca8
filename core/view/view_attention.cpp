// Where does it look? One head's pattern, the row that is looked at drawn large, and the answer.
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox;

// The largest weight of the row, or that there is none.
std::vector<Text> attention_sentence(const ViewState& state, const figure::MatrixMark& row) {
  const int key = row.order.front();
  const auto weight = static_cast<double>(row.values.at(0, key));
  const Text& query = row.rows.labels.front();
  if (!(weight > 0)) return {Text::of("figure.attention.nowhere", {query})};
  const Text& name = row.cols.labels[static_cast<std::size_t>(key)];
  const Text number = figure::number_text(weight, 2);
  return {Text::of("figure.attention.sentence", {query, name, number, state.layer, state.head}),
          Text::of("figure.attention.short", {query, name, number})};
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

ViewSpec view_attention() { return {"attention", 10, true, true, draw_attention, true}; }

}  // namespace attnscope
