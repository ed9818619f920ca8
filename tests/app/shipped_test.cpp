// The models that travel in the program: each has a name and a sentence, opens, runs, and shows the head that
// its card tells of. What was built without models skips this.
#include <algorithm>
#include <fstream>

#include "tests/app/ui_driver.h"

namespace attnscope::testing {
namespace {

class Shipped : public FrameTest {
 protected:
  void SetUp() override {
    FrameTest::SetUp();
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's renderer has
  }
};

TEST_F(Shipped, ModelsHaveNamesAndOpen) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  for (const ShippedModel& model : state().models()) {
    SCOPED_TRACE(model.name);
    EXPECT_NE(model.title, model.name);
    EXPECT_FALSE(model.sentence.empty());
    state().open(kModelPrefix + model.name);
    settle();
    ASSERT_FALSE(session_->error()) << session_->error()->text();
    ASSERT_TRUE(document().opened);
    EXPECT_EQ(document().opened->path, kModelPrefix + model.name);
    EXPECT_EQ(opened_title(*document().opened), model.title);
    EXPECT_EQ(in_words(document().opened->notes), std::vector<std::string>{});
    EXPECT_EQ(in_words(document().opened->warnings), std::vector<std::string>{});
    ASSERT_TRUE(document().opened->card);
    EXPECT_FALSE(document().opened->card->inputs.empty());
    EXPECT_EQ(workspace().cursor.head, document().opened->card->head);
    EXPECT_EQ(workspace().cursor.layer, document().opened->card->layer);
    EXPECT_TRUE(missing_keys().empty());
    const auto mask = mask_token(*document().opened);
    const std::vector<int>& ids = run().trace(0).ids;
    const auto gap = mask ? std::find(ids.begin(), ids.end(), *mask) : ids.end();
    if (gap != ids.end()) {
      EXPECT_EQ(workspace().cursor.query, gap - ids.begin()) << "the gap is what is asked for";
    }
  }
  EXPECT_TRUE(state().settings.recent.empty());  // they are always there
}

TEST_F(Shipped, AnUnknownNameIsOneSentence) {
  state().open(std::string(kModelPrefix) + "frob");
  settle();
  ASSERT_TRUE(session_->error());
  EXPECT_NE(session_->error()->sentence().find("frob"), std::string::npos);
  EXPECT_FALSE(session_->error()->hint().empty());
}

TEST_F(Shipped, WithNothingOpenTheStageListsThem) {
  settle();
  for (const ShippedModel& model : state().models()) EXPECT_TRUE(shows("empty_model_" + model.name));
  EXPECT_TRUE(shows("empty_nine_steps"));
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  click("empty_model_" + state().models().front().name);
  settle();
  EXPECT_EQ(document().opened->path, kModelPrefix + state().models().front().name);
}

TEST_F(Shipped, WithNothingOpenOneSentenceGoesThroughThreeFamilies) {
  if (state().models().empty()) GTEST_SKIP() << "built without models";
  settle();
  click("empty_families");
  settle();
  EXPECT_EQ(workspace().view, "labs");
  EXPECT_EQ(workspace().lab, "sentence");
  EXPECT_TRUE(shows("lab_piece_2")) << "a map for each family";
}

}  // namespace
}  // namespace attnscope::testing
