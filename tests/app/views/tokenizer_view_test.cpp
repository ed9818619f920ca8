// The tokenizer view without a screen: a token chosen here is the cursor's row, the arrow keys walk through
// the steps and the words, and every kind of tokenizer is drawn at every size.
#include <nlohmann/json.hpp>

#include "app/views/choices.h"
#include "app/views/tokenizer_steps.h"
#include "app/views/tokenizer_text.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_tokenizer_view();
namespace {

constexpr const char* kModel = "../gguf/llama-q4_0.gguf";  // has a vocabulary with scores

class TokenizerViewTest : public testing::LensViewFixture {
 protected:
  void press_key(View& view, compat::Key key) {
    compat::feed_key(ImGui::GetIO(), key, true);
    show(view);
    compat::feed_key(ImGui::GetIO(), key, false);
    show(view);
  }
  static TokenizerScene scene_of(const std::string& kind, const std::string& text) {
    const auto opened =
        open_tokenizer(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/tokenizers/" + kind);
    EXPECT_TRUE(opened) << kind;
    return make_tokenizer_scene(*opened, text);
  }
};

TEST_F(TokenizerViewTest, AClickedTokenIsTheCursorsRow) {
  open(kModel);
  type("the cat sat 컵");
  workspace_.view = "tokenizer";
  const auto view = make_tokenizer_view();
  click_item(*view, "token_3");
  EXPECT_EQ(workspace_.cursor.query, 3);
  workspace_.cursor.query = 2;  // moved elsewhere: the view follows
  settle(*view);
  click_item(*view, "token_run_0");
  EXPECT_NE(workspace_.cursor.query, 2);
}

// A vocabulary of whole words has no steps: the view opens on the merges of another one; the own is a click
// away.
TEST_F(TokenizerViewTest, OfWholeWordsItOpensOnMerges) {
  open("../../../assets/models/storyteller");
  workspace_.view = "tokenizer";
  const auto view = make_tokenizer_view();
  settle(*view);
  EXPECT_EQ(chosen_in(*view).at("shelf"), "bpe");
  EXPECT_TRUE(noted_items().contains("tokenizer_step"));
  click_item(*view, "tokenizer.shelf.own");
  settle(*view);
  EXPECT_EQ(chosen_in(*view).at("shelf"), "own");
}

TEST_F(TokenizerViewTest, ArrowsBelongToTheViewWhereItCanShowTheRun) {
  open(kModel);
  const auto view = make_tokenizer_view();
  EXPECT_EQ(view->unavailable(run()), "");
  EXPECT_TRUE(view->takes_arrows(run()));
  open("gpt2");
  EXPECT_EQ(view->unavailable(run()), "tokenizer.none");
  EXPECT_FALSE(view->takes_arrows(run()));
}

TEST_F(TokenizerViewTest, StepsAreClickedAndWalked) {
  open(kModel);
  type("the cat");
  workspace_.view = "tokenizer";
  const auto view = make_tokenizer_view();
  settle(*view);
  ASSERT_TRUE(noted_items().count("token_step_0"));
  click_item(*view, "token_step_1");
  for (const compat::Key key : {compat::Key::left, compat::Key::left, compat::Key::right, compat::Key::down,
                                compat::Key::up, compat::Key::up})
    press_key(*view, key);
  settle(*view);
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(TokenizerViewTest, DrawsAtEverySize) {
  open(kModel);
  const auto view = make_tokenizer_view();
  for (const char* text :
       {"the cat", "", "한글 \n\t<s> ½", "a longer text that wraps, and wraps, and wraps again"}) {
    type(text);
    for (const ImVec2 size : {ImVec2(880, 640), ImVec2(420, 420), ImVec2(120, 90)}) settle(*view, size);
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(TokenizerViewTest, EveryKindIsDrawnAtEveryStep) {
  for (const char* kind :
       {"bytelevel_bpe", "sentencepiece_bpe", "unigram", "wordpiece_uncased", "model_bpe", "model_unigram"}) {
    const TokenizerScene scene = scene_of(kind, "Lowest café 컵을!\n[MASK] xyz");
    ASSERT_EQ(scene.error, "");
    TokenizerChoice choice;
    PieceNames names;
    for (std::size_t index = 0; index < scene.steps.words.size(); ++index) {
      const SegmentedWord& word = scene.steps.words[index];
      choice.word = static_cast<int>(index);
      for (std::int64_t step = 0; step <= step_count(word); ++step) {
        EXPECT_FALSE(step_words(scene, word, step).empty()) << kind << " " << index << " " << step;
        frame([&] {
          (void)draw_token_text(scene, choice, 600, 3);
          (void)draw_token_chips(scene, choice, 600, 2);
          (void)draw_token_words(scene, choice, 600);
          (void)draw_token_steps(scene, word, names, step, true, ImVec2(600, 200));
        });
      }
    }
  }
  EXPECT_EQ(missing_keys(), std::vector<std::string>{});
}

TEST_F(TokenizerViewTest, AFigureThatIsHigherThanItsRoomStandsCloser) {
  for (const char* kind : {"bytelevel_bpe", "model_unigram"}) {
    const TokenizerScene scene = scene_of(kind, "internationalization unbelievable");
    const SegmentedWord& word = scene.steps.words.front();
    PieceNames names;
    const bool columns = std::string_view(kind) == "model_unigram";  // each as high as the figure
    const auto last = "token_step_" + std::to_string(columns ? 1 : step_count(word));
    const auto below = [&](float room) {
      begin_items();
      float top = 0;
      frame([&] {
        top = ImGui::GetCursorScreenPos().y;
        (void)draw_token_steps(scene, word, names, 0, false, ImVec2(1600, room));
      });
      const auto item = noted_items().find(last);
      return item == noted_items().end() ? -1.f : item->second.p1.y - top;
    };
    const float high = below(4000);
    ASSERT_GT(high, 100) << kind;
    EXPECT_LT(below(high * 0.95f), high - 1) << kind;
    EXPECT_LE(below(high * 0.95f), high * 0.95f + 1) << kind;
  }
}

TEST_F(TokenizerViewTest, RunsCoverTheTextOnce) {
  for (const char* kind : {"bytelevel_bpe", "unigram", "wordpiece_uncased", "model_bpe"}) {
    const TokenizerScene scene = scene_of(kind, " a 한글 é\xFF\n x  ");
    std::int64_t end = 0;
    for (const TokenRun& run : scene.runs) {
      EXPECT_EQ(run.begin, end) << kind;
      end = run.end;
    }
    EXPECT_EQ(end, static_cast<std::int64_t>(scene.text.size())) << kind;
  }
  EXPECT_EQ(hex_bytes("\xED\x95\x9C"), "ED 95 9C");
  EXPECT_EQ(text_on_one_line("  a\nb "), "  a⏎b ");
}

}  // namespace
}  // namespace attnscope
