// What will it say? The likeliest outputs of one row with their probabilities.
#include "core/session/document.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

Result<ViewDrawing> draw_output(const ViewState& state) {
  TRY(const figure::TableMark answer,
      answer_table(state, answer_row(state), state.level == Level::easy ? 5 : 15));
  const Text after = row_label(*state.opened, *state.run, state.run->config().stack, answer_row(state));
  const std::vector<Text>& first = answer.rows.front().cells;
  return ViewDrawing{
      {Text::of("figure.output.question")},
      {Text::of("figure.output.sentence", {after, first[0], first[1]}),
       Text::of("figure.output.short", {first[0], first[1]})},
      figure::leaf({"answer", answer, 3, {Text::of("figure.answer"), Text::of("figure.answer.short")}, ""})};
}

}  // namespace

ViewSpec view_output() { return {"output", 30, true, false, draw_output}; }

}  // namespace attnscope
