// The language of answers, on the nine steps, whose numbers stand in every text about them.
#include "core/lesson/expression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

class Expressions : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = new PageRun;
    PageState page;
    page.model = "scene:nine_steps";
    ASSERT_TRUE(run_->open(page));
  }
  static void TearDownTestSuite() {
    delete run_;
    run_ = nullptr;
  }
  static Result<double> number(const std::string& text, std::map<std::string, double> variables = {}) {
    TRY(const Expression expression, Expression::parse(text));
    return expression.number({run_->run(), &run_->first(), 0, std::move(variables)});
  }
  static double of(const std::string& text) {
    const auto found = number(text);
    EXPECT_TRUE(found.ok()) << text << ": " << (found ? "" : found.error().text());
    return found ? *found : NAN;
  }
  static PageRun* run_;
};
PageRun* Expressions::run_ = nullptr;

TEST_F(Expressions, Arithmetic) {
  EXPECT_DOUBLE_EQ(of("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(of("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(of("8 / 4 / 2"), 1);
  EXPECT_DOUBLE_EQ(of("-2^2"), -4);
  EXPECT_DOUBLE_EQ(of("2 - -1"), 3);
  EXPECT_DOUBLE_EQ(of("1e-3 * 2"), 0.002);
  EXPECT_DOUBLE_EQ(of("1 < 2 and not 3 < 2"), 1);
  EXPECT_DOUBLE_EQ(of("1 > 2 or 2 >= 3"), 0);
  EXPECT_DOUBLE_EQ(of("sqrt(16) + abs(0 - 3)"), 7);
}

TEST_F(Expressions, ATrainingOfALabIsWaitedForOnlyWhereOneMayWait) {
  const std::string pair = "trained('pair,data=followers,a=usual,b=post,steps=20', 'b', ";
  const auto loss = Expression::parse(pair + "'loss')");
  ASSERT_TRUE(loss);
  const auto early = loss->number({run_->run(), &run_->first(), 0, {}, false});
  ASSERT_FALSE(early);
  EXPECT_TRUE(still_training(early.error())) << early.error().text();
  const double waited = of(pair + "'loss')");
  EXPECT_GT(waited, 0.5) << "ln 2 is the least";
  const auto known = loss->number({run_->run(), &run_->first(), 0, {}, false});
  ASSERT_TRUE(known);
  EXPECT_EQ(*known, waited);
  EXPECT_LE(of(pair + "'accuracy')"), 1);
  EXPECT_LE(of(pair + "'generated')"), 1);
  const auto other = number("trained('sqrt', 'b', 'loss')");
  ASSERT_FALSE(other);
  EXPECT_FALSE(still_training(other.error()));
}

TEST_F(Expressions, WhatALabDraws) {
  const std::string decode = "drawn('decode,prompt=1,tokens=1,bandwidth=1000', ";
  EXPECT_NEAR(of(decode + "2, 0)"), 7 * 13.476831232 / 1000, 1e-9) << "a bar";
  EXPECT_NEAR(of("drawn('prepost,warmup=1000,rate=0.001', 3, 0, 1001)"), 0.001, 2e-5) << "a curve";
  for (const std::string wrong : {"9, 0)", "0 - 1, 0)", "1, 0)", "2, 99)", "0, 0)",
                                  "0, 9, 1)"})  // none, a table, no bar, no x, no curve
    EXPECT_FALSE(number(decode + wrong)) << wrong;
  const auto drawn = Expression::parse(decode + "2, 0)");
  ASSERT_TRUE(drawn);
  EXPECT_FALSE(drawn->number({run_->run(), &run_->first(), 0, {}, false})) << "a window must not stand still";
}

TEST_F(Expressions, CellsOfTheRun) {
  EXPECT_NEAR(of("blocks.0.attn.q[pos=0,head*d_head=1]"), 0.1871, 5e-5);
  EXPECT_NEAR(of("sum(input[pos=0] * blocks.0.attn.q.weight[out=1])"), 0.1871, 5e-5);
  EXPECT_NEAR(of("at(blocks.0.attn.pattern[head=0,query=2], 1)"), 0.3527, 5e-5);
  EXPECT_NEAR(of("sum(blocks.0.attn.pattern[head=0,query=2])"), 1, 1e-6);
  EXPECT_NEAR(of("blocks.0.attn.out[query=0,d_model=1]"), -0.6289, 5e-5);
  EXPECT_DOUBLE_EQ(of("argmax(blocks.0.attn.pattern[head=0,query=2])"), 1);
  EXPECT_NEAR(of("blocks.0.attn.pattern[head=0,query=2,key={argmax(blocks.0.attn.pattern[head=0,query=2])}]"),
              0.3527, 5e-5);
  EXPECT_DOUBLE_EQ(of("size(blocks.0.attn.mask) - count(blocks.0.attn.mask)"), 6);
  EXPECT_DOUBLE_EQ(of("dim(blocks.0.attn.pattern, 0)"), 2);
  EXPECT_NEAR(of("input[seq=1,pos=0,d_model=0]"), 1.8960, 5e-5);
  EXPECT_DOUBLE_EQ(*number("head + 1", {{"head", 2}}), 3);
}

TEST_F(Expressions, RowsOfNumbers) {
  EXPECT_NEAR(of("entropy(softmax(0 * input[pos=0]))"), std::log(3.0), 1e-9);
  EXPECT_DOUBLE_EQ(of("rank(blocks.0.attn.pattern[head=0,query=2], 1)"), 1);
  EXPECT_DOUBLE_EQ(of("rank(blocks.0.attn.pattern[head=0,query=2], 3)"), 4);
  EXPECT_DOUBLE_EQ(of("top_p(blocks.0.attn.pattern[head=0,query=2], 0.6)"), 2);
  EXPECT_NEAR(of("std(input[pos=0])^2 - var(input[pos=0])"), 0, 1e-12);
  EXPECT_NEAR(of("norm(input[pos=0])^2 - dot(input[pos=0], input[pos=0])"), 0, 1e-12);
  EXPECT_DOUBLE_EQ(of("round(1.23456, 2)"), 1.23);
  EXPECT_DOUBLE_EQ(of("config('n_heads') * config('d_head')"), 2);
  EXPECT_DOUBLE_EQ(of("tokens() + edits()"), 4);
  EXPECT_DOUBLE_EQ(of("sequences()"), 2);
  EXPECT_DOUBLE_EQ(of("params('blocks.0.attn.q.*')"), 6);
  EXPECT_DOUBLE_EQ(of("before(tokens()) - tokens()"), 0);
}

TEST_F(Expressions, TheLensReadsWordsAfterAnyBlock) {
  PageRun run;
  PageState page;
  page.model = "model:storyteller";
  page.texts = {"The cat"};
  ASSERT_TRUE(run.open(page));
  const auto of_run = [&](const std::string& text) {
    const auto found = Expression::parse(text)->number({run.run(), &run.first(), 0, {}});
    EXPECT_TRUE(found.ok()) << text << ": " << (found ? "" : found.error().text());
    return found ? *found : NAN;
  };
  EXPECT_LT(of_run("max(abs(lens(2, 2) - logits[pos=2]))"), 1e-4) << "after all blocks: what it says";
  EXPECT_GT(of_run("max(abs(lens(0, 2) - logits[pos=2]))"), 1);
  EXPECT_DOUBLE_EQ(of_run("size(lens(1, 0))"), of_run("config('vocab_size')"));
  for (const char* text : {"lens(3, 0)", "lens(0, 9)", "lens(0 - 1, 0)"})
    EXPECT_FALSE(Expression::parse(text)->number({run.run(), &run.first(), 0, {}})) << text;
}

TEST_F(Expressions, WithoutAPlaceItIsTheRunInWhichItsNumbersAreZero) {
  EXPECT_DOUBLE_EQ(of("without('blocks.0.attn.z[head=0]', norm(blocks.0.attn.z[head=0]))"), 0);
  EXPECT_GT(of("norm(blocks.0.attn.z[head=0])"), 0) << "this run keeps them";
  EXPECT_GT(of("abs(without('blocks.0.attn.z[head=0]', blocks.0.attn.out[query=3,d_model=0]) - "
               "blocks.0.attn.out[query=3,d_model=0])"),
            0);
  EXPECT_FALSE(number("without(1, 2)"));
  EXPECT_FALSE(number("without('nothing', 2)"));
}

TEST_F(Expressions, WhatIsWrongIsSaid) {
  for (const char* text : {"", "1 +", "(1", "1 2", "'open", "nothing(1)", "sum()", "blocks.0.attn.q[pos=0",
                           "1 $ 2", "blocks.0.attn.q[pos={1]"}) {
    EXPECT_FALSE(Expression::parse(text)) << text;
  }
  EXPECT_FALSE(Expression::parse(std::string(300, '(') + "1" + std::string(300, ')')));
  for (const char* text :
       {"nobody", "blocks.7.attn.q[pos=0]", "blocks.0.attn.q", "blocks.0.attn.pattern[head=9,query=0,key=0]",
        "input[pos=0] + input[pos=0,d_model=0-1]", "config('wishes')", "1 + 'a'", "logits[pos=0,vocab=0]",
        "at(input[pos=0], 5)", "pos('cat')", "input[seq=5,pos=0]"}) {
    const auto found = number(text);
    EXPECT_FALSE(found) << text;
    if (!found) {
      EXPECT_FALSE(found.error().sentence().starts_with("error.")) << text;
    }
  }
}

}  // namespace
}  // namespace attnscope
