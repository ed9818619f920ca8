// The sentence about a training run says what its numbers say.
#include "core/session/training_said.h"

#include <gtest/gtest.h>

#include "core/base/words.h"
#include "core/session/training_curves.h"

namespace attnscope {
namespace {

TrainingSnapshot run_with(std::vector<double> losses) {
  auto curves = std::make_shared<TrainingCurves>();
  curves->accuracy.assign(losses.size(), 0.5);
  curves->plain_loss = curves->loss = std::move(losses);
  TrainingSnapshot out;
  out.now.step = curves->steps();
  out.steps = 400;
  out.curves = std::move(curves);
  return out;
}
std::string key_of_run(const std::vector<double>& losses) {
  return training_said(run_with(losses), TrainingState::running).key();
}

TEST(TrainingSaid, GoesByTheNumbersAsTheyAreWritten) {
  EXPECT_EQ(key_of_run({}), "easy.train.begins");
  std::vector<double> losses(20, 2.0);
  EXPECT_EQ(key_of_run(losses), "easy.train.same");
  losses.back() = 1.99;  // a mean of 1.999
  EXPECT_EQ(key_of_run(losses), "easy.train.same") << "2.00 and 2.00";
  for (int i = 10; i < 20; ++i) losses[static_cast<std::size_t>(i)] = 1.5;
  EXPECT_EQ(key_of_run(losses), "easy.train.falls");
  for (int i = 10; i < 20; ++i) losses[static_cast<std::size_t>(i)] = 2.5;
  EXPECT_EQ(key_of_run(losses), "easy.train.rises");
}

// The curve beside the sentence begins there, and neither moves while the run goes on.
TEST(TrainingSaid, TheLossFallsFromTheFirstPointOfTheCurve) {
  std::vector<double> losses(20, 0.25);
  losses[0] = 3.52;
  EXPECT_EQ(training_said(run_with(losses), TrainingState::running).arguments()[2].str(), "3.52");
  losses.assign(600, 0.25);
  losses[0] = 3.52, losses[1] = 3.0;  // two steps for most of 300 points
  EXPECT_EQ(training_said(run_with(losses), TrainingState::running).arguments()[2].str(), "3.52");
  EXPECT_DOUBLE_EQ(shortened_curve(losses, 1, kSaidCurvePoints).front().value, 3.52);
}

TEST(TrainingSaid, HasTheNumbersOfTheRun) {
  std::vector<double> losses(20, 2.0);
  for (int i = 10; i < 20; ++i) losses[static_cast<std::size_t>(i)] = 0.25;
  TrainingSnapshot run = run_with(losses);
  EXPECT_EQ(training_said(run, TrainingState::running).str(),
            "Practice 20 of 400: the loss fell from 2.00 to 0.25. Of the last answers 50.0 % were right.");
  EXPECT_EQ(training_said(run, TrainingState::paused).key(), "easy.train.paused");
  run.measures = {{"accuracy", "", 0.975}};
  run.measured_on = 200;
  EXPECT_EQ(
      training_said(run, TrainingState::finished).str(),
      "Practice 20 of 400: the loss fell from 2.00 to 0.25. Of the last answers 50.0 % were right. It is "
      "done: on 200 examples that it never practised, 97.5 % of what is asked is right.");
  ASSERT_TRUE(set_language("ko"));
  EXPECT_NE(training_said(run, TrainingState::finished).str().find("97.5%가 맞았습니다"), std::string::npos);
  ASSERT_TRUE(set_language("en"));
}

}  // namespace
}  // namespace attnscope
