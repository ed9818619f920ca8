// What a page keeps to itself, under every name it has; what may be typed; ties and mistakes that have names.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/lesson/audit.h"
#include "core/lesson/leaks.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/lesson/worksheet.h"
#include "core/session/mask_edits.h"

namespace attnscope {
namespace {

using nlohmann::json;

/// A page of a shipped lesson in its run.
struct HiddenPage {
  Lesson lesson;
  std::size_t page = 0;
  PageRun run;
  HiddenPage(const std::string& id, const std::string& name) {
    auto read = shipped_lesson(id);
    EXPECT_TRUE(read) << read.error().text();
    lesson = *std::move(read);
    while (page + 1 < lesson.pages.size() && lesson.pages[page].id != name) ++page;
    EXPECT_EQ(lesson.pages[page].id, name);
    const Status opened = run.open(lesson.pages[page]);
    EXPECT_TRUE(opened) << opened.error().text();
  }
  const Page& shown() const { return lesson.pages[page]; }
  ExpressionScope scope() const { return {run.run(), &run.first(), 0, {}}; }
  Result<Verdict> typed(const std::string& text) const { return answered(Answer(text)); }
  Result<Verdict> answered(const Answer& answer) const {
    return check_answer(lesson, shown(), answer, scope());
  }
  bool hides(const std::string& place) const {
    const auto hidden = hidden_targets(shown(), scope());
    EXPECT_TRUE(hidden) << hidden.error().text();
    const auto target = parse_target(place);
    EXPECT_TRUE(target) << place;
    return hides_any(*hidden, *target);
  }
};

bool hidden_right(const Result<Verdict>& verdict) { return verdict && verdict->right; }

TEST(LessonTyped, ASumIsComputedAndTheRunIsNotAsked) {
  const HiddenPage loss("loss", "one");
  for (const char* text :
       {"-ln(0.1322)", "-ln 0.1322", "\u2212ln 0.1322", "-log(0.1322)", "2.0234", "-log 0.1322"})
    EXPECT_TRUE(hidden_right(loss.typed(text))) << text;
  for (const char* text : {"loss()", "-log(at(probs[pos=2], id('sat')))", "max(probs[pos=2])", "tokens()"})
    EXPECT_FALSE(loss.typed(text)) << text;
  const HiddenPage root("why_sqrt", "factor");
  for (const char* text : {"sqrt(16)", "sqrt 16", "\u221a16", "4", "2^2"})
    EXPECT_TRUE(hidden_right(root.typed(text))) << text;
  EXPECT_FALSE(root.typed("sqrt(config('d_head'))"));
  EXPECT_FALSE(root.typed("std(blocks.1.attn.scores[head=3]) / std(blocks.1.attn.scaled[head=3])"));
}

TEST(LessonAnswers, WhatIsShownAsOneNumberIsOneAnswer) {
  const HiddenPage page("induction_head", "induction");
  EXPECT_TRUE(hidden_right(page.answered(HeadPlace{1, 0})));
  EXPECT_TRUE(hidden_right(page.answered(HeadPlace{1, 1}))) << "0.996 and 0.999 are both 1.00 on the screen";
  EXPECT_FALSE(hidden_right(page.answered(HeadPlace{0, 0})));
}

TEST(LessonAnswers, MistakesWithANameAreToldAsSuch) {
  const auto key = [](const Result<Verdict>& verdict) {
    return verdict && !verdict->right ? std::string(verdict->words.key()) : std::string();
  };
  EXPECT_EQ(key(HiddenPage("nine_steps", "shape").typed("(2,4,3)")), "lesson.nine_steps.shape.slip.input");
  EXPECT_EQ(key(HiddenPage("nine_steps", "shape").typed("(4,3)")), "lesson.nine_steps.shape.slip.input");
  EXPECT_EQ(key(HiddenPage("nine_steps", "shape").typed("(2,4,5)")), "verdict.wrong.shape");
  EXPECT_EQ(key(HiddenPage("nine_steps", "shape").typed("(4,2)")), "verdict.wrong.shape.batch");
  EXPECT_EQ(key(HiddenPage("nine_steps", "scores").typed("(2,4,4)")), "verdict.wrong.shape.batch");
  EXPECT_TRUE(hidden_right(HiddenPage("gqa_cache", "groups").typed("(2,11,16)"))) << "one sequence";
  EXPECT_EQ(key(HiddenPage("induction_head", "induction").answered(HeadPlace{0, 0})),
            "lesson.induction_head.induction.slip.previous");
  EXPECT_EQ(key(HiddenPage("induction_head", "previous").answered(HeadPlace{1, 0})),
            "lesson.induction_head.previous.slip.copies");
  const auto cell = [](int lookup) {
    return Answer(*parse_cell("blocks.1.attn.pattern[head=0,query=24,key=" + std::to_string(lookup) + "]"));
  };
  const HiddenPage where("induction_head", "where");
  EXPECT_EQ(key(where.answered(cell(12))), "lesson.induction_head.where.slip.copy");
  EXPECT_EQ(key(where.answered(cell(3))), "verdict.wrong.cell");
  HiddenPage mask("masks", "draw");
  const auto draw = [&](const char* text) {
    ASSERT_TRUE(mask.run.edit(
        [text](Document& document) { return choose_mask(document, text, AttentionKind::main); }));
  };
  draw("window(2)");
  EXPECT_EQ(key(mask.answered({})), "lesson.masks.draw.slip.future");
  draw("causal");
  EXPECT_EQ(key(mask.answered({})), "verdict.wrong.mask.open");
}

TEST(Hidden, ByProvenance) {
  const HiddenPage query("nine_steps", "query");
  EXPECT_TRUE(query.hides("blocks.0.attn.q[pos=0,head*d_head=1]"));
  EXPECT_TRUE(query.hides("blocks.0.attn.view_q[pos=0,head=1,d_head=0]"))
      << "the next step; a head has one number";
  EXPECT_TRUE(query.hides("blocks.0.attn.split_q[head=1,pos=0,d_head=0]"));
  EXPECT_FALSE(query.hides("blocks.0.attn.split_q[head=1,pos=1,d_head=0]"));
  EXPECT_FALSE(query.hides("blocks.0.attn.split_q[head=0,pos=0]"));
  EXPECT_FALSE(query.hides("blocks.0.attn.split_k[head=0,pos=0]"));
  const HiddenPage mix("nine_steps", "mix");
  EXPECT_TRUE(mix.hides("blocks.0.attn.concat[query=2,head*d_head=1]")) << "head 1 beside head 0";
  EXPECT_FALSE(mix.hides("blocks.0.attn.concat[query=2,head*d_head=0]"));
  EXPECT_FALSE(mix.hides("blocks.0.attn.pattern[head=1,query=2]")) << "it is computed from these";
  const HiddenPage bars("nine_steps", "weights");
  EXPECT_TRUE(bars.hides("blocks.0.attn.pattern[head=0,query=2]")) << "the row that is drawn";
  EXPECT_FALSE(bars.hides("blocks.0.attn.scores[head=0,query=2]"));
  const HiddenPage cell("head_roles", "predict");
  for (const char* step : {"scores", "scaled", "masked", "pattern"})
    EXPECT_TRUE(cell.hides(std::string("blocks.1.attn.") + step + "[head=3,query=10,key=2]")) << step;
  EXPECT_FALSE(cell.hides("blocks.1.attn.scores[head=3,query=9]"));
  EXPECT_FALSE(cell.hides("blocks.1.attn.scores[head=2,query=10]"));
  const HiddenPage score("rope_alibi", "shift");
  EXPECT_TRUE(score.hides("blocks.0.attn.scaled[head=0,query=5]")) << "divided by a constant";
}

TEST(Hidden, IsOnNoSheetOfPaper) {
  const auto sheet = [](const char* id) {
    const auto lesson = shipped_lesson(id);
    return lesson ? *worksheet_html(*lesson, false, {}) : std::string();
  };
  EXPECT_EQ(sheet("ten_minutes").find(".969"), std::string::npos) << "the row that is bet on";
  EXPECT_EQ(sheet("nine_steps").find("0.1427"), std::string::npos) << "concat is z again";
}

// A lesson of one's own with one question.
std::string own_refusal(const char* id, const json& page, const json& words = json::object()) {
  json lesson = json::parse(R"json({"format": "attnscope-lesson", "version": 1, "pages": [
    {"id": "p", "because": {}, "look": {"view": "steps"}, "explore": [{"lab": "softmax"}]}],
    "strings": {"en": {"title": "Own", "p.title": "P", "p.text": "Read.", "p.ask": "Do it.", "p.hint1": "A.",
    "p.hint2": "B.", "p.because": "So it is.",
    "p.slip.same": "The same."}}})json");
  lesson["id"] = id;
  lesson["pages"][0].update(page);
  lesson["strings"]["en"].update(words);
  const auto read = lesson_from_text(lesson.dump(), "mine.json");
  if (!read) return read.error().sentence();
  const auto audit = audit_lesson(*read);
  return audit ? "" : audit.error().sentence();
}

TEST(Audit, AWayOnThatLeadsToThePageItselfIsRefused) {
  const auto with = [](const char* id, const char* look, const char* explore) {
    json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}})json");
    page["look"] = json::parse(look);
    page["explore"] = json::array({json::parse(explore)});
    return own_refusal(id, page);
  };
  EXPECT_NE(with("own_here", R"({"view": "steps"})", R"({"view": "steps"})").find("explore"),
            std::string::npos);
  const char* lab = R"({"view": "labs", "lab": "softmax"})";
  EXPECT_NE(with("own_lab_here", lab, R"({"lab": "softmax"})").find("explore"), std::string::npos);
  EXPECT_EQ(with("own_lab_set", lab, R"({"lab": "softmax,largest=12"})"), "");
  EXPECT_EQ(with("own_other", lab, R"({"lab": "sqrt"})"), "");
  EXPECT_EQ(with("own_view", R"({"view": "steps"})", R"({"view": "mask"})"), "");
}

TEST(Audit, APageThatHidesWhatItAsksToChangeIsRefused) {
  const auto with = [](const char* id, const char* hide) {
    json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "ask": {"kind": "change",
      "goal": "input[pos=0,d_model=1] > 1", "show": ["input[pos=0,d_model=1]=2"]}})json");
    page["hide"] = json::array({hide});
    return own_refusal(id, page);
  };
  EXPECT_EQ(with("own_elsewhere", "blocks.0.attn.z[head=1,query=2]"), "");
  const std::string said = with("own_blind", "input[pos=0]");
  for (const char* part : {"mine.json", "page \"p\"", "field hide", "input[pos=0,d_model=1]"})
    EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
}

TEST(Audit, ARowInSightThatSaysWhatIsHiddenIsRefused) {
  const auto with = [](const char* id, const char* hide) {
    json page = json::parse(R"json({"open": {"model": "scene:it_cat_mat"}, "ask": {"kind": "number",
      "answer": "blocks.0.attn.z[head=0,query=0,d_head=0]", "tolerance": 0.01}})json");
    page["hide"] = json::array({hide});
    return own_refusal(id, page);
  };
  EXPECT_EQ(with("own_all", "blocks.0.attn.z"), "");
  EXPECT_NE(with("own_twin", "blocks.0.attn.z[query=0]").find("blocks.0.attn.z[query=1]"), std::string::npos);
}

// The large row below the matrices of a step shows its inputs, too: here they are divided by 1.
TEST(Audit, ARowOfTheStageThatSaysWhatIsHiddenIsRefused) {
  const auto with = [](const char* id, const char* step) {
    json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "ask": {"kind": "number",
      "answer": "blocks.0.attn.scaled[head=0,query=2,key=0]", "tolerance": 0.01},
      "hide": ["blocks.0.attn.scaled[head=0,query=2]"]})json");
    page["look"] = {{"view", "steps"}, {"cursor", {{"step", step}, {"head", 0}, {"query", 2}}}};
    return own_refusal(id, page);
  };
  EXPECT_EQ(with("own_apart", "blocks.0.attn.q"), "");
  EXPECT_NE(with("own_strip", "blocks.0.attn.scaled").find("blocks.0.attn.masked[head=0,query=2]"),
            std::string::npos);
}

// The lens shows words, the chart below it lengths: neither is a cell of the step on the stage.
TEST(Audit, APredictionThatTheLensTellsIsRefused) {
  if (!open_shipped("model:storyteller")) GTEST_SKIP() << "built without models";
  const auto with = [](const char* id, const char* reads, const json& hide) {
    json page = json::parse(R"json({"open": {"model": "model:storyteller"}, "predict": true,
      "look": {"view": "residual", "cursor": {"step": "blocks.1.mlp.out", "query": 2}},
      "ask": {"kind": "choice", "choices": [{"id": "a", "words": "x"}, {"id": "b", "words": "y"}]}})json");
    page["ask"]["choices"][0]["when"] = std::string(reads) + " >= 0";
    page["ask"]["choices"][1]["when"] = std::string(reads) + " < 0";
    if (!hide.empty()) page["hide"] = hide;
    return own_refusal(id, page, {{"p.why.a", "No."}, {"p.why.b", "No."}});
  };
  const char *lens = "argmax(lens(1, 2))", *length = "norm(blocks.0.attn.out[query=2])";
  EXPECT_NE(with("own_lens", lens, json::array()).find("matrix.residual_lens"), std::string::npos);
  EXPECT_EQ(with("own_lens_hidden", lens, {"matrix.residual_lens"}), "");
  EXPECT_NE(with("own_length", length, json::array()).find("residual_parts"), std::string::npos);
  EXPECT_EQ(with("own_length_hidden", length, {"residual_parts"}), "");
}

// A number that stands in the file is that of the cell that the page covers.
TEST(Audit, AWrittenAnswerThatTheRunDoesNotGiveIsRefused) {
  const auto with = [](const char* id, const char* answer) {
    json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "ask": {"kind": "number",
      "tolerance": 0.001}, "hide": ["blocks.0.attn.q[pos=0,head*d_head=1]"]})json");
    page["ask"]["answer"] = answer;
    return own_refusal(id, page);
  };
  const std::string said = with("own_written", "0.5");
  for (const char* part : {"page \"p\"", "field ask.answer", "0.5", "blocks.0.attn.q[pos=0,head*d_head=1]"})
    EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
  EXPECT_EQ(with("own_computed", "blocks.0.attn.q[pos=0,head*d_head=1]"), "");
}

TEST(Audit, APredictionThatIsReadOffItsStageIsRefused) {
  const auto with = [](const char* id, const json& more) {
    json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "predict": true,
      "look": {"view": "attention", "cursor": {"step": "blocks.0.attn.pattern", "layer": 0, "head": 0, "query": 2}},
      "ask": {"kind": "choice", "choices": [
        {"id": "a", "words": "The", "when": "argmax(blocks.0.attn.pattern[head=0,query=2]) == 0"},
        {"id": "b", "words": "cat", "when": "argmax(blocks.0.attn.pattern[head=0,query=2]) == 1"},
        {"id": "c", "words": "sat", "when": "argmax(blocks.0.attn.pattern[head=0,query=2]) == 2"}]}})json");
    page.update(more);
    return own_refusal(id, page, {{"p.why.a", "No."}, {"p.why.b", "No."}, {"p.why.c", "No."}});
  };
  const std::string said = with("own_open", json::object());
  for (const char* part : {"field hide", "blocks.0.attn.pattern[head=0,query=2]"})
    EXPECT_NE(said.find(part), std::string::npos) << part << ": " << said;
  EXPECT_EQ(with("own_covered", {{"hide", {"blocks.0.attn.pattern[head=0,query=2]"}}}), "");
  EXPECT_EQ(with("own_read", {{"predict", false}}), "") << "then it is to be read there";
}

TEST(Audit, ASentenceOfTheRunBeforeTheChangeIsRefused) {
  const auto with = [](const char* id, const char* because) {
    const json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "ask": {"kind": "change",
      "goal": "input[pos=0,d_model=1] > 1", "live": "blocks.0.attn.out[query=0,d_model=0]",
      "show": ["input[pos=0,d_model=1]=2"]}})json");
    return own_refusal(id, page, {{"p.because", because}, {"p.live", "It is {0}."}});
  };
  EXPECT_EQ(with("own_now", "It moved."), "");
  const std::string said = with("own_still", "It is still −0.514.");
  EXPECT_NE(said.find("field because"), std::string::npos) << said;
  EXPECT_NE(said.find("0.514"), std::string::npos) << said;
}

TEST(Audit, ASlipThatIsRightIsRefused) {
  const json page = json::parse(R"json({"open": {"model": "scene:nine_steps"}, "ask": {"kind": "shape",
      "step": "blocks.0.attn.q", "slips": [{"id": "same", "value": "row(2, 4, 2)"}]}})json");
  EXPECT_NE(own_refusal("own_slip", page).find("ask.slips"), std::string::npos);
}

}  // namespace
}  // namespace attnscope
