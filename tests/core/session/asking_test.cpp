// What is asked: the measure that stands by itself, that is typed, that outlives an input; a sweep as a job
// that knows which run it was of; cells as edits of the document that come and go; two prompts that change
// places.
#include "core/session/asking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/lens/answer_change.h"
#include "core/session/measure_text.h"

namespace attnscope {
namespace {

constexpr const char* kStory = "The cat sat on the mat because it was tired. So the";
constexpr const char* kSoft = "The cat sat on the mat because it was soft. So the";
constexpr const char* kMeasure = "logit_diff:cat,mat";

class AskingTest : public ::testing::Test {
 protected:
  void open(const std::string& text = kStory) {
    session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/models/storyteller");
    session_.wait();
    ASSERT_TRUE(session_.result()) << (session_.error() ? session_.error()->text() : "");
    type(text);
  }
  void type(const std::string& text) {
    ASSERT_TRUE(session_.edit("text", {}, [&](Document& document) { return set_text(document, 0, text); }));
    session_.wait();
    settle();
  }
  // Until the measure of the newest run is there and nothing is computed.
  void settle() {
    for (int quiet = 0; quiet < 3; ++quiet) {
      asking_.follow(session_.workers(), session_.result(), 0);
      while (session_.workers().any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void answer() {
    settle();
    ASSERT_TRUE(asking_.request());
    asking_.start(session_.workers());
    settle();
    ASSERT_TRUE(asking_.answer());
    ASSERT_FALSE(asking_.answer()->error) << asking_.answer()->error->text();
    ASSERT_TRUE(asking_.answer()->sweep);
    EXPECT_TRUE(asking_.answer()->done);
  }
  void edit(const std::function<Status(Document&)>& change) {
    ASSERT_TRUE(session_.edit("change", {}, change));
    session_.wait();
    settle();
  }
  std::size_t cell(const std::string& text) const {
    const auto& cells = asking_.answer()->sweep->cells();
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (to_text(cells[i].site) + to_text(cells[i].at) == text) return i;
    ADD_FAILURE() << text;
    return 0;
  }
  double value(const std::string& text) const { return asking_.answer()->values[cell(text)]; }
  MeasureAnswer measured() {
    settle();
    return *asking_.measure.of(*session_.result());
  }

  Session session_;
  Asking asking_;
};

TEST_F(AskingTest, TheMostLikelyAgainstTheSecondStandsByItself) {
  open();
  const MeasureAnswer found = measured();
  ASSERT_TRUE(found.measure);
  const Tensor logits = session_.result()->trace(0).logits_row(13);
  for (int id = 0; id < logits.size(0); ++id) {
    EXPECT_LE(logits.at(id), logits.at(found.measure->target));
    if (id != found.measure->target) {
      EXPECT_LE(logits.at(id), logits.at(found.measure->distractor));
    }
  }
  EXPECT_GT(found.value, 0);
  EXPECT_FALSE(found.unedited) << "nothing is edited";
}

TEST_F(AskingTest, AMeasureOutlivesTheInputAndKnowsWhatEditsChanged) {
  open();
  asking_.measure.text = kMeasure;
  EXPECT_NEAR(measured().value, 10.4786, 1e-3);
  EXPECT_EQ(measured().text, kMeasure);
  type(kSoft);
  EXPECT_NEAR(measured().value, -9.980, 1e-3);
  EXPECT_FALSE(measured().unedited);
  type(kStory);
  edit([](Document& document) -> Status {
    document.edits.push_back(*parse_edit("blocks.0.attn.z[head=2]=0"));
    return Done{};
  });
  const MeasureAnswer edited = measured();
  ASSERT_TRUE(edited.unedited);
  EXPECT_NEAR(*edited.unedited, 10.4786, 1e-3);
  EXPECT_NEAR(edited.change(), -8.583, 1e-2);
  asking_.measure.text = "kl";
  EXPECT_GT(measured().value, 0) << "against the run without edits";
  session_.undo();
  session_.wait();
  EXPECT_NEAR(measured().value, 0, 1e-6);
}

TEST_F(AskingTest, TheDefaultStaysThatOfTheRunWithoutEdits) {
  open();
  const MeasureAnswer plain = measured();
  edit([](Document& document) -> Status {
    document.edits.push_back(*parse_edit("blocks.0.attn.z[head=2]=0"));
    document.edits.push_back(*parse_edit("blocks.1.mlp.out=0"));
    return Done{};
  });
  EXPECT_EQ(measured().measure->target, plain.measure->target);
  EXPECT_EQ(measured().measure->distractor, plain.measure->distractor);
}

TEST_F(AskingTest, ACellThatIsNoNumberIsKnownAsWell) {
  open();
  edit([](Document& document) -> Status {
    for (const char* text : {"blocks.0.attn.z[head=1,query=3]=3e38", "blocks.0.attn.z[head=1,query=3]*=3e38"})
      document.edits.push_back(*parse_edit(text));
    return Done{};
  });
  asking_.measure.text = kMeasure;
  answer();
  EXPECT_EQ(asking_.answer()->known(), 8);
  EXPECT_TRUE(std::isnan(asking_.answer()->values[cell("blocks.1.attn.z[head=0]")]));
  EXPECT_FALSE(std::isnan(asking_.answer()->values[cell("blocks.0.attn.z[head=1]")]));
  EXPECT_FALSE(asking_.can_go_on());
}

TEST_F(AskingTest, KlIsToTheRunThatIsPinned) {
  open();
  asking_.measure.text = "kl";
  session_.pin();
  const auto a = session_.pinned();
  type(kSoft);
  EXPECT_EQ(measured().value, 0) << "without A it is the run without edits";
  asking_.measure.follow(session_.workers(), session_.result(), 0, a);
  while (session_.workers().any_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double wanted = answer_change(a->trace(0), session_.result()->trace(0))->kl;
  EXPECT_GT(wanted, 1);
  EXPECT_NEAR(asking_.measure.newest()->value, wanted, 1e-6);
}

TEST_F(AskingTest, TokensThatAModelLacksGiveWayAndAreTold) {
  open();
  asking_.measure.text = "logit:quasar";
  const MeasureAnswer found = measured();
  ASSERT_TRUE(found.error);
  EXPECT_NE(found.error->sentence().find("quasar"), std::string::npos);
  ASSERT_TRUE(found.measure) << "the most likely stand in";
  EXPECT_EQ(found.measure->kind, LogitMeasure::Kind::logit_diff);
}

TEST_F(AskingTest, ChosenTokensMakeAMeasure) {
  open();
  const OpenedModel& opened = *session_.document().opened;
  const int cat = *parse_output(opened, "cat"), mat = *parse_output(opened, "mat");
  const LogitMeasure logit{LogitMeasure::Kind::logit, cat, -1, -1, {}};
  EXPECT_EQ(with_distractor(opened, logit, mat), kMeasure);
  EXPECT_EQ(with_target(opened, logit, mat), "logit:mat");
  const LogitMeasure diff{LogitMeasure::Kind::logit_diff, cat, mat, -1, {}};
  EXPECT_EQ(with_target(opened, diff, mat), "logit:mat") << "nothing is measured against itself";
  EXPECT_EQ(with_distractor(opened, diff, cat), kMeasure) << "nor against itself here";
}

TEST_F(AskingTest, AModelWithoutLogitsSaysWhyThereIsNoMeasure) {
  session_.open(std::string(ATTNSCOPE_SOURCE_DIR) + "/assets/scenes/nine_steps.json");
  session_.wait();
  ASSERT_TRUE(session_.result());
  const MeasureAnswer found = measured();
  EXPECT_FALSE(found.measure);
  ASSERT_TRUE(found.error);
  EXPECT_NE(found.error->sentence().find("logits"), std::string::npos);
  EXPECT_FALSE(asking_.request());
}

TEST_F(AskingTest, TheStorytellersHeads) {
  open();
  asking_.measure.text = kMeasure;
  answer();
  EXPECT_NEAR(asking_.answer()->base(), 10.4786, 1e-3);
  EXPECT_EQ(asking_.answer()->known(), 8);
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 4; ++head) {
      const double lost = asking_.answer()->base() - value("blocks." + std::to_string(layer) +
                                                           ".attn.z[head=" + std::to_string(head) + "]");
      if (layer == 0 && head == 2)
        EXPECT_NEAR(lost, 8.6, 0.05);
      else if (layer == 1 && head == 3)
        EXPECT_NEAR(lost, 3.4, 0.05);
      else
        EXPECT_LE(std::fabs(lost), 1.1) << layer << "." << head;
    }
  EXPECT_TRUE(asking_.answer()->correlation());
  EXPECT_FALSE(asking_.answer()->self) << "nothing was patched";
}

TEST_F(AskingTest, AnAnswerKnowsWhichRunItIsOf) {
  open();
  asking_.measure.text = kMeasure;
  answer();
  EXPECT_TRUE(asking_.is_fresh(*asking_.answer()));
  type(kSoft);
  EXPECT_FALSE(asking_.is_fresh(*asking_.answer()));
  type(kStory);
  EXPECT_TRUE(asking_.is_fresh(*asking_.answer())) << "the same numbers once more";
  asking_.settings.how = AskHow::mean;
  settle();
  EXPECT_FALSE(asking_.is_fresh(*asking_.answer()));
  asking_.settings.how = AskHow::zero;
  asking_.measure.text = "logit:cat";
  settle();
  EXPECT_FALSE(asking_.is_fresh(*asking_.answer()));
}

TEST_F(AskingTest, ACellBecomesAnEditAndIsTakenBack) {
  open();
  asking_.measure.text = kMeasure;
  answer();
  const auto kept = asking_.answer();
  const std::size_t head = cell("blocks.0.attn.z[head=2]");
  const auto toggle = [&](Document& document) { return asking_.toggle(document, *kept, head); };
  edit(toggle);
  ASSERT_EQ(session_.document().edits.size(), 1u);
  EXPECT_EQ(to_text(*session_.document().edits[0]), "blocks.0.attn.z[head=2]=0");
  EXPECT_NEAR(measured().value, kept->values[head], 1e-5) << "the run is the one that the cell was of";
  EXPECT_TRUE(asking_.is_fresh(*kept)) << "its own edits change nothing about the answer";
  EXPECT_TRUE(asking_.is_put(session_.document(), *kept, head));
  edit(toggle);
  EXPECT_TRUE(session_.document().edits.empty());
  session_.undo();
  session_.wait();
  settle();
  EXPECT_TRUE(asking_.is_put(session_.document(), *kept, head));
  asking_.start(session_.workers());
  settle();
  EXPECT_NEAR(asking_.answer()->base(), kept->values[head], 1e-5) << "now it is part of what is asked about";
}

TEST_F(AskingTest, PatchingLightsWhereTheDifferenceIsCarried) {
  open();
  asking_.measure.text = kMeasure;
  asking_.settings.page = AskPage::patch;
  settle();
  EXPECT_FALSE(asking_.request()) << "there is no other prompt";
  asking_.settings.other = kSoft;
  answer();
  EXPECT_NEAR(asking_.answer()->base(), -9.980, 1e-3);
  ASSERT_TRUE(asking_.answer()->donor);
  EXPECT_NEAR(*asking_.answer()->donor, 10.4786, 1e-3);
  EXPECT_NEAR(value("blocks.0.resid_pre[pos=10]"), 10.48, 0.01);
  EXPECT_NEAR(value("blocks.1.resid_pre[pos=13]"), 10.08, 0.01);
  EXPECT_NEAR(value("blocks.0.resid_pre[pos=13]"), -9.980, 1e-3);
  ASSERT_TRUE(asking_.answer()->self);
  EXPECT_GT(asking_.answer()->self->cells, 3);
  EXPECT_EQ(asking_.answer()->self->largest, 0);
}

TEST_F(AskingTest, ACellOfTheOtherPromptOpensThatRun) {
  open();
  asking_.measure.text = kMeasure;
  asking_.settings.page = AskPage::patch;
  asking_.settings.other = kSoft;
  answer();
  const auto kept = asking_.answer();
  const std::size_t last = cell("blocks.1.resid_pre[pos=13]");
  edit([&](Document& document) { return asking_.toggle(document, *kept, last); });
  EXPECT_EQ(session_.document().sequences[0].text, kSoft);
  EXPECT_NEAR(measured().value, kept->values[last], 1e-5);
  EXPECT_NEAR(*measured().unedited, -9.980, 1e-3);
  EXPECT_EQ(asking_.settings.other, kStory);
  EXPECT_FALSE(asking_.settings.into_other);
  EXPECT_TRUE(asking_.is_fresh(*kept)) << "the same two prompts, the other way round";
  EXPECT_TRUE(asking_.is_put(session_.document(), *kept, last));
  edit([&](Document& document) { return asking_.toggle(document, *kept, last); });
  EXPECT_TRUE(session_.document().edits.empty());
  EXPECT_EQ(session_.document().sequences[0].text, kSoft) << "the prompts stay";
  session_.undo();
  session_.undo();
  session_.wait();
  settle();
  EXPECT_EQ(session_.document().sequences[0].text, kStory);
  EXPECT_EQ(asking_.settings.other, kSoft);
  EXPECT_TRUE(asking_.settings.into_other);
  EXPECT_TRUE(asking_.is_fresh(*kept));
}

TEST_F(AskingTest, PromptsOfOtherLengthAreMatchedByTheirTokens) {
  open();
  asking_.measure.text = kMeasure;
  asking_.settings.page = AskPage::patch;
  asking_.settings.other = "The mat. So the";
  answer();
  const SweepAnswer& found = *asking_.answer();
  const Trace &into = *found.sweep->run(), &from = session_.result()->trace(0);
  ASSERT_LT(into.length, from.length);
  std::size_t cells = 0;
  for (const SweepCell& one : found.sweep->cells()) {
    ASSERT_LT(one.at.front().begin, into.length);
    cells += one.site.layer == 0 ? 1 : 0;
  }
  EXPECT_EQ(static_cast<std::int64_t>(cells), into.length) << "every token of the shorter one has a partner";
  EXPECT_EQ(found.known(), std::ssize(found.values));
  asking_.settings.into_other = false;
  answer();
  EXPECT_LT(std::ssize(asking_.answer()->values), 2 * from.length) << "some here have none";
}

TEST_F(AskingTest, WhatIsKnownStaysWhenItIsStopped) {
  open();
  asking_.measure.text = kMeasure;
  settle();
  std::shared_ptr<const SweepAnswer> stopped;
  for (int tries = 0; tries < 50 && !(stopped && stopped->stopped); ++tries) {  // a small one may end before
    asking_.start(session_.workers());
    asking_.stop();
    EXPECT_FALSE(asking_.running());
    settle();
    stopped = asking_.answer();
    ASSERT_TRUE(stopped);
    EXPECT_TRUE(stopped->done);
    EXPECT_FALSE(stopped->error) << "to be stopped is no error";
  }
  EXPECT_TRUE(stopped->stopped);
}

TEST_F(AskingTest, WhatWasStoppedGoesOnWithTheCellsThatAreLeft) {
  open();
  asking_.measure.text = kMeasure;
  answer();
  const std::vector<double> all = asking_.answer()->values;
  AskedSweep sweep;
  sweep.start(session_.workers(), *asking_.request(), -1);  // any time is too long
  while (sweep.running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto asks = sweep.newest();
  ASSERT_TRUE(asks->asks) << "it says how long the rest takes";
  EXPECT_GE(*asks->asks, 0);
  EXPECT_TRUE(asks->can_go_on());
  EXPECT_GE(asks->known(), 2);
  EXPECT_LT(asks->known(), std::ssize(all));
  sweep.go_on(session_.workers());
  while (sweep.running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto done = sweep.newest();
  EXPECT_FALSE(done->asks);
  EXPECT_FALSE(done->can_go_on());
  EXPECT_EQ(done->values, all) << "to the bit";
  EXPECT_GE(done->seconds, asks->seconds);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(done->estimates[i], asks->estimates[i]);
}

TEST_F(AskingTest, HeadsAtEveryPositionAreAQuestionOfTwoAxes) {
  open();
  asking_.measure.text = kMeasure;
  asking_.settings.knock_out = "heads_at";
  answer();
  EXPECT_EQ(asking_.answer()->values.size(), 2u * 4u * 14u);
  const auto input = inputs_of(session_.result()->document).at(0);
  RunOptions options;
  options.edits.push_back(*parse_edit("blocks.1.attn.z[head=3,pos=13]=0"));
  const auto run =
      session_.result()->document.model->run(session_.result()->document.model->completed(input), options);
  ASSERT_TRUE(run);
  EXPECT_NEAR(value("blocks.1.attn.z[head=3,pos=13]"), *attnscope::measured(*measured().measure, **run),
              1e-5);
}

}  // namespace
}  // namespace attnscope
