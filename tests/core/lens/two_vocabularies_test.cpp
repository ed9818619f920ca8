// Two models with vocabularies of their own: tokens and outputs belong together where they spell the same.
#include <gtest/gtest.h>

#include <cmath>

#include "core/arch/shipped.h"
#include "core/lens/alignment.h"
#include "core/lens/answer_change.h"
#include "core/lens/step_differences.h"

namespace attnscope {
namespace {

struct Ran {
  OpenedModel opened;
  std::shared_ptr<const Trace> trace;
  std::string word(std::int64_t row) const {
    return opened.tokenizer->decode({trace->ids[static_cast<std::size_t>(row)]}, false);
  }
};

Ran two_vocabularies_run(const std::string& model, const std::string& text) {
  auto opened = open_shipped("model:" + model);
  EXPECT_TRUE(opened) << opened.error().text();
  const auto encoding = opened->tokenizer->encode(text);
  EXPECT_TRUE(encoding) << encoding.error().text();
  const auto trace = opened->model->run(Input{encoding->ids(), {}});
  EXPECT_TRUE(trace) << trace.error().text();
  return {*std::move(opened), *trace};
}

TEST(TwoVocabularies, RowsBelongTogetherByWhatTheyAreAndNotByTheirIds) {
  const Ran a = two_vocabularies_run("storyteller", "The cat sat on the mat"),
            b = two_vocabularies_run("gap-filler", "Today the cat sat on the mat .");
  ASSERT_FALSE(same_vocabulary(*a.trace, *b.trace));
  const Alignment rows = align_rows(*a.trace, *b.trace, a.trace->config().stack);
  int words = 0;
  for (std::int64_t row = 0; row < a.trace->length; ++row) {
    if (!rows.matches(row)) continue;
    const std::string other = b.word(rows.to_b[static_cast<std::size_t>(row)]);
    if (a.word(row) == "cat" || a.word(row) == "sat" || a.word(row) == "mat") {
      EXPECT_EQ(other, a.word(row));
      ++words;
    }
  }
  EXPECT_EQ(words, 3);
  EXPECT_TRUE(same_vocabulary(*a.trace, *two_vocabularies_run("storyteller-llama", "The cat").trace))
      << "two files that spell every id alike";
}

// As many tokens on both sides do not make the first one belong to the first one.
TEST(TwoVocabularies, AsManyTokensAreNotTakenOneForOne) {
  const Ran a = two_vocabularies_run("storyteller", "cat sat on mat"),
            b = two_vocabularies_run("gap-filler", "sat on mat");
  ASSERT_EQ(a.trace->length, b.trace->length);
  const Alignment rows = align_rows(*a.trace, *b.trace, a.trace->config().stack);
  for (std::int64_t row = 1; row < a.trace->length; ++row)
    if (rows.matches(row)) {
      EXPECT_EQ(a.word(row), b.word(rows.to_b[static_cast<std::size_t>(row)]));
    }
  EXPECT_TRUE(rows.matches(4));
}

TEST(TwoVocabularies, AnswersAreComparedOverTheTextsThatBothHave) {
  const Ran a = two_vocabularies_run("storyteller", "The cat sat on the mat"),
            b = two_vocabularies_run("gap-filler", "The cat sat on the mat");
  const auto change = answer_change(*a.trace, *b.trace, 3);
  ASSERT_TRUE(change) << change.error().text();
  ASSERT_TRUE(change->common);
  EXPECT_GT(change->common->texts, 100);
  EXPECT_LE(change->common->before, 1 + 1e-9);
  EXPECT_GT(change->common->now, 0);
  EXPECT_GE(change->kl, 0);
  for (const auto& output : change->moved)
    EXPECT_EQ(a.opened.tokenizer->decode({output.was_id}, false),
              b.opened.tokenizer->decode({output.id}, false));
  const auto same = answer_change(*a.trace, *a.trace, 3);
  EXPECT_FALSE(same->common);
}

TEST(TwoVocabularies, StepsOfTheSameSizesAreComparedTokenByToken) {
  const Ran a = two_vocabularies_run("storyteller", "The cat sat on the mat"),
            b = two_vocabularies_run("gap-filler", "Today the cat sat on the mat .");
  const auto all = step_differences({a.trace}, {b.trace});
  bool compared = false;
  for (const StepDifference& step : all) {
    if (!step.compared() || to_text(step.site) != "logits") continue;
    compared = true;
    EXPECT_GT(step.alone, 0) << "the tokens of the one that the other one lacks";
    const Tensor x = *a.trace->tensor(step.site), y = *b.trace->tensor(step.site);
    const int id =
        b.trace->config().texts->find(a.trace->config().texts->text(static_cast<int>(step.at[1].begin)));
    const Alignment rows = align_rows(*a.trace, *b.trace, a.trace->config().stack);
    const std::int64_t row = rows.to_b[static_cast<std::size_t>(step.at[0].begin)];
    EXPECT_FLOAT_EQ(static_cast<float>(step.max_abs),
                    std::fabs(x.at(step.at[0].begin, step.at[1].begin) - y.at(row, id)));
  }
  EXPECT_TRUE(compared);
}

}  // namespace
}  // namespace attnscope
