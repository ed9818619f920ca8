// What the cache keeps: the rows of keys and values are those that attention reads in the run.
#include <map>
#include <tuple>

#include "core/arch/scene.h"
#include "core/base/words.h"
#include "core/figure/place.h"
#include "core/view/steps_parts.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

TEST(ViewKv, KeysAndValuesAreThoseThatAttentionReads) {
  int drawn = 0;
  for_every_row([&](ViewState state, const std::string& where) {
    if (!looks_at_itself(state.place)) return;
    const auto figure = draw_view(**find_view("kv"), state);
    ASSERT_EQ(figure.ok(), state.run->config().predicts_next()) << where;
    if (!figure) return;
    ++drawn;
    const AttentionState* attention = state.run->attention(state.place.pattern(state.layer));
    ASSERT_TRUE(attention);
    const auto expect_rows = [&](const char* id, const Tensor& kept) {
      const auto& mark = mark_of<figure::MatrixMark>(*figure, id);
      ASSERT_EQ(mark.values.size(0), state.row + 1) << where;
      const std::int64_t head = state.head * kept.size(0) / attention->in.q.size(0);
      for (std::int64_t row = 0; row <= state.row; ++row)
        for (std::int64_t col = 0; col < kept.size(2); ++col)
          EXPECT_EQ(mark.values.at(row, col), kept.at(head, row, col)) << where << " " << id;
    };
    expect_rows("keys", attention->in.k);
    expect_rows("values", attention->in.v);
    const auto& work = mark_of<figure::TableMark>(*figure, "work");
    EXPECT_EQ(*work.rows[0].bar, 1);
    EXPECT_EQ(*work.rows[1].bar, static_cast<double>(state.row + 1));
    const std::vector<std::string> said = sentence_of(*figure);
    EXPECT_EQ(said[1], std::to_string(attention->in.k.size(2) + attention->in.v.size(2))) << where;
    EXPECT_EQ(sentence_key(*figure), state.row == 0   ? "figure.kv.first"
                                     : state.row == 1 ? "figure.kv.sentence.one"
                                                      : "figure.kv.sentence");
  });
  EXPECT_GT(drawn, 100);
}

// Over the whole width of the figure: no number of the new row is left to colours.
TEST(ViewKv, EveryNumberOfTheNewRowHasDigits) {
  struct Room {
    float width, height;
    const figure::LetterSizes& letters;
  };
  for (const std::string name : {"model:storyteller", "model:storyteller-llama", "model:pilot"})
    for (const Room& room :
         {Room{1260, 480, figure::kWindowLetters}, Room{1280, 720, figure::kPresenterLetters}}) {
      const Opened of = opened(name);
      ViewState state = first_state(*of.model, of.run);
      state.level = Level::easy;
      const auto figure = draw_view(**find_view("kv"), state);
      ASSERT_TRUE(figure) << name;
      const figure::Placed placed =
          figure::place(*figure, room.width, room.height, room.letters, figure::Measure());
      EXPECT_TRUE(placed.overflows.empty()) << name;
      std::map<std::string, figure::PlacedPart> parts;
      for (const figure::PlacedPart& part : placed.parts) parts[part.part->id] = part;
      EXPECT_EQ(parts["row"].columns.size(), 16u) << name;
      EXPECT_GE(parts["row"].digit, room.letters.looked) << name;
      EXPECT_EQ(parts["keys"].box.y, parts["values"].box.y) << name << ": side by side";
      EXPECT_EQ(parts["work"].box.x, parts["answer"].box.x) << name << ": below the answer";
    }
}

// Where heads share keys and values, their planes are not called those of one head.
TEST(ViewKv, SaysWhichHeadsShareKeysAndValues) {
  for (const auto& [name, head, shared] :
       {std::tuple("model:storyteller", 3, false), std::tuple("model:storyteller-llama", 1, true),
        std::tuple("model:storyteller-llama", 2, true)}) {
    const Opened of = opened(name);
    ViewState state = first_state(*of.model, of.run);
    state.layer = 1, state.head = head;
    const figure::Figure figure = *draw_view(**find_view("kv"), state);
    const Text& title = find_part(figure, "keys")->title.front();
    EXPECT_EQ(title.key(), shared ? "figure.kv.keys.shared" : "figure.kv.keys");
    const std::vector<std::string> said = in_words(title.arguments());
    if (!shared) continue;
    EXPECT_EQ(said[9] + said[10], head < 2 ? "01" : "23") << head;
  }
}

// Beside each other, the columns of the looked-at row say what they are: numbers of a value.
TEST(ViewKv, ComparedColumnsSayWhatTheyAre) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.0.attn.z[head=1]=0"));
  state.before = of.run, state.compare = true;
  const auto figure = draw_view(**find_view("kv"), state);
  ASSERT_TRUE(figure) << figure.error().sentence();
  const figure::Names& cols = mark_of<figure::MatrixMark>(*figure, "row").cols;
  ASSERT_EQ(std::ssize(cols.labels), state.run->config().blocks[0].attention.d_head);
  EXPECT_EQ(cols.labels[3].str(), "v[3]");
  EXPECT_FALSE(mark_of<figure::MatrixMark>(*figure, "a").cols.shown);
}

// Where a decoder's cross-attention is looked at: the source is no text of its own, what it wrote is.
TEST(ViewKv, BesideCrossAttentionItIsThatOfTheDecodersOwnTokens) {
  const Opened of = opened("model:translator");
  ViewState state = first_state(*of.model, of.run);
  state.place = {state.run->config().stack, Part::attn};
  const auto own = draw_view(**find_view("kv"), state);
  ASSERT_TRUE(own) << own.error().sentence();
  state.place.part = Part::cross;
  const auto beside = draw_view(**find_view("kv"), state);
  ASSERT_TRUE(beside) << beside.error().sentence();
  EXPECT_EQ(mark_of<figure::MatrixMark>(*beside, "keys").values.values(),
            mark_of<figure::MatrixMark>(*own, "keys").values.values());
  state.place = {Stack::enc, Part::attn};
  state.row = 0;
  EXPECT_FALSE(draw_view(**find_view("kv"), state));
}

// Of a window the rows behind it are kept, and not read.
TEST(ViewKv, SaysHowManyOfTheKeptNumbersAWindowReads) {
  const char* const kConfig = R"({"format": "attnscope-scene", "version": 1, "title": "toy", "seed": 5,
    "config": {"d_model": 8, "vocab_size": 6, "attention": {"n_heads": 2, "n_kv_heads": 2, "d_head": 4, "window": 3},
      "head": {"present": true, "tied": true}}, "inputs": [{"ids": [0, 1, 2, 3, 4, 5]}]})";
  const auto scene = scene_from_text(kConfig, "toy");
  ASSERT_TRUE(scene) << scene.error().text();
  OpenedModel model;
  model.model = scene->model;
  ViewState state = first_state(model, *model.model->run(scene->inputs[0]));
  for (state.row = 1; state.row < 6; ++state.row) {
    const auto figure = draw_view(**find_view("kv"), state);
    ASSERT_TRUE(figure) << figure.error().text();
    ASSERT_EQ(sentence_key(*figure), state.row == 1  ? "figure.kv.sentence.one"
                                     : state.row < 3 ? "figure.kv.sentence"
                                                     : "figure.kv.hidden");
    const std::vector<std::string> said = sentence_of(*figure);
    EXPECT_EQ(said[3], std::to_string(state.row * 8));
    EXPECT_EQ(said[7], std::to_string(std::min<std::int64_t>(state.row, 2) * 8));
  }
}

// The keys and values of a token do not change when another one follows: what makes the cache possible.
TEST(ViewKv, WhatIsKeptStaysAsItWasWhenTheTextGrows) {
  const Opened of = opened("model:storyteller");
  Document document = new_document(of.model);
  ASSERT_TRUE(insert_token(document, 0, document.sequences[0].input.ids.size(), 13));
  const auto longer = run_all(document, {}, {});
  ASSERT_TRUE(longer);
  ViewState state = first_state(*of.model, of.run), after = first_state(*of.model, longer->front());
  after.row = state.row;
  const auto one = draw_view(**find_view("kv"), state), two = draw_view(**find_view("kv"), after);
  ASSERT_TRUE(one && two);
  for (const char* id : {"keys", "values"})
    EXPECT_EQ(mark_of<figure::MatrixMark>(*one, id).values.values(),
              mark_of<figure::MatrixMark>(*two, id).values.values());
}

}  // namespace
}  // namespace attnscope
