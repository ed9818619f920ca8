// What do words mean to it? The words whose vectors point most like that of the looked-at token.
#include <algorithm>

#include "core/lens/vectors.h"
#include "core/step/place.h"
#include "core/view/view.h"

namespace attnscope {
namespace {

constexpr double kAlike = 0.1;  // cosines below it say that nothing is alike

Result<ViewDrawing> draw_embedding(const ViewState& state) {
  const Tensor table = token_table(*state.run, state.place.stack);
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  if (table.empty()) return fail(Code::not_found, "error.view.no_word_table");
  const int id = state.row < std::ssize(ids) ? ids[static_cast<std::size_t>(state.row)] : -1;
  if (id < 0 || id >= table.size(0) || id == state.run->config().image_token)
    return fail(Code::not_found, "error.view.no_word_here");
  Tensor vector = embedding_sum(*state.run, state.place.stack, state.row).token;
  if (vector.empty()) vector = table.select(0, id);
  figure::TableMark near;
  near.card = figure::TableMark::Card::plain, near.leads = true;
  for (const NearRow& one : nearest_rows(table, vector, state.level == Level::easy ? 8 : 15, id))
    near.rows.push_back({{Text(token_label(*state.opened, static_cast<int>(one.row))),
                          Text(figure::number_text(one.cosine, 2))},
                         one.cosine,
                         {},
                         near.rows.empty()});
  figure::MatrixMark numbers = numbers_mark(vector);
  numbers.of = to_text(site_of(StepRole::words, -1, state.place.stack)) +
               to_text(std::vector<AxisRange>{{"pos", state.row}});
  const Text name = token_label(*state.opened, id);
  std::vector<Text> said{Text::of("figure.embedding.nowhere", {name})};
  if (!near.rows.empty() && *near.rows[0].bar < kAlike)
    said = {Text::of("figure.embedding.alone", {name, near.rows[0].cells[0], near.rows[0].cells[1]})};
  else if (!near.rows.empty())
    said = {Text::of("figure.embedding.sentence", {name, near.rows[0].cells[0], near.rows[0].cells[1]}),
            Text::of("figure.embedding.short", {name, near.rows[0].cells[0], near.rows[0].cells[1]})};
  return ViewDrawing{
      {Text::of("figure.embedding.question")},
      said,
      figure::leaf({"near",
                    near,
                    3,
                    {Text::of("figure.embedding.near", {name}), Text::of("figure.embedding.near.short")},
                    ""}),
      figure::leaf({"numbers",
                    std::move(numbers),
                    1,
                    {Text::of("figure.embedding.numbers", {name, vector.count()}),
                     Text::of("figure.embedding.numbers.short", {name})},
                    ""})};
}

}  // namespace

ViewSpec view_embedding() { return {"embedding", 40, true, true, draw_embedding}; }

}  // namespace attnscope
