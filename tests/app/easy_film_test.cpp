// The easy window: sums under numbers of the film, the way into the full window, names of rows that are
// clicked, the slider and the button of the output, words that the model does not know.
#include "app/state/controls.h"
#include "core/sample/sampler.h"
#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class EasyFilmTest : public testing::FrameTest {
 protected:
  void SetUp() override {
    testing::FrameTest::SetUp();
    open_easy("storyteller");
  }
  void look_at(const std::string& view, const std::string& station = {}) {
    workspace().view = view, workspace().station = station;
    settle();
    frames();
  }
  void click_at(ImVec2 at) {
    point_at(at.x, at.y);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, true);
    frames();
    compat::feed_mouse_button(ImGui::GetIO(), 0, false);
    frames();
    settle();
  }
};

TEST_F(EasyFilmTest, AClickOnANumberWritesItsSumBelowAndASecondTakesItAway) {
  look_at("steps", "scores");
  ASSERT_TRUE(shows("figure.products"));
  const ItemRect cells = noted_items().at("figure.products");
  const ImVec2 last((cells.p0.x + cells.p1.x) / 4, cells.p1.y - (cells.p1.y - cells.p0.y) / 6);
  EXPECT_FALSE(shows("cell_sum"));
  click_at(last);
  ASSERT_TRUE(shows("cell_sum"));
  EXPECT_GE(noted_items().at("cell_sum").p0.y, last.y) << "below the number";
  click_at(last);
  EXPECT_FALSE(shows("cell_sum"));
  click_at(last);
  EXPECT_TRUE(shows("cell_sum"));
  click("station_softmax");
  EXPECT_FALSE(shows("cell_sum")) << "of another picture";
  EXPECT_TRUE(document().edits.empty());
}

TEST_F(EasyFilmTest, AStationOpensItsStepInTheFullWindow) {
  look_at("steps", "scores");
  click("station_scores");
  EXPECT_EQ(workspace().level, Level::full);
  EXPECT_EQ(workspace().view, "steps");
  EXPECT_TRUE(workspace().cursor.step.is(StepRole::scores)) << to_text(workspace().cursor.step);
  workspace().level = Level::easy;
  look_at("steps", "sum");
  click("full");
  EXPECT_TRUE(workspace().cursor.step.is(StepKind::residual_mid)) << to_text(workspace().cursor.step);
}

TEST_F(EasyFilmTest, TheNameOfARowLooksThere) {
  for (const char* item : {"figure.pattern", "figure.allowed", "figure.keys"}) {
    look_at(std::string(item) == "figure.pattern" ? "attention"
            : std::string(item) == "figure.keys"  ? "kv"
                                                  : "mask");
    ASSERT_TRUE(shows(item));
    workspace().cursor.query = 13;
    frames();
    const std::string first =
        std::string(item) == "figure.allowed" ? "figure.scores" : item;  // which has the names
    const ItemRect cells = noted_items().at(first);
    const float row = (cells.p1.y - cells.p0.y) / static_cast<float>(cells.rows);
    click_at(ImVec2(cells.p0.x - 12, cells.p0.y + row * 2.5f));
    const int above = std::string(item) == "figure.allowed" ? 14 - static_cast<int>(cells.rows) : 0;
    EXPECT_EQ(workspace().cursor.query, above + 2) << item;  // a mask has the rows around the looked-at one
  }
}

TEST_F(EasyFilmTest, APartOfTheStreamIsLookedAtByAClick) {
  look_at("residual");
  ASSERT_TRUE(shows("figure.waterfall"));
  const ItemRect rect = noted_items().at("figure.waterfall");
  std::set<std::string> reached;
  for (float y = rect.p0.y + 4; y < rect.p1.y; y += 8) {
    look_at("residual");
    click_at(ImVec2(rect.p0.x + 40, y));
    reached.insert(workspace().view);
  }
  EXPECT_TRUE(reached.contains("embedding") && reached.contains("attention") && reached.contains("mlp"))
      << join({reached.begin(), reached.end()}, " ");
}

TEST_F(EasyFilmTest, TheOutputWritesTwelveWords) {
  look_at("attention");
  EXPECT_FALSE(shows("write_words") || shows("temperature"));
  look_at("output");
  ASSERT_TRUE(shows("write_words") && shows("temperature"));
  EXPECT_GT(noted_items().at("temperature").p0.y, noted_items().at("figure.at1").p1.y) << "below the cards";
  const std::size_t before = document().sequences.front().input.ids.size();
  click("write_words");
  settle();
  EXPECT_EQ(document().sequences.front().input.ids.size(), before + 12);
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

// However the text came in.
TEST_F(EasyFilmTest, WordsThatAreNotKnownAreToldOnce) {
  const auto read = [&](const std::string& text) {
    state().commands.edit(Text("text"), {}, [text](Document& changed) { return set_text(changed, 0, text); });
    frames();
    settle();
    frames();
  };
  EXPECT_TRUE(state().notices.empty());
  read("The zebra sat on the mat");
  ASSERT_EQ(state().notices.size(), 1u);
  EXPECT_NE(state().notices.front().text.str().find("zebra"), std::string::npos);
  EXPECT_EQ(run().label(0, 2), "zebra");
  read("The zebra sat on the cat");
  EXPECT_EQ(state().notices.size(), 1u) << "it was told";
  workspace().level = Level::full;
  frames();
  read("The giraffe sat on the cat");
  ASSERT_EQ(state().notices.size(), 2u) << "in the full window too";
  EXPECT_NE(state().notices.back().text.str().find("giraffe"), std::string::npos);
  read("<bos> The cat sat");
  ASSERT_EQ(state().notices.size(), 3u) << "a begin token that the tokenizer puts in front as well";
  EXPECT_EQ(state().notices.back().text.key(), "input.doubled");
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST_F(EasyFilmTest, TheTemperatureIsOneOfTheThingsToTry) {
  look_at("output");
  click("try_show");
  settle();
  EXPECT_EQ(document().sampling.temperature, 2.f);
  EXPECT_TRUE(shows("try_done"));
  click("try_show");
  settle();
  EXPECT_EQ(document().sampling.temperature, 1.f);
  EXPECT_FALSE(shows("try_done"));
}

// An MLP is looked at in the block where it does most; the other views stay at their block, and so does a
// block that was chosen.
TEST_F(EasyFilmTest, TheMlpOpensInTheBlockThatAddsMost) {
  state().open_shipped_model("storyteller-deep");
  settle();
  look_at("attention");
  const int was = workspace().cursor.layer;
  look_at("mlp");
  EXPECT_EQ(workspace().cursor.layer, 5);
  EXPECT_NE(workspace().cursor.layer, was);
  look_at("attention");
  EXPECT_EQ(workspace().cursor.layer, was);
  look_at("mlp");
  workspace().cursor.layer = 2;
  frames();
  look_at("attention");
  EXPECT_EQ(workspace().cursor.layer, 2);
}

}  // namespace
}  // namespace attnscope
