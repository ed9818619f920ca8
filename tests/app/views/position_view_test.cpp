// The position view without a screen: every kind of positions draws, the page of dials follows the cursor.
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_position_view();
namespace {

class PositionViewTest : public testing::LensViewFixture {
 protected:
  /// The model's own table, rotation or bias; the view opens on its waves.
  void open_model(View& view) { click_item(view, "position_of_model"); }
  /// A page of the table, out of its menu.
  void open_page(View& view, const char* page) {
    click_item(view, "position_menu");
    click_item(view, page);
  }
};

TEST_F(PositionViewTest, OpensOnWavesAndNotOnElevenButtons) {
  for (const char* model : {"gpt2", "llama", "scene"}) {
    open(model);
    const auto view = make_position_view();
    settle(*view);
    const char* wave = model == std::string("gpt2") ? "figure.waves" : "figure.positions";
    EXPECT_TRUE(noted_items().contains(wave)) << model;
    int buttons = 0;
    for (const auto& [name, item] : noted_items()) buttons += name.rfind("position_", 0) == 0;
    EXPECT_LE(buttons, 5) << model;
  }
}

TEST_F(PositionViewTest, DrawsTablesRotationsAndTheFormula) {
  for (const char* model : {"gpt2", "llama", "llama3", "qwen2", "scene"}) {
    open(model);
    const auto view = make_position_view();
    EXPECT_EQ(view->unavailable(run()), "") << model;
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(PositionViewTest, EveryControlCanBeClicked) {
  for (const char* model : {"gpt2", "llama", "scene"}) {
    open(model);
    const auto view = make_position_view();
    settle(*view);
    open_model(*view);
    for (float y = 60; y < 630; y += 38)
      for (float x = 30; x < 860; x += 83) click(*view, ImVec2(x, y));
    EXPECT_FALSE(session_->error());
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(PositionViewTest, TheDialsFollowTheCursorAndMoveIt) {
  open("llama");
  const auto view = make_position_view();
  open_model(*view);
  click_item(*view, "rope_layer");
  EXPECT_EQ(workspace_.cursor.layer, 1) << "the middle of three blocks";
  click_item(*view, "rope_query");
  EXPECT_NEAR(static_cast<double>(workspace_.cursor.query), 3.5, 1.0);
}

// Block 0 rotates by base 100, block 1 has no positions, block 2 has ALiBi.
constexpr const char* kMixedPositions = R"({"format": "attnscope-scene", "version": 1, "seed": 3,
  "config": {"d_model": 8, "vocab_size": 9, "norm": {"kind": "rms"}, "head": {"present": true, "tied": true},
    "attention": {"n_heads": 2, "d_head": 4}, "mlp": {"kind": "none"}, "blocks": [
      {"attention": {"positions": {"kind": "rope", "rope_theta": 100}}}, {"attention": {"n_heads": 4, "d_head": 2}},
      {"attention": {"positions": {"kind": "alibi"}}}]},
  "inputs": [{"ids": [1, 5, 2, 7]}]})";

TEST_F(PositionViewTest, EachBlockShowsItsOwnPositions) {
  session_ = std::make_unique<Session>();
  session_->open_scene(kMixedPositions, "mixed");
  session_->wait();
  ASSERT_TRUE(session_->result()) << (session_->error() ? session_->error()->text() : "");
  const auto view = make_position_view();
  EXPECT_EQ(view->unavailable(run()), "");
  open_model(*view);
  const auto shows = [&](int layer, const char* item) {
    workspace_.cursor.layer = layer;
    settle(*view);
    return noted_items().contains(item);
  };
  EXPECT_TRUE(shows(0, "rope_layer"));
  EXPECT_FALSE(shows(1, "rope_layer"));
  EXPECT_TRUE(shows(1, "position_halves")) << "the formula";
  EXPECT_FALSE(shows(2, "position_halves"));
  EXPECT_FALSE(shows(2, "rope_layer"));
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(PositionViewTest, PagesOpen) {
  open("gpt2");
  const auto view = make_position_view();
  open_model(*view);
  click_item(*view, "position_compare");
  for (const char* page : {"position_hills", "position_dots_page", "position_similarity_page",
                           "position_back_page", "position_flat"})
    open_page(*view, page);
  click_item(*view, "position_counter");
  for (const char* subject :
       {"position_of_formula", "position_of_length", "position_of_order", "position_of_model"}) {
    click_item(*view, subject);
    settle(*view);
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
  click_item(*view, "position_of_formula");
  open_page(*view, "position_shift_page");
  click_item(*view, "position_play");
  EXPECT_TRUE(workspace_.moving);
}

TEST_F(PositionViewTest, EveryPageOfTheFormulaAndOfRotationsDraws) {
  for (const char* model : {"gpt2", "llama", "bert"}) {
    open(model);
    const auto view = make_position_view();
    for (const char* subject : {"position_of_formula", "position_of_order", "position_of_length"}) {
      click_item(*view, subject);
      for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
    }
    click_item(*view, "position_of_formula");
    click_item(*view, "position_halves");
    for (const char* page : {"position_clocks_page", "position_shift_page", "position_back_page",
                             "position_hills", "position_similarity_page"}) {
      open_page(*view, page);
      for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
    }
  }
  open("llama");
  const auto view = make_position_view();
  open_model(*view);
  for (const char* page : {"rope_reach_page", "rope_variants_page", "rope_variant_4"})
    click_item(*view, page);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(PositionViewTest, TheTableFollowsTheSelectedToken) {
  open("gpt2");
  const auto view = make_position_view();
  workspace_.cursor.query = 1;
  open_model(*view);
  open_page(*view, "position_back_page");
  settle(*view);
  const Tensor pattern = painter_.shown("position_back");
  ASSERT_EQ(pattern.rank(), 2);
  for (std::int64_t row = 0; row < pattern.size(0); ++row) {
    double sum = 0;
    for (std::int64_t key = 0; key < pattern.size(1); ++key) sum += static_cast<double>(pattern.at(row, key));
    EXPECT_NEAR(sum, 1, 1e-4);
  }
}

TEST_F(PositionViewTest, PlayingAsksForFrames) {
  open("llama");
  const auto view = make_position_view();
  open_model(*view);
  EXPECT_FALSE(workspace_.moving);
  click_item(*view, "rope_play");
  EXPECT_TRUE(workspace_.moving);
  click_item(*view, "rope_play");
  workspace_.moving = false;
  show(*view);
  EXPECT_FALSE(workspace_.moving);
}

}  // namespace
}  // namespace attnscope
