// The embedding view without a screen: rows are the table's and the trace's, angles the closed form's, the
// scale an edit.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/views/choices.h"
#include "app/views/embedding_parts.h"
#include "app/widgets/matrix_plot.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_embedding_view();
namespace {

class EmbeddingViewTest : public testing::LensViewFixture {
 protected:
  void begin(const char* model) {
    open(model);
    workspace_.animate = false;
    workspace_.cursor.stack = run().trace(0).config().stack;
    workspace_.cursor.query = 1;
  }
  /// What the last frame drew; the painter keeps older pictures, too.
  Tensor drawn(const std::string& key) const {
    return noted_items().count("matrix." + key) ? painter_.shown(key) : Tensor();
  }
};

TEST_F(EmbeddingViewTest, RowsAreTheTracesAndOneHotPicksTheTokens) {
  for (const char* model : {"gpt2", "llama", "gemma", "bert", "bart", "marian", "vit"}) {
    begin(model);
    const Trace& trace = run().trace(0);
    const Stack stack = trace.config().stack;
    const auto view = make_embedding_view();
    ASSERT_EQ(view->unavailable(run()), "") << model;
    settle(*view);
    for (const auto& [key, slot] : {std::pair{"embedding_token", Slot::tok_embed},
                                    {"embedding_scaled", Slot::tok_scaled},
                                    {"embedding_position", Slot::pos_embed},
                                    {"embedding_type", Slot::type_embed},
                                    {"embedding_sum", Slot::embed}}) {
      const Site site = site_of(slot, -1, stack);
      const Tensor shown = drawn(key);
      EXPECT_EQ(shown.empty(), trace.find(site) == nullptr) << model << " " << key;
      for (std::int64_t i = 0; !shown.empty() && i < shown.size(1); ++i)
        EXPECT_EQ(shown.at(0, i), trace.cell(site, {1, i})) << model << " " << key;
    }
    const Tensor hot = drawn("embedding_one_hot"), words = drawn("embedding_words"),
                 token = drawn("embedding_token");
    ASSERT_EQ(hot.empty(), token.empty()) << model;
    for (std::int64_t i = 0; !token.empty() && i < token.size(1); ++i) {
      double product = 0;
      for (std::int64_t row = 0; row < hot.size(0); ++row)
        product += double(hot.at(row, 0)) * words.at(row, i);
      EXPECT_EQ(static_cast<float>(product), token.at(0, i)) << model;
    }
  }
}

TEST_F(EmbeddingViewTest, TheScaleIsAnEditThatAClickTakesBack) {
  for (const char* model : {"gpt2", "gemma"}) {
    begin(model);
    const Trace& plain = run().trace(0);
    const bool scales = plain.config().embed_scale != 1.f;
    const Site site = plain.main(scales ? Slot::tok_scaled : Slot::tok_embed);
    const float before = plain.cell(site, {1, 0});
    const double by =
        scales ? 1.0 / double(plain.config().embed_scale) : std::sqrt(double(plain.config().d_model));
    const auto view = make_embedding_view();
    click_item(*view, "embedding_scale");
    ASSERT_EQ(session_->document().edits.size(), 1u) << model;
    EXPECT_NEAR(run().trace(0).cell(site, {1, 0}), before * by, 1e-5 * (1 + std::fabs(before * by))) << model;
    click_item(*view, "embedding_scale");
    EXPECT_TRUE(session_->document().edits.empty()) << model;
    EXPECT_EQ(run().trace(0).cell(site, {1, 0}), before) << model;
  }
}

TEST_F(EmbeddingViewTest, AnglesOfEveryPairAndOfQueriesAndKeys) {
  begin("llama");
  type("5 17 5 33 17 88");
  const auto view = make_embedding_view();
  click_item(*view, "embedding_compare_page");
  settle(*view);
  const Trace& trace = run().trace(0);
  const auto row_of = [&](const Site& site, std::int64_t row) {
    return trace.slice(site, 0, {row, row + 1}, {0, trace.config().d_model}).select(0, 0);
  };
  Tensor shown = painter_.shown("embedding_cosines");
  ASSERT_EQ(shown.size(0), 6);
  const Site sum = trace.main(Slot::embed);
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j < 6; ++j)
      EXPECT_NEAR(shown.at(i, j), relation(row_of(sum, i), row_of(sum, j)).cosine, 1e-5);
  // q · k is the score before its scale.
  click_item(*view, "embedding_compare_heads");
  click_item(*view, "embedding_dots");
  settle(*view);
  shown = painter_.shown("embedding_cosines");
  for (std::int64_t i = 0; i < 6; ++i)
    for (std::int64_t j = 0; j <= i; ++j)
      EXPECT_NEAR(shown.at(i, j), trace.cell(trace.main(Slot::scores, 0), {0, i, j}), 1e-4);
  click_item(*view, "matrix.embedding_cosines", 3, 2);
  EXPECT_EQ(workspace_.cursor.query, 3);
  EXPECT_EQ(workspace_.cursor.key, 2);
}

TEST_F(EmbeddingViewTest, AnglesOpenAtTheRowMostAlikeThatIsNotTheSame) {
  begin("llama");
  type("5 17 5 33 17 88");
  workspace_.cursor.query = workspace_.cursor.key = 2;  // the token of row 0, too
  const auto view = make_embedding_view();
  click_item(*view, "embedding_compare_page");
  settle(*view);
  nlohmann::json kept = nlohmann::json::object();
  Choices choices(kept);
  view->keep(choices);
  const std::int64_t a = kept.at("a"), b = kept.at("b");
  EXPECT_EQ(a, 2);
  const Tensor shown = painter_.shown("embedding_cosines");
  EXPECT_LT(shown.at(a, b), 0.9999f);
  for (std::int64_t other = 0; other < shown.size(1); ++other)
    EXPECT_TRUE(shown.at(a, other) >= 0.9999f || shown.at(a, other) <= shown.at(a, b)) << other;
}

TEST_F(EmbeddingViewTest, EveryPageOfEveryFixtureAtEverySize) {
  for (const char* model : {"gpt2", "t5", "paligemma_prefix", "vit"}) {
    begin(model);
    const auto view = make_embedding_view();
    for (const char* page :
         {"embedding_map_page", "embedding_compare_page", "embedding_heads_page", "embedding_lookup"}) {
      click_item(*view, page);
      for (const ImVec2 size : {ImVec2(1200, 800), ImVec2(420, 300), ImVec2(120, 90)}) settle(*view, size);
    }
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  open("scene");
  EXPECT_NE(make_embedding_view()->unavailable(run()), "");
}

}  // namespace
}  // namespace attnscope
