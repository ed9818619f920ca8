// Two runs step by step: what agrees, the one place that was moved, what cannot be compared.
#include "core/lens/step_differences.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/edits.h"
#include "tests/golden_run.h"

namespace attnscope {
namespace {

std::shared_ptr<const Trace> step_differences_run(const std::string& name, const std::vector<int>& ids,
                                                  const RunOptions& options = {}) {
  return testing::golden_run(testing::golden_model(name), Input{ids, {}}, options);
}

TEST(StepDifferences, ARunAgreesWithItselfToTheBit) {
  const auto one = step_differences_run("gpt2", {5, 17, 33, 2});
  const auto all = step_differences({one}, {step_differences_run("gpt2", {5, 17, 33, 2})});
  ASSERT_EQ(all.size(), one->records().size());
  for (const StepDifference& step : all) {
    EXPECT_TRUE(step.compared()) << step.name();
    EXPECT_EQ(step.max_abs, 0) << step.name();
  }
  EXPECT_EQ(first_beyond(all, 0), nullptr);
}

TEST(StepDifferences, OtherTokensAreFoundWhereTheyBegin) {
  const auto run = [](const std::vector<int>& ids) { return step_differences_run("gpt2", ids); };
  const auto one = run({5, 17, 33, 2});
  EXPECT_FALSE(first_token_difference({one}, {run({5, 17, 33, 2})}));
  const auto other = first_token_difference({one, one}, {one, run({5, 17, 9, 2})});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->sequence, 1);
  EXPECT_EQ(other->pos, 2);
  EXPECT_EQ(other->first, 33);
  EXPECT_EQ(other->second, 9);
  const auto shorter = first_token_difference({one}, {run({5, 17})});
  ASSERT_TRUE(shorter);
  EXPECT_EQ(shorter->pos, 2);
  EXPECT_EQ(shorter->second, -1);
}

// The first step beyond the tolerance is the one that was edited, at the cell that was edited.
TEST(StepDifferences, TheFirstThatDiffersIsTheOneThatWasMoved) {
  RunOptions options;
  options.edits.push_back(testing::edit("blocks.1.attn.q[pos=2,head*d_head=3]+=0.5"));
  const auto a = step_differences_run("gpt2", {5, 17, 33, 2}),
             b = step_differences_run("gpt2", {5, 17, 33, 2}, options);
  const auto all = step_differences({a}, {b});
  const StepDifference* first = first_beyond(all, 1e-6);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->name(), "blocks.1.attn.q");
  EXPECT_EQ(to_text(first->at), "[pos=2,head*d_head=3]");
  EXPECT_NEAR(first->max_abs, 0.5, 1e-6);
  EXPECT_NEAR(first->second - first->first, 0.5, 1e-6);
  // Each largest difference is that of a plain loop.
  for (const StepDifference& step : all) {
    const Tensor x = a->tensor(step.site)->packed(), y = b->tensor(step.site)->packed();
    double most = 0;
    for (std::int64_t i = 0; i < x.count(); ++i) {
      const double d = std::fabs(static_cast<double>(x.data()[i]) - static_cast<double>(y.data()[i]));
      if (d > most) most = d;  // hidden cells are -inf in both: no difference
    }
    EXPECT_NEAR(step.max_abs, most, 1e-6) << step.name();
  }
}

// A causal model does not see what follows: the rows that both have agree, and what one has more is counted.
TEST(StepDifferences, TextsOfTwoLengthsAreComparedWhereTheirTokensAreTheSame) {
  const auto longer = step_differences_run("gpt2", {5, 17, 33}),
             shorter = step_differences_run("gpt2", {5, 17});
  for (const bool turned : {false, true}) {
    const auto all = turned ? step_differences({shorter}, {longer}) : step_differences({longer}, {shorter});
    ASSERT_FALSE(all.empty());
    for (const StepDifference& step : all) {
      EXPECT_TRUE(step.compared()) << step.name() << " " << step.why.str();
      EXPECT_LE(step.max_abs, 1e-6) << step.name();
      EXPECT_EQ(step.alone > 0, !turned) << step.name();
    }
  }
  const auto front = step_differences({step_differences_run("gpt2", {9, 5, 17})},
                                      {shorter});  // the first one has no partner
  const auto embed =
      std::find_if(front.begin(), front.end(), [](const auto& step) { return step.name() == "tok_embed"; });
  ASSERT_NE(embed, front.end());
  EXPECT_EQ(embed->max_abs, 0) << "row 1 of the one is row 0 of the other";
  EXPECT_EQ(embed->alone, 1);
  EXPECT_EQ(first_beyond(front, 1e-6)->name(), "pos_embed");
}

TEST(StepDifferences, OtherModelsSayWhy) {
  const auto others =
      step_differences({step_differences_run("gpt2", {5, 17})}, {step_differences_run("llama", {5, 17})});
  const bool lacks = std::any_of(others.begin(), others.end(),
                                 [](const auto& step) { return step.why.key() == "compare.lacks"; });
  EXPECT_TRUE(lacks) << "Llama has no learned positions";
}

}  // namespace
}  // namespace attnscope
