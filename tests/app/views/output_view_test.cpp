// The output view without a screen: Generate appends what the settings choose, a click appends a row's token.
#include "core/base/words.h"
#include "core/sample/beam.h"
#include "core/sample/sampler.h"
#include "core/view/view.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_output_view();
namespace {

class OutputViewTest : public testing::LensViewFixture {
 protected:
  std::vector<int> ids() const { return session_->document().sequences[0].input.ids; }
  void greedy() {
    ASSERT_TRUE(session_->edit("greedy", {}, [](Document& document) -> Status {
      document.sampling.temperature = 0;
      return Done{};
    }));
    session_->wait();
  }
  int best() const {
    const Trace& trace = run().trace(0);
    return next_tokens(trace.logits_row(trace.length - 1), session_->document().sampling).front().id;
  }
};

// What a policy says are movements: beside each token stands what it moves at this place.
TEST_F(OutputViewTest, MovementsHaveWhatTheyStandForBesideTheirToken) {
  session_ = std::make_unique<Session>();
  session_->open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/pilot");
  session_->wait();
  ASSERT_TRUE(session_->result());
  const auto view = make_output_view();
  ViewState state = first_state(*run().document.opened, run().traces.front());
  workspace_.cursor.query = static_cast<int>(state.row);
  state.level = Level::easy;
  settle(*view);
  const int id = next_tokens(state.run->logits_row(state.row), Sampling{}).front().id;
  const std::string name = output_name(*state.opened, id), said = answer_name(state, state.row, id).str();
  ASSERT_NE(name, said);
  EXPECT_TRUE(texts(*view).contains(tr("output.row.movement", {name, said}))) << name << " " << said;
}

TEST_F(OutputViewTest, GenerateAppendsExactlyTheGreedyToken) {
  for (const char* model : {"gpt2", "llama"}) {
    open(model);
    type("5 17 5 33 17 88");
    greedy();
    const std::vector<int> before = ids();
    const int wanted = best();
    const auto view = make_output_view();
    settle(*view);
    click_item(*view, "generate");
    ASSERT_EQ(session_->history().undo_sentence(), tr("output.edit.generate")) << model;
    std::vector<int> after = before;
    after.push_back(wanted);
    EXPECT_EQ(ids(), after) << model;
    settle(*view);
    session_->undo();
    session_->wait();
    EXPECT_EQ(ids(), before);
  }
}

TEST_F(OutputViewTest, AClickOnTheFirstRowAppendsIt) {
  open("gpt2", "5 17 5 33 17 88");
  const std::vector<int> before = ids();
  const int wanted = best();
  const auto view = make_output_view();
  click_item(*view, "next_0");
  ASSERT_EQ(ids().size(), before.size() + 1);
  EXPECT_EQ(ids().back(), wanted);
  EXPECT_TRUE(session_->history().can_undo());
}

TEST_F(OutputViewTest, SettingsAreOneUndoableGesture) {
  open("gpt2");
  const auto view = make_output_view();
  click_item(*view, "temperature");
  EXPECT_NEAR(session_->document().sampling.temperature, 1.f, 0.1f) << "the middle of 0 .. 2";
  EXPECT_FALSE(noted_items().contains("top_p")) << "one slider at a time";
  click_item(*view, "output_set_menu");
  click_item(*view, "output_set_top_p");
  settle(*view);
  EXPECT_FALSE(noted_items().contains("temperature"));
  click_item(*view, "top_p");
  EXPECT_NEAR(session_->document().sampling.top_p, 0.5f, 0.05f);
  session_->undo();
  session_->wait();
  EXPECT_TRUE(session_->history().can_redo());
  EXPECT_FLOAT_EQ(session_->document().sampling.top_p, 1.f) << "one click, one point";
}

TEST_F(OutputViewTest, TheCursorChoosesThePosition) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.cursor.query = 2;
  const auto view = make_output_view();
  click_item(*view, "output_cursor");
  const Trace& trace = run().trace(0);
  std::vector<int> wanted = ids();
  wanted.push_back(next_tokens(trace.logits_row(2), session_->document().sampling).front().id);
  click_item(*view, "next_0");
  EXPECT_EQ(ids(), wanted) << "of the row that is looked at, at the end of the text";
}

TEST_F(OutputViewTest, AWayThatIsClickedReplacesWhatFollows) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.output_page = OutputPage::ways;
  const auto view = make_output_view();
  const auto greedy_after = [&](std::int64_t row) {
    std::vector<int> all = ids();
    all.resize(static_cast<std::size_t>(row + 1));
    const auto made = generate(*session_->document().model, all, 8, {0.f, 0, 1.f, 0});
    EXPECT_TRUE(made);
    all.insert(all.end(), made->ids.begin(), made->ids.end());
    return all;
  };
  const std::vector<int> wanted = greedy_after(5);
  click_item(*view, "way_greedy");
  EXPECT_EQ(ids(), wanted);
  EXPECT_TRUE(session_->history().can_undo());
  workspace_.cursor.query = 2;
  click_item(*view, "output_cursor");
  const std::vector<int> from_two = greedy_after(2);
  click_item(*view, "way_greedy");
  EXPECT_EQ(ids(), from_two) << "what stood behind the position is gone";
}

TEST_F(OutputViewTest, ANodeOfTheTreeIsTheWayToIt) {
  open("llama", "5 17 5 33 17 88");
  workspace_.output_page = OutputPage::ways;
  const auto view = make_output_view();
  const std::vector<int> before = ids();
  Input prompt;
  prompt.ids = before;
  const auto tree = beam_search(*session_->document().model, prompt, {3, 6, 1.0, 1.f});
  ASSERT_TRUE(tree);
  click_item(*view, "beam_9");
  std::vector<int> wanted = before;
  const std::vector<int> way = tree->ids(9);
  wanted.insert(wanted.end(), way.begin(), way.end());
  EXPECT_EQ(ids(), wanted);
}

TEST_F(OutputViewTest, PresetsAndCutsAreSettings) {
  open("gpt2");
  const auto view = make_output_view();
  click_item(*view, "output.preset.robot");
  EXPECT_EQ(session_->document().sampling.temperature, 0.f);
  click_item(*view, "output.preset.writing");
  EXPECT_NEAR(session_->document().sampling.temperature, 0.9f, 1e-6f);
  click_item(*view, "output_set_menu");
  click_item(*view, "output_set_min_p");
  settle(*view);
  click_item(*view, "min_p");
  EXPECT_NEAR(session_->document().sampling.min_p, 0.5f, 0.05f);
  click_item(*view, "output_set_menu");
  click_item(*view, "output_set_penalty");
  settle(*view);
  click_item(*view, "repetition_penalty");
  EXPECT_NEAR(session_->document().sampling.repetition_penalty, 1.5f, 0.05f);
}

TEST_F(OutputViewTest, ARowOfThePerplexityOpensItsDistribution) {
  open("gpt2", "5 17 5 33 17 88");
  workspace_.output_page = OutputPage::text;
  const auto view = make_output_view();
  click_item(*view, "text_row_1");
  EXPECT_EQ(workspace_.output_page, OutputPage::next);
  EXPECT_EQ(workspace_.cursor.query, 1);
}

TEST_F(OutputViewTest, DrawsEveryFixtureAtEverySize) {
  const auto view = make_output_view();
  for (const OutputPage page : {OutputPage::text, OutputPage::draws, OutputPage::ways}) {
    open("gpt2");
    type("5 17 5 33 17 88");
    session_->pin();
    workspace_.output_page = page;
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
  }
  for (const char* model : {"gpt2", "llama"}) {
    open(model);
    EXPECT_EQ(view->unavailable(run()), "");
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(720, 420), ImVec2(120, 90)}) settle(*view, size);
  }
  open("scene");
  EXPECT_NE(view->unavailable(run()), "") << "a bare module predicts nothing";
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

}  // namespace
}  // namespace attnscope
