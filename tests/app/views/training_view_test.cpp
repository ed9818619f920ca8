// The training view without a screen: what it says about a run that is scrubbed back.
#include "app/views/training_setup.h"
#include "core/arch/shipped.h"
#include "tests/app/views/lens_fixture.h"

namespace attnscope {
std::unique_ptr<View> make_training_view();
namespace {

using TrainingViewTest = testing::LensViewFixture;

// It begins with what the open model was trained on: picture and form are about one thing.
TEST_F(TrainingViewTest, TheFormBeginsWithTheTaskOfTheOpenModel) {
  for (const auto& [model, task] : {std::pair("translator", "translator"), std::pair("pilot", "pilot")}) {
    const auto opened = open_shipped(std::string("model:") + model);
    ASSERT_TRUE(opened) << model;
    EXPECT_EQ(task_of_opened(&*opened), task);
  }
  open("gpt2");  // no task has its name: one that is learned in a minute
  EXPECT_EQ(task_of_opened(run().document.opened.get()), "sorter");
  EXPECT_EQ(task_of_opened(nullptr), "sorter");
}

TEST_F(TrainingViewTest, WhatWasMeasuredSaysOfWhichStepItIs) {
  session_ = std::make_unique<Session>();
  TrainingSettings settings = *training_settings("sorter");
  settings.sizes.layers = 1;
  settings.sizes.heads = 2;
  settings.sizes.d_model = 16;
  settings.recipe.batch = 2;
  settings.recipe.steps = 12;
  ASSERT_TRUE(session_->train(settings, true));
  session_->training().wait();
  while (!session_->result() || session_->running()) session_->wait();
  const auto view = make_training_view();
  settle(*view);
  ASSERT_FALSE(session_->training().snapshot()->measures.empty());
  EXPECT_FALSE(noted_items().contains("train_result_other")) << "the model that was measured is shown";
  session_->show_checkpoint(0);
  session_->wait();
  settle(*view);
  EXPECT_TRUE(noted_items().contains("train_result_other"));
  session_->show_checkpoint(-1);
  session_->wait();
  settle(*view);
  EXPECT_FALSE(noted_items().contains("train_result_other"));
}

}  // namespace
}  // namespace attnscope
