// How an answer changed: against a plain softmax in double.
#include "core/lens/answer_change.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/arch/open.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> answer_change_run(const std::string& path, const std::vector<int>& ids) {
  const auto opened = open_model(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(opened) << opened.error().text();
  const auto trace = opened->model->run(Input{ids, {}});
  EXPECT_TRUE(trace) << trace.error().text();
  return *trace;
}
constexpr const char *kGpt2 = "tests/golden/models/gpt2", *kAnswerChangeOther = "assets/scenes/tiny_gpt.json";

std::vector<double> plain_softmax(const Trace& trace) {
  const Tensor row = trace.tensor(trace.main(Slot::logits))->select(0, trace.length - 1);
  double sum = 0;
  std::vector<double> out;
  for (std::int64_t i = 0; i < row.size(0); ++i) out.push_back(std::exp(static_cast<double>(row.at(i))));
  for (const double value : out) sum += value;
  for (double& value : out) value /= sum;
  return out;
}

TEST(AnswerChange, SaysWhoGainedAndLostAndHowFarTheAnswersAreApart) {
  const auto before = answer_change_run(kGpt2, {5, 17, 33}), now = answer_change_run(kGpt2, {5, 17, 33, 40});
  const auto p = plain_softmax(*before), q = plain_softmax(*now);
  const auto change = answer_change(*before, *now, 4);
  ASSERT_TRUE(change) << change.error().text();
  double kl = 0, largest = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    kl += p[i] * std::log(p[i] / q[i]);
    largest = std::max(largest, std::fabs(q[i] - p[i]));
  }
  EXPECT_NEAR(change->kl, kl, 1e-6);
  ASSERT_EQ(change->moved.size(), 4u);
  EXPECT_NEAR(std::fabs(change->moved[0].now - change->moved[0].before), largest, 1e-7);
  for (const AnswerChange::Output& output : change->moved) {
    EXPECT_NEAR(output.before, p[static_cast<std::size_t>(output.id)], 1e-6);
    EXPECT_NEAR(output.now, q[static_cast<std::size_t>(output.id)], 1e-6);
  }
  EXPECT_EQ(change->was.id, std::max_element(p.begin(), p.end()) - p.begin());
  EXPECT_EQ(change->is.id, std::max_element(q.begin(), q.end()) - q.begin());
}

TEST(AnswerChange, ARunComparedWithItselfChangedNothing) {
  const auto only = answer_change_run(kGpt2, {5, 17, 33});
  const auto change = answer_change(*only, *only);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kl, 0);
  EXPECT_TRUE(change->moved.empty());
}

TEST(AnswerChange, OtherVocabulariesAreRefused) {
  EXPECT_FALSE(
      answer_change(*answer_change_run(kGpt2, {1, 2}), *answer_change_run(kAnswerChangeOther, {1, 2})))
      << "ids alone, of other counts";
}

}  // namespace
}  // namespace attnscope
