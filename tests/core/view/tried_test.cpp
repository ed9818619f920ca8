// Every thing to try, as every view draws it: numbers that are numbers, and sentences that the run bears out.
#include <cmath>
#include <map>

#include "core/base/assets.h"
#include "core/base/text.h"
#include "core/lens/logit_lens.h"
#include "core/session/try_this.h"
#include "core/view/opening_row.h"
#include "tests/core/view/opened.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;

struct Tried {
  Opened of;
  TryThis thing;
  std::shared_ptr<const Trace> run;
  ViewState state() const {
    ViewState out = first_state(*of.model, run);
    out.level = Level::easy, out.before = of.run;
    const auto place = parse_place(thing.at);
    if (const auto site = place ? parse_site(place->name) : Result<Site>(Error{})) out.layer = site->layer;
    if (const AxisRange* head = place ? range_on(place->at, "head") : nullptr) out.head = head->begin;
    if (thing.row >= 0 && thing.row < run->rows(out.place.stack)) out.row = thing.row;
    return out;
  }
};
void for_every_try(const std::function<void(const Tried&, const std::string& where)>& check) {
  for (const std::string_view path : assets_under("assets/try/")) {
    const std::string name(path.substr(11, path.size() - 11 - 5));
    const bool scene = asset("assets/models/" + name + "/config.json").data() == nullptr;
    const Opened of = opened((scene ? "scene:" : "model:") + name);
    const auto things = things_to_try(*of.model);
    ASSERT_TRUE(things) << name;
    for (const TryThis& thing : *things) {
      const auto changed = try_changed(of.model, thing);
      ASSERT_TRUE(changed) << name << " " << thing.id;
      const auto runs = run_all(*changed, {}, {});
      ASSERT_TRUE(runs) << name << " " << thing.id;
      check({of, thing, runs->front()}, name + " " + thing.id);
    }
  }
}

bool holds_numbers(const figure::Part& part) {
  if (const auto* matrix = std::get_if<figure::MatrixMark>(&part.mark)) {
    for (const float value : matrix->values.values())
      if (std::isnan(value) || (std::isinf(value) && value > 0)) return false;
  }
  if (const auto* table = std::get_if<figure::TableMark>(&part.mark))
    for (const auto& row : table->rows)
      if (row.bar && !std::isfinite(*row.bar)) return false;
  if (const auto* plot = std::get_if<figure::PlotMark>(&part.mark)) {
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const auto& series : plot->series)
      for (const auto& [x, y] : series.points) least = std::min(least, y), most = std::max(most, y);
    if (!(most > least)) return false;  // a chart of one value, or of none
  }
  return true;
}

TEST(ViewTried, NoViewDrawsWhatIsNoNumber) {
  int drawn = 0;
  for_every_try([&](const Tried& tried, const std::string& where) {
    for (const ViewSpec* view : view_specs()) {
      if (!view->model || view->id == "ask" || view->id == "training" || view->id == "circuits") continue;
      ViewState state = tried.state();
      std::vector<std::string> pages = pages_of(*view, state);
      if (pages.empty()) pages.emplace_back();
      for (const std::string& page : pages) {
        state.page = page;
        const auto figure = draw_view(*view, state);
        if (!figure) continue;
        ++drawn;
        for (const figure::Part* part : parts_of(*figure))
          EXPECT_TRUE(holds_numbers(*part)) << where << ": " << view->id << " " << page << " " << part->id;
        EXPECT_EQ(figure::as_text(*figure).find("NaN"), std::string::npos) << where << ": " << view->id;
      }
    }
  });
  EXPECT_GT(drawn, 500);
}

// The sentence of a try names the shares that the runs have, in both languages.
TEST(ViewTried, EverySentenceSaysItsShares) {
  for_every_try([&](const Tried& tried, const std::string& where) {
    const auto outcome = play_try(tried.of.model, tried.thing);
    ASSERT_TRUE(outcome) << where;
    EXPECT_TRUE(outcome->true_claim) << where << ": " << outcome->sentence.str();
    for (const char* language : {"en", "ko"}) {
      ASSERT_TRUE(set_language(language));
      const std::vector<Text> shares = outcome->sentence.arguments();
      for (const std::size_t at : {std::size_t{1}, std::size_t{3}})
        EXPECT_NE(tried.thing.sentence.str().find(shares[at].str()), std::string::npos)
            << where << ": " << tried.thing.sentence.str();
    }
    EXPECT_TRUE(set_language("en"));
  });
}

// Of what ships as a trained model, a try that keeps its answer moves it by ten points, or says that it
// stays.
TEST(ViewTried, NoTryOfATrainedModelMovesTooLittleToShow) {
  for_every_try([&](const Tried& tried, const std::string& where) {
    const TryMove move = tried.thing.move;
    if (!tried.of.model->card || move == TryMove::turns || move == TryMove::stays) return;
    EXPECT_GE(std::abs(tried.thing.share_after - tried.thing.share_before), 0.1) << where;
  });
}

// A mask to try on a model that does not look ahead opens nothing of what comes later.
TEST(ViewTried, NoTryOpensTheFutureUnasked) {
  for_every_try([&](const Tried& tried, const std::string& where) {
    if (tried.thing.masks.empty() || tried.thing.masks.front() == "full") return;
    for (const auto* run : {&tried.of.run, &tried.run}) {
      const ViewState state = first_state(*tried.of.model, *run);
      const figure::MatrixMark pattern = attention_matrix(state, state.place.pattern(state.layer).slot);
      bool ahead = false;
      for (std::int64_t row = 0; row < pattern.values.size(0); ++row)
        for (std::int64_t key = row + 1; key < pattern.values.size(1); ++key)
          ahead = ahead || !std::isinf(pattern.values.at(row, key));
      if (run == &tried.of.run && ahead) return;  // it always did
      EXPECT_FALSE(ahead) << where;
    }
  });
}

TEST(ViewTried, AnMlpThatAddsNothingSaysSo) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.1.mlp.out[pos=13]=0"));
  state.layer = 1;
  const auto figure = draw_view(**find_view("mlp"), state);
  ASSERT_TRUE(figure);
  EXPECT_EQ(sentence_key(*figure), "figure.mlp.nothing");
  for (const auto& row : mark_of<figure::TableMark>(*figure, "neurons").rows) EXPECT_EQ(*row.bar, 0);
  state.run = edited(of, "blocks.1.mlp.out[pos=13]*=0.5");
  const auto half = draw_view(**find_view("mlp"), state);
  ASSERT_TRUE(half);
  EXPECT_EQ(sentence_key(*half), "figure.mlp.edited");
  const std::vector<std::string> said = sentence_of(*half);
  const auto value = [](std::string text) {
    if (text.starts_with("−")) text.replace(0, std::string("−").size(), "-");
    return std::stod(text);
  };
  EXPECT_NEAR(value(said[5]), value(said[7]) / 2, 0.011);
}

TEST(ViewTried, RowsOfPlacesAreCountedAsTheyWereEdited) {
  const Opened of = opened("model:storyteller");
  const auto said = [&](const std::string& edit) {
    return *draw_view(**find_view("position"), first_state(*of.model, edited(of, edit)));
  };
  const figure::Figure none = said("pos_embed=0");
  EXPECT_EQ(sentence_key(none), "figure.position.learned.nothing");
  EXPECT_EQ(figure::find_part(none, "waves"), nullptr);
  const figure::Figure several = said("pos_embed[pos=11-13]=0");
  EXPECT_EQ(sentence_key(several), "figure.position.learned.several");
  EXPECT_EQ(sentence_of(several)[3], "3");
  const figure::Figure others = said("pos_embed[pos=3]=0");
  EXPECT_EQ(sentence_key(others), "figure.position.learned.others");
  EXPECT_EQ(sentence_of(others)[3], "1");
  EXPECT_EQ(sentence_key(said("pos_embed[pos=13]=1")), "figure.position.learned.edited");
}

// The old answer stays on the card, dashed, when it is none of the likeliest any more.
TEST(ViewTried, TheAnswerBeforeAnEditStaysOnTheCard) {
  int kept = 0;
  for_every_try([&](const Tried& tried, const std::string& where) {
    const ViewState state = tried.state();
    const std::int64_t row = answer_row(state);
    const Tensor logits = tried.of.run->logits_row(row);
    if (logits.empty()) return;
    const int old = next_tokens(logits, Sampling{}).front().id;
    for (const std::size_t most : {std::size_t{5}, std::size_t{3}}) {
      const auto table = answer_table(state, row, most);
      ASSERT_TRUE(table) << where;
      EXPECT_LE(table->rows.size(), most);
      const auto found = std::find_if(table->rows.begin(), table->rows.end(), [&](const auto& one) {
        return one.cells.front().str() == answer_name(state, row, old).str();
      });
      ASSERT_NE(found, table->rows.end()) << where;
      ASSERT_TRUE(found->before) << where;
      EXPECT_NEAR(*found->before, static_cast<double>(next_tokens(logits, Sampling{}).front().prob), 1e-9);
      double sum = table->rest.value_or(0);
      for (const auto& one : table->rows) sum += *one.bar;
      EXPECT_NEAR(sum, 1, where.starts_with("pilot") ? 0.01 : 1e-4) << where;  // words are left out there
      kept += found->cells.back().key() == "figure.answer.fell" ? 1 : 0;
    }
  });
  EXPECT_GT(kept, 5);
}

TEST(ViewTried, TheKeyOfAFilmStaysWhileItsNumbersChange) {
  const Opened of = opened("model:storyteller");
  ViewState state = first_state(*of.model, edited(of, "blocks.1.attn.pattern[head=3,query=13,key=2]=0"));
  state.layer = 1, state.head = 3, state.before = of.run, state.level = Level::easy;
  state.page = "scores";
  EXPECT_EQ(sentence_of(*draw_view(**find_view("steps"), state))[1], "cat");
  state.page = "values";
  const auto weighted = draw_view(**find_view("steps"), state);
  ASSERT_TRUE(weighted);
  const auto& rows = mark_of<figure::MatrixMark>(*weighted, "row").rows.labels;
  EXPECT_NE(rows.front().str().find("cat"), std::string::npos) << rows.front().str();
}

TEST(ViewOpening, BeginsWhereAViewHasSomethingToShow) {
  const Opened of = opened("model:storyteller");
  const ViewState state = first_state(*of.model, of.run);
  const auto word = [&](const char* view) {
    const std::int64_t row = opening_row(view, state);
    return row < 0 ? std::string() : row_label(*of.model, *of.run, state.place.stack, row);
  };
  EXPECT_EQ(word("mask"), "on");
  EXPECT_EQ(word("embedding"), "cat");
  EXPECT_EQ(word("tokenizer"), "tired") << "the letters of because are not joined to one piece";
  EXPECT_EQ(word("attention"), "");
  const Opened both = opened("model:gap-filler");  // nothing is hidden from anybody
  EXPECT_EQ(opening_row("mask", first_state(*both.model, both.run)), -1);
}

// Of the Pilot a word, not a movement, whose vector is like no other's.
TEST(ViewOpening, TheEmbeddingBeginsAtAWord) {
  const Opened of = opened("model:pilot");
  const ViewState state = first_state(*of.model, of.run);
  const std::int64_t row = opening_row("embedding", state);
  ASSERT_GE(row, 0);
  const std::string word = row_label(*of.model, *of.run, state.place.stack, row);
  EXPECT_EQ(word.find("<act"), std::string::npos) << word;
}

// Of six MLPs the one that the waterfall shows to add most.
TEST(ViewOpening, TheMlpBeginsInTheBlockThatAddsMost) {
  const Opened of = opened("model:storyteller-deep");
  const ViewState state = first_state(*of.model, of.run);
  const auto parts = additions(*of.run, state.row);
  const int said = next_tokens(of.run->logits_row(state.row), Sampling{}).front().id;
  const auto pushed = pushes(*of.run, parts, state.row, said);
  ASSERT_TRUE(pushed);
  std::map<double, int> by_size;
  for (std::size_t at = 0; at < parts.size(); ++at)
    if (parts[at].site == site_of(Slot::mlp_out, parts[at].site.layer))
      by_size[std::abs(pushed->of[at])] = parts[at].site.layer;
  ASSERT_EQ(by_size.size(), 6u);
  EXPECT_EQ(opening_layer("mlp", state), by_size.rbegin()->second);
  EXPECT_EQ(opening_layer("attention", state), -1);
}

// Of many parts one row for each block: the picture and its sentence name the same, and the sum is there.
TEST(ViewResidualBlocks, SixBlocksAreSixRows) {
  const Opened of = opened("model:storyteller-deep");
  const auto figure = draw_view(**find_view("residual"), first_state(*of.model, of.run));
  ASSERT_TRUE(figure);
  const auto& table = mark_of<figure::TableMark>(*figure, "waterfall");
  ASSERT_EQ(table.rows.size(), 9u);  // embedding, six blocks, biases, logit
  double sum = 0;
  bool named = false;
  for (std::size_t at = 0; at + 1 < table.rows.size(); ++at) {
    sum += *table.rows[at].bar;
    named = named || table.rows[at].cells.front().str() == sentence_of(*figure)[2];
  }
  EXPECT_NEAR(sum, *table.rows.back().bar, 1e-3);
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace attnscope
