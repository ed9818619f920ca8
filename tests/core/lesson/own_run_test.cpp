// Answers in a run of the learner's own: other edits, another text, another sequence; and how numbers are
// typed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/lesson/audit.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// A page of a shipped lesson, as a learner changes it.
struct OwnRun {
  Lesson lesson;
  const Page* page = nullptr;
  PageRun run;
  OwnRun(const std::string& id, const std::string& name) {
    auto read = shipped_lesson(id);
    EXPECT_TRUE(read) << read.error().text();
    lesson = *std::move(read);
    for (const Page& one : lesson.pages)
      if (one.id == name) page = &one;
    const Status opened = run.open(*page);
    EXPECT_TRUE(opened) << opened.error().text();
  }
  ExpressionScope scope() const { return {run.run(), &run.first(), 0, {}}; }
  Result<Verdict> says(const Answer& answer) const { return check_answer(lesson, *page, answer, scope()); }
  bool right(const Answer& answer) const {
    const auto verdict = says(answer);
    EXPECT_TRUE(verdict) << verdict.error().text();
    return verdict && verdict->right;
  }
  std::string key(const Answer& answer) const {
    const auto verdict = says(answer);
    EXPECT_TRUE(verdict) << verdict.error().text();
    return verdict ? std::string(verdict->words.key()) : std::string();
  }
  std::string because() const {
    const auto said = because_text(lesson, *page, scope());
    EXPECT_TRUE(said) << said.error().text();
    return said ? said->str() : std::string();
  }
  void change(const std::function<Status(Document&)>& what) {
    const Status done = run.edit(what);
    EXPECT_TRUE(done) << done.error().text();
  }
};

Status put(Document& document, const char* text) {
  TRY(auto edit, parse_edit(text));
  put_edit(document, std::move(edit));
  return Done{};
}

// ---- numbers as they are typed ----------------------------------------------------------------------------

TEST(LessonTyped, ANumberIsTakenAsThePicturePrintsIt) {
  const OwnRun bias("rope_alibi", "alibi");  // 0.125, printed .12
  for (const char* text : {"0.125", ".12", "0.12", "0.13"})
    EXPECT_TRUE(bias.right(std::string(text))) << text;
  for (const char* text : {"0.1", "0.0625", "0.14", "0.1234"})
    EXPECT_FALSE(bias.right(std::string(text))) << text;
  EXPECT_EQ(bias.key(std::string("-0.125")), "lesson.rope_alibi.alibi.slip.sign");
  const OwnRun sine("sines", "first");
  EXPECT_TRUE(sine.right(std::string("0.84")));
  EXPECT_FALSE(sine.right(std::string("0.8")));
  EXPECT_EQ(sine.key(std::string("0.54")), "lesson.sines.first.slip.cosine");
  EXPECT_EQ(OwnRun("sines", "length").key(std::string("8")), "lesson.sines.length.slip.each");
}

TEST(LessonTyped, AWrongNumberIsSaidBackAsItWasTyped) {
  const OwnRun row("softmax", "row");
  const auto said = [&](const char* text) { return row.says(std::string(text))->words.str(); };
  EXPECT_NE(said("0.3").find("You answered 0.3."), std::string::npos) << said("0.3");
  EXPECT_NE(said(" 30 % ").find("You answered 30 %."), std::string::npos) << said(" 30 % ");
  EXPECT_NE(said("-0.50").find("You answered \u22120.50."), std::string::npos) << said("-0.50");
  EXPECT_NE(said(".25").find("You answered .25:"), std::string::npos) << said(".25");
  EXPECT_NE(said("1/5").find("You answered 0.2000."), std::string::npos) << said("1/5");
}

TEST(LessonTyped, CommasBetweenThreeDigitsAreNoneOfASum) {
  const OwnRun count("counting", "all");
  for (const char* text : {"116864", "116,864", "2*(16,640+33,088)+262*64+5*128"})
    EXPECT_TRUE(count.right(std::string(text))) << text;
  for (const char* text : {"116,86,4", "1168,64", "116,8640", "0.116,864"})
    EXPECT_FALSE(count.says(std::string(text))) << text;
}

TEST(LessonAnswers, MoreMistakesWithANameAreToldAsSuch) {
  EXPECT_EQ(OwnRun("softmax", "row").key(std::string("1/3")), "lesson.softmax.row.slip.third");
  EXPECT_EQ(OwnRun("softmax", "row").key(std::string("0.25")), "lesson.softmax.row.slip.quarter");
  EXPECT_EQ(OwnRun("encoder_decoder", "shape").key(std::string("(1, 4, 8, 9)")),
            "lesson.encoder_decoder.shape.slip.exchanged");
  EXPECT_EQ(OwnRun("robot_policy", "patches").key(std::string("48")),
            "lesson.robot_policy.patches.slip.numbers");
  EXPECT_EQ(OwnRun("counting", "share").key(DrawnBars{{0.25, 0.25, 0.25, 0.25}}),
            "lesson.counting.share.slip.even");
  OwnRun win("softmax", "win");
  win.change(
      [](Document& document) { return put(document, "blocks.0.attn.scores[head=0,query=2,key=3]=9"); });
  EXPECT_EQ(win.key({}), "lesson.softmax.win.slip.masked");
  OwnRun over("softmax", "overflow");
  over.change(
      [](Document& document) { return put(document, "blocks.0.attn.scores[head=1,query=2,key=0]=100"); });
  EXPECT_EQ(over.key({}), "lesson.softmax.overflow.slip.masked") << "another head";
  over.change(
      [](Document& document) { return put(document, "blocks.0.attn.scores[head=0,query=2,key=0]=-100"); });
  EXPECT_EQ(over.key({}), "lesson.softmax.overflow.slip.negative");
  over.change(
      [](Document& document) { return put(document, "blocks.0.attn.scores[head=0,query=2,key=0]=1000"); });
  EXPECT_EQ(over.key({}), "verdict.right.change");
  EXPECT_NE(over.because().find("largest is 1:"), std::string::npos) << over.because();
  OwnRun off("head_roles", "off");
  off.change(
      [](Document& document) { return put(document, "blocks.1.attn.pattern[head=3,query=13,key=2]=0"); });
  EXPECT_EQ(off.key({}), "lesson.head_roles.off.slip.weight") << "no head was knocked out";
  OwnRun need("induction_head", "need");
  need.change([](Document& document) { return put(document, "blocks.1.attn.z[head=0]=0"); });
  EXPECT_EQ(need.key({}), "lesson.induction_head.need.slip.itself");
}

// The page's cells are of the run as it is: with one head out, the one that is asked for hardly shows.
TEST(LessonAnswers, AHeadTooManyIsToBeTakenBack) {
  OwnRun page("knock_out", "surprise");
  page.change([](Document& document) { return put(document, "blocks.1.attn.z[head=3]=0"); });
  EXPECT_EQ(page.key({}), "lesson.knock_out.surprise.slip.other");
  page.change([](Document& document) { return put(document, "blocks.0.attn.z[head=2]=0"); });
  EXPECT_EQ(page.key({}), "lesson.knock_out.surprise.slip.other") << "both are no answer";
  OwnRun alone("vla", "draw");
  alone.change([](Document& document) { return set_mask_text(document, "image>image"); });
  EXPECT_EQ(alone.key({}), "lesson.vla.draw.slip.alone");
}

TEST(LessonAnswers, AMaskThatWasNotTouchedTellsNoCell) {
  EXPECT_EQ(OwnRun("vla", "draw").key({}), "verdict.wrong.unchanged");
  OwnRun words("vla", "draw");
  words.change([](Document& document) { return set_mask_text(document, "causal | image>text"); });
  EXPECT_EQ(words.key({}), "lesson.vla.draw.slip.words");
}

// ---- other edits, other texts -----------------------------------------------------------------------------

TEST(LessonBecause, IsNotSaidWhereAnotherChoiceIsRight) {
  OwnRun cache("encoder_decoder", "cache");
  EXPECT_NE(cache.because(), "");
  EXPECT_TRUE(cache.right(std::string("no")));
  cache.change([](Document& document) { return set_mask_text(document, "causal"); });
  EXPECT_TRUE(cache.right(std::string("yes"))) << "it is so in this run";
  EXPECT_EQ(cache.because(), "") << "and not for the reason of the page";
  OwnRun peek("vla", "peek");
  EXPECT_NE(peek.because(), "");
  peek.change([](Document& document) { return set_mask_text(document, "causal"); });
  EXPECT_EQ(peek.because(), "");
  // Without "holds": in a run in which another choice is right.
  OwnRun shift("rope_alibi", "shift");
  EXPECT_NE(shift.because(), "");
  shift.change(
      [](Document& document) { return put(document, "blocks.0.attn.scores[head=0,query=6,key=4]=9"); });
  EXPECT_FALSE(shift.right(std::string("same")));
  EXPECT_EQ(shift.because(), "");
}

TEST(LessonAnswers, AnInstructionOfAnyLengthIsJudgedAtItsEnd) {
  for (const char* text : {"pick blue cup", "push the blue star", "pick the blue cup now"}) {
    OwnRun command("robot_policy", "command");
    command.change([&](Document& document) { return set_text(document, 0, text); });
    EXPECT_TRUE(command.says({})) << text;
  }
  OwnRun blue("robot_policy", "command");
  blue.change([](Document& document) { return set_text(document, 0, "pick blue cup"); });
  EXPECT_TRUE(blue.right({}));
  const std::pair<const char*, const char*> slips[] = {{"pick the green cup", "absent"},
                                                       {"pick the red teacup", "unknown"}};
  for (const auto& [text, slip] : slips) {
    OwnRun same("robot_policy", "command");
    same.change([&, words = text](Document& document) { return set_text(document, 0, words); });
    EXPECT_EQ(same.key({}), std::string("lesson.robot_policy.command.slip.") + slip);
  }
}

TEST(LessonAnswers, ACupThatWasPaintedOverIsNotFollowed) {
  OwnRun loop("robot_policy", "loop");
  loop.change([](Document& document) { return put(document, "vision.patches[pos=6]=@pos:5"); });
  EXPECT_EQ(loop.key({}), "lesson.robot_policy.loop.slip.nothing");
}

TEST(LessonAnswers, AnyTextOfTheClassifierIsJudgedByItsClass) {
  OwnRun one("encoder_decoder", "classifier");
  for (const char* text : {"happy", "[CLS] The dog is warm .", "[CLS] The cat is happy and sad ."}) {
    one.change([text](Document& document) { return set_text(document, 0, text); });
    EXPECT_FALSE(one.right({})) << text;
  }
  for (const char* text : {"sad", "[CLS] The dog is cold ."}) {
    one.change([text](Document& document) { return set_text(document, 0, text); });
    EXPECT_TRUE(one.right({})) << text;
  }
}

TEST(LessonAnswers, TheDetectivesLastLookTellsItsTwoPathsApart) {
  OwnRun sound("detective", "fourth");
  EXPECT_FALSE(sound.right(std::string("ffn_skip")));
  EXPECT_TRUE(sound.right(std::string("skip")));
  const auto lesson = shipped_lesson("detective");
  ASSERT_TRUE(lesson);
  const Page& page = lesson->pages.back();
  PageRun run;
  ASSERT_TRUE(run.open(page));
  for (const ChoiceAsk::Look& look : std::get<ChoiceAsk>(page.ask).looks) {
    const auto told = look_told(look, {run.run(), &run.first(), 0, {}});
    ASSERT_TRUE(told) << look.id;
    if (look.id == "stream") {
      EXPECT_EQ(told->faulty.str(), "0");
    } else if (look.id == "past_ffn") {
      EXPECT_NEAR(std::stod(told->faulty.str()), 1, 1e-3);
    }
  }
}

// ---- the check --------------------------------------------------------------------------------------------

json two_pages(const char* id) {
  return json::parse(R"json({"format": "attnscope-lesson", "version": 1, "id": ")json" + std::string(id) +
                     R"json(",
    "pages": [
    {"id": "a", "open": {"model": "scene:nine_steps"}, "look": {"view": "steps", "cursor": {"step": "blocks.0.attn.q", "layer": 0}},
     "ask": {"kind": "shape", "step": "blocks.0.attn.q"}},
    {"id": "b", "ask": {"kind": "choice", "choices": [
      {"id": "yes", "words": "queries and keys", "when": "tokens() == 4"},
      {"id": "no", "words": "values alone", "when": "tokens() == 5"}]}}],
    "strings": {"en": {"title": "T", "a.title": "A", "a.text": "See.", "a.ask": "Which?", "a.hint1": "One.",
      "a.hint2": "Two.", "a.because": "So.", "b.title": "B", "b.text": "See.", "b.ask": "Which?", "b.hint1": "One.",
      "b.hint2": "Two.", "b.because": "So."}}})json");
}

std::string refused(const json& lesson) {
  const auto read = lesson_from_text(lesson.dump(), "mine.json");
  if (!read) return read.error().sentence();
  const auto audit = audit_lesson(*read);
  return audit ? "" : audit.error().sentence();
}

TEST(Audit, AnAnswerThatIsToldBeforehandIsRefused) {
  EXPECT_EQ(refused(two_pages("own_untold")), "");
  for (const char* where : {"a.text", "a.because", "b.text"}) {
    json lesson = two_pages(("own_told_" + std::string(where)).c_str());
    lesson["strings"]["en"][where] = "It turns Queries and keys.";
    const std::string said = refused(lesson);
    EXPECT_NE(said.find("page \"b\""), std::string::npos) << where << ": " << said;
    EXPECT_NE(said.find("queries and keys"), std::string::npos) << where << ": " << said;
    lesson = two_pages(("own_both_" + std::string(where)).c_str());
    lesson["strings"]["en"][where] = "Is it queries and keys, or values alone?";
    EXPECT_EQ(refused(lesson), "") << where << " names both";
  }
  json number = two_pages("own_number");
  number["pages"][1]["ask"] = {
      {"kind", "number"}, {"answer", "blocks.0.attn.q[pos=0,head*d_head=1]"}, {"tolerance", 0.001}};
  number["strings"]["en"]["a.because"] = "It holds 0.187.";
  EXPECT_NE(refused(number).find("0.187"), std::string::npos);
}

TEST(Audit, ACursorOfAnotherBlockThanItsStepIsRefused) {
  json lesson = two_pages("own_block");
  lesson["pages"][0]["look"]["cursor"]["layer"] = 2;
  EXPECT_NE(refused(lesson).find("look.cursor.layer"), std::string::npos) << refused(lesson);
}

TEST(LessonFiles, ALabIsOpenedWithItsValuesAndAnEndInvitesToNothing) {
  json lesson = two_pages("own_values");
  lesson["own"] = "none";
  lesson["pages"][0]["explore"] = json::array({{{"lab", "pair,b=alibi"}}, {{"lab", "sqrt"}}});
  const auto read = lesson_from_text(lesson.dump(), "mine.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->own, Lesson::Own::nothing);
  const auto& explores = read->pages[0].explores;
  EXPECT_EQ(explores[0].lab, "pair");
  EXPECT_FALSE(explores[0].values.all().empty());
  EXPECT_TRUE(explores[1].values.all().empty()) << "the learner's own stay";
  lesson["own"] = "text";
  EXPECT_NE(refused(lesson).find("field own"), std::string::npos);
  lesson.erase("own");
  lesson["pages"][0]["explore"] = json::array({{{"lab", "pair,b=nothing"}}});
  EXPECT_NE(refused(lesson).find("explore.lab"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
