// What do words mean to it? The words whose vectors point most like that of the looked-at token.
#include <algorithm>

#include "core/lens/vectors.h"
#include "core/session/document.h"
#include "core/step/place.h"
#include "core/view/steps_parts.h"

namespace attnscope {
namespace {

constexpr double kAlike = 0.1;  // cosines below it say that nothing is alike

// `name`: of a row of the table.
template <class Name>
figure::TableMark near_table(const Tensor& table, const Tensor& vector, int id, std::size_t most,
                             const Name& name) {
  figure::TableMark out;
  out.card = figure::TableMark::Card::plain, out.leads = true;
  for (const NearRow& one : nearest_rows(table, vector, most, id))
    out.rows.push_back({{name(static_cast<int>(one.row)), Text(figure::number_text(one.cosine, 2))},
                        one.cosine,
                        {},
                        out.rows.empty()});
  return out;
}

// The word that it says next, where what it says are words of that table, and another one than `id`.
std::optional<int> said_word(const ViewState& state, const Tensor& table, int id) {
  const Tensor logits = state.run->logits_row(answer_row(state));
  if (logits.empty() || !state.run->config().predicts_next() || logits.count() != table.size(0))
    return std::nullopt;
  const int said = next_tokens(logits, Sampling{}).front().id;
  return said == id ? std::nullopt : std::optional<int>(said);
}

Result<ViewDrawing> draw_embedding(const ViewState& state) {
  const Tensor table = token_table(*state.run, state.place.stack);
  const std::vector<int>& ids = state.run->ids_of(state.place.stack);
  if (table.empty()) return fail(Code::not_found, "error.view.no_word_table");
  const int id = state.row < std::ssize(ids) ? ids[static_cast<std::size_t>(state.row)] : -1;
  if (id < 0 || id >= table.size(0) || id == state.run->config().image_token)
    return fail(Code::not_found, "error.view.no_word_here");
  Tensor vector = embedding_sum(*state.run, state.place.stack, state.row).token;
  if (vector.empty()) vector = table.select(0, id);
  const std::size_t most = state.level == Level::easy ? 8 : 15;
  const auto label = [&](int one) { return Text(token_label(*state.opened, one)); };
  const auto next = said_word(state, table, id);
  figure::TableMark near = near_table(table, vector, id, most, label);
  near.wide = !next;  // alone beside the answer
  const Text name = token_label(*state.opened, id);
  std::vector<Text> said{Text::of("figure.embedding.nowhere", {name})};
  if (!near.rows.empty() && *near.rows[0].bar < kAlike)
    said = {Text::of("figure.embedding.alone", {name, near.rows[0].cells[0], near.rows[0].cells[1]})};
  else if (!near.rows.empty())
    said = {Text::of("figure.embedding.sentence", {name, near.rows[0].cells[0], near.rows[0].cells[1]}),
            Text::of("figure.embedding.short", {name, near.rows[0].cells[0], near.rows[0].cells[1]})};
  std::vector<figure::PartBox> tables{figure::leaf(
      {"near",
       near,
       3,
       {Text::of("figure.embedding.near", {name}), Text::of("figure.embedding.near.short", {name})},
       ""})};
  if (next) {
    const auto output = [&](int one) { return answer_name(state, answer_row(state), one); };  // as it is said
    const Text word = output(*next);
    tables.push_back(figure::leaf(
        {"said",
         near_table(table, table.select(0, *next), *next, most, output),
         1,
         {Text::of("figure.embedding.said", {word}), Text::of("figure.embedding.near.short", {word})},
         ""}));
  }
  const std::string place = to_text(site_of(StepRole::words, -1, state.place.stack)) +
                            to_text(std::vector<AxisRange>{{"pos", state.row}});
  return ViewDrawing{{Text::of("figure.embedding.question")},
                     said,
                     figure::either(std::move(tables)),
                     numbers_leaf("numbers", {{name, floats_of(vector), place}},
                                  {Text::of("figure.embedding.numbers", {name, vector.count()}),
                                   Text::of("figure.embedding.numbers.short", {name})},
                                  1)};
}

}  // namespace

ViewSpec view_embedding() { return {"embedding", 40, true, true, draw_embedding}; }

}  // namespace attnscope
