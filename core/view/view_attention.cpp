// Where does it look? One head's pattern, the row that is looked at drawn large, and the answer.
#include "core/view/view.h"

namespace attnscope {
namespace {

using figure::PartBox, figure::WordsMark;

// The largest weight of the row, or that there is none.
PartBox attention_sentence(const ViewState& state, const figure::MatrixMark& row) {
  const int key = row.order.front();
  const auto weight = static_cast<double>(row.values.at(0, key));
  const Text& query = row.rows.labels.front();
  if (!(weight > 0)) {
    return figure::words("sentence", WordsMark::As::sentence, {Text::of("figure.attention.nowhere", {query})},
                         2);
  }
  const Text& name = row.cols.labels[static_cast<std::size_t>(key)];
  const Text number = figure::number_text(weight, 2);
  return figure::words("sentence", WordsMark::As::sentence,
                       {Text::of("figure.attention.sentence", {query, name, number, state.layer, state.head}),
                        Text::of("figure.attention.short", {query, name, number})},
                       2);
}

Result<figure::Figure> draw_attention(const ViewState& state) {
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
  if (const auto answer = answer_table(state, state.row, 5);
      answer && state.place.part == Part::attn && state.place.stack == state.run->config().stack)
    planes.push_back(figure::leaf(
        {"answer", *answer, 2, {Text::of("figure.answer"), Text::of("figure.answer.short")}, ""}));
  return figure::Figure{
      Text::of("figure.attention.question"),
      figure::column(
          {figure::words("question", WordsMark::As::title, {Text::of("figure.attention.question")}, 2),
           attention_sentence(state, row), figure::either(std::move(planes)),
           figure::leaf({"row", row, 3, {Text::of("figure.row", {row.rows.labels.front()})}, ""})})};
}

}  // namespace

ViewSpec view_attention() { return {"attention", 10, true, draw_attention}; }

}  // namespace attnscope
