// Training in the easy window: a task, one button, the loss and a sentence about it; elsewhere a line.
#include "app/shell/easy_training.h"

#include "tests/app/ui_driver.h"

namespace attnscope {
namespace {

class EasyTrainingTest : public testing::FrameTest {
 protected:
  void SetUp() override {
    testing::FrameTest::SetUp();
    open_easy("storyteller");
    workspace().view = "training";
    settle();
  }
  void TearDown() override {
    session_->training().pause();
    session_->training().wait();
    testing::FrameTest::TearDown();
  }
  int step() { return session_->training().snapshot() ? session_->training().snapshot()->now.step : -1; }
  /// Until the run has done so many steps.
  void train_to(int steps) {
    for (int i = 0; i < 100'000 && step() < steps; ++i) frames(1);
    ASSERT_GE(step(), steps);
  }
  void pause() {
    click("train_go");
    session_->training().wait();
    settle();
    ASSERT_EQ(session_->training().state(), TrainingState::paused);
  }
};

TEST_F(EasyTrainingTest, ShowsATaskOneButtonAndMore) {
  for (const char* item : {"train_task", "train_go", "train_film", "train_more", "train_said", "train_curve"})
    EXPECT_TRUE(shows(item)) << item;
  for (const char* item : {"figure.step", "station_loss", "try_show", "train_undo", "train_try"})
    EXPECT_FALSE(shows(item)) << item << ": one subject";
  int controls = 0;
  for (const auto& [name, rect] : noted_items())
    if (!name.starts_with("figure") && !name.starts_with("chip") && !name.starts_with("station_") &&
        name != "train_said" && name != "train_curve" && name != "full")
      ++controls;
  EXPECT_LE(controls, 12);
  click("train_more");
  settle();
  EXPECT_EQ(workspace().level, Level::full);
  EXPECT_EQ(workspace().view, "training");
}

// The answer stands beside the curve: that of the model that learns, once there is one.
TEST_F(EasyTrainingTest, ShowsWhatTheModelSays) {
  ASSERT_TRUE(shows("figure.answer"));
  EXPECT_LE(noted_items().at("figure.answer").p1.y, noted_items().at("train_film").p0.y);
  click("train_go");
  train_to(20);
  pause();
  EXPECT_TRUE(shows("figure.answer"));
  EXPECT_LE(noted_items().at("figure.answer").p1.y, noted_items().at("train_undo").p0.y);
}

// Before the start there is no curve yet: what a loss is stands below, of the words of the text.
TEST_F(EasyTrainingTest, BeforeTheStartTheLossesOfTheTextStandThere) {
  ASSERT_TRUE(shows("figure.losses"));
  const float low = noted_items().at("train_curve").p1.y;
  EXPECT_LE(low, noted_items().at("figure.losses").p0.y);
  click("train_go");
  train_to(20);
  pause();
  EXPECT_FALSE(shows("figure.losses"));
  EXPECT_GT(noted_items().at("train_curve").p1.y, low) << "the curve has the room";
}

TEST_F(EasyTrainingTest, StartsPausesAndGoesOn) {
  click("train_go");
  train_to(20);
  EXPECT_TRUE(session_->training().running());
  settle();
  EXPECT_EQ(workspace().level, Level::easy);
  EXPECT_EQ(workspace().view, "training");
  EXPECT_TRUE(session_->shows_training());
  pause();
  const int stood = step();
  ASSERT_TRUE(shows("train_said"));
  click("train_go");
  train_to(stood + 5);
  EXPECT_TRUE(session_->training().running());
  pause();
}

TEST_F(EasyTrainingTest, SaysThatItGoesOnWhereAnotherViewIsOpen) {
  EXPECT_FALSE(shows("train_elsewhere"));
  click("train_go");
  train_to(5);
  EXPECT_FALSE(shows("train_elsewhere"));
  workspace().view = "attention";
  frames(3);
  EXPECT_TRUE(shows("train_elsewhere"));
  EXPECT_FALSE(shows("train_go"));
  const int then = step();
  train_to(then + 3);
  EXPECT_TRUE(session_->training().running());
  EXPECT_TRUE(shows("train_elsewhere"));
  click("train_look");
  frames(3);
  EXPECT_EQ(workspace().view, "training");
  EXPECT_FALSE(shows("train_elsewhere"));
  pause();
  workspace().view = "attention";
  frames(3);
  EXPECT_FALSE(shows("train_elsewhere")) << "it stands still";
}

TEST_F(EasyTrainingTest, HowOneNumberChangesIsAFilmBehindAButton) {
  click("train_film");
  settle();
  EXPECT_TRUE(shows("station_loss") && shows("figure.losses"));
  EXPECT_FALSE(shows("train_go"));
  click("train_front");
  settle();
  EXPECT_TRUE(shows("train_go"));
  EXPECT_FALSE(shows("station_loss"));
}

// Once it is over nothing changes any more: what one can try then is another thing.
TEST(EasyTrainingTry, SaysWhatCanBeDoneInEachState) {
  const auto key = [](TrainingState state, bool begun, bool own) {
    return std::string(training_try_key(state, begun, own));
  };
  EXPECT_EQ(key(TrainingState::none, false, false), "easy.train.try.start");
  EXPECT_EQ(key(TrainingState::running, true, true), "easy.train.try.look");
  EXPECT_EQ(key(TrainingState::paused, true, true), "easy.train.try.look");
  EXPECT_EQ(key(TrainingState::paused, true, false), "easy.train.try.go_on");
  EXPECT_EQ(key(TrainingState::finished, true, true), "easy.train.try.done");
  EXPECT_EQ(key(TrainingState::finished, true, false), "easy.train.try.start");
}

// What was open stays where one can go back to it, by its button and by undo.
TEST_F(EasyTrainingTest, StartTakesNothingAway) {
  const std::string path = document().opened->path;
  EXPECT_FALSE(session_->can_undo());
  click("train_go");
  train_to(2);
  settle();
  ASSERT_TRUE(session_->shows_training());
  EXPECT_TRUE(session_->can_undo());
  ASSERT_TRUE(shows("train_undo") && shows("train_try"));
  pause();
  click("train_undo");
  settle();
  EXPECT_EQ(document().opened->path, path);
  EXPECT_FALSE(session_->worth_keeping());
  EXPECT_FALSE(shows("train_undo"));
  click("train_go");
  train_to(4);
  settle();  // what was learned before may be that far already
  click("train_try");
  settle();
  EXPECT_EQ(workspace().view, "attention");
}

// The task is that of the open model; with another model it is another one.
TEST_F(EasyTrainingTest, TheTaskIsThatOfTheOpenModel) {
  state().open_shipped_model("induction");
  settle();
  workspace().view = "training";
  settle();
  click("train_go");
  train_to(2);
  EXPECT_EQ(session_->training().snapshot()->settings.task, "induction");
  pause();
}

TEST_F(EasyTrainingTest, AnotherTaskIsChosenFromTheList) {
  click("train_task");
  frames(2);
  ASSERT_TRUE(shows("train_sorter"));
  click("train_sorter");
  frames(2);
  click("train_go");
  train_to(2);
  EXPECT_EQ(session_->training().snapshot()->settings.task, "sorter");
  pause();
}

}  // namespace
}  // namespace attnscope
