// Lesson files that are broken are refused with page and field; progress is kept and written as CSV.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/words.h"
#include "core/lesson/audit.h"
#include "core/lesson/check.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/progress.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using nlohmann::json;

json good() {
  return json::parse(R"({"format": "attnscope-lesson", "version": 1, "id": "nine_steps", "pages": [
    {"id": "shape", "open": {"model": "scene:nine_steps"}, "look": {"view": "steps", "cursor": {"step": "blocks.0.attn.q"}},
     "ask": {"kind": "shape", "step": "blocks.0.attn.q"}},
    {"id": "query", "ask": {"kind": "number", "answer": "blocks.0.attn.q[pos=0,head*d_head=1]", "tolerance": 0.001},
     "because": {"values": ["blocks.0.attn.q[pos=0,head*d_head=1]"]}}]})");
}

std::string refusal(const json& lesson) {
  const auto read = lesson_from_text(lesson.dump(), "mine.json");
  if (!read) return read.error().sentence();
  const auto audit = audit_lesson(*read);
  return audit ? "" : audit.error().sentence();
}

TEST(LessonFiles, AGoodOneIsRead) {
  const auto lesson = lesson_from_text(good().dump(), "mine.json");
  ASSERT_TRUE(lesson) << lesson.error().text();
  ASSERT_EQ(lesson->pages.size(), 2U);
  EXPECT_EQ(lesson->pages[1].state.model, "scene:nine_steps") << "a page without one keeps what is open";
  EXPECT_EQ(refusal(good()), "");
}

// Progress and worksheets are called by these names.
TEST(LessonFiles, ANameThatLeadsElsewhereIsRefused) {
  for (const char* name : {"../../etc/x", "a/b", "a\\b", "a\nb"}) {
    json lesson = good();
    lesson["id"] = name;
    EXPECT_NE(refusal(lesson).find("field id"), std::string::npos) << name;
    json page = good();
    page["pages"][1]["id"] = name;
    EXPECT_NE(refusal(page).find("field id"), std::string::npos) << name;
  }
}

// What is no object at all has no field that could be named.
TEST(LessonFiles, AFileThatIsAListIsRefusedWithoutAnEmptyField) {
  EXPECT_EQ(refusal(json::array()).find("field"), std::string::npos) << refusal(json::array());
  json page = good();
  page["pages"][0] = "shape";
  EXPECT_NE(refusal(page).find("#1"), std::string::npos);
  EXPECT_EQ(refusal(page).find("field"), std::string::npos) << refusal(page);
}

TEST(LessonFiles, AnUnknownKindIsToldEveryKindThereIs) {
  json lesson = good();
  lesson["pages"][0]["ask"]["kind"] = "riddle";
  const std::string said = refusal(lesson);
  for (const char* kind : {"number", "shape", "choice", "probe", "cell", "head", "mask", "change", "build",
                           "bars", "curve", "order"})
    EXPECT_NE(said.find(kind), std::string::npos) << kind << ": " << said;
}

TEST(LessonFiles, BrokenOnesAreRefusedWithPageAndField) {
  struct Fault {
    const char *pointer, *value, *field;
  };
  const Fault faults[] = {{"/format", "\"song\"", "format"},
                          {"/version", "2", "version"},
                          {"/pages", "[]", "pages"},
                          {"/pages/0/open/model", "\"scene:nowhere\"", "open"},
                          {"/pages/0/open/model", "\"/etc/passwd\"", "open.model"},
                          {"/pages/0/open/edits", "[\"blocks.9.attn.z=0\"]", "open"},
                          {"/pages/0/open/padding", "{\"side\": \"up\"}", "open.padding.side"},
                          {"/pages/0/look/view", "\"kitchen\"", "look.view"},
                          {"/pages/0/look/cursor/step", "\"blocks.0.attn.nothing\"", "look.cursor.step"},
                          {"/pages/0/look/cursor/step", "\"blocks.5.attn.q\"", "look.cursor.step"},
                          {"/pages/0/point", "[\"a button that is not\"]", "point"},
                          {"/pages/0/hide", "[\"blocks.0.attn.q[pos=99]\"]", "hide"},
                          {"/pages/0/wish", "1", "wish"},
                          {"/pages/0/ask/kind", "\"riddle\"", "ask.kind"},
                          {"/pages/0/ask/step", "\"blocks.0.mlp.out\"", "ask"}};
  for (const Fault& fault : faults) {
    json lesson = good();
    lesson[json::json_pointer(fault.pointer)] = json::parse(fault.value);
    const std::string said = refusal(lesson);
    EXPECT_NE(said.find("mine.json"), std::string::npos) << fault.pointer << ": " << said;
    EXPECT_NE(said.find(std::string("field ") + fault.field), std::string::npos)
        << fault.pointer << ": " << said;
    if (std::string(fault.pointer).starts_with("/pages/0")) {
      EXPECT_NE(said.find("page \"shape\""), std::string::npos) << fault.pointer << ": " << said;
    }
  }
}

TEST(LessonFiles, QuestionsThatCannotBeAnsweredAreRefused) {
  const auto with_ask = [](const char* ask) {
    json lesson = good();
    lesson["pages"][1]["ask"] = json::parse(ask);
    return refusal(lesson);
  };
  EXPECT_NE(with_ask(R"({"kind": "number", "answer": "1 +"})").find("ask.answer"), std::string::npos);
  EXPECT_NE(with_ask(R"({"kind": "number", "answer": "blocks.4.attn.q[pos=0]"})").find("field ask"),
            std::string::npos);
  EXPECT_NE(
      with_ask(R"({"kind": "number", "answer": "1", "slips": [{"id": "x", "value": "1"}]})").find("field"),
      std::string::npos);
  EXPECT_NE(
      with_ask(
          R"json({"kind": "choice", "choices": [{"id": "a", "words": "a", "when": "tokens()"}, {"id": "b", "words": "b", "when": "tokens() > 0"}]})json")
          .find("2 of the choices"),
      std::string::npos)
      << "all are right";
  EXPECT_NE(
      with_ask(
          R"json({"kind": "choice", "choices": [{"id": "a", "words": "a", "when": "tokens()"}, {"id": "b", "words": "b", "when": "0 == 1"}]})json")
          .find("written into the file"),
      std::string::npos)
      << "wrong whatever the run says";
  EXPECT_NE(with_ask(R"({"kind": "change", "goal": "1 > 0", "show": ["input[pos=0,d_model=0]=1"]})")
                .find("ask.goal"),
            std::string::npos)
      << "right before anything was done";
  EXPECT_NE(with_ask(R"({"kind": "change", "goal": "edits() > 5", "show": ["input[pos=0,d_model=0]=1"]})")
                .find("ask.goal"),
            std::string::npos)
      << "not right after what is shown";
  EXPECT_NE(with_ask(R"({"kind": "change", "goal": "edits() > 5"})").find("ask.show"), std::string::npos);
}

TEST(LessonFiles, ALimitThatDoesNotFitTheGoalIsRefused) {
  const auto with = [](const char* limit) {
    json lesson = good();
    lesson["id"] = "own_limit";
    lesson["pages"].erase(0);
    lesson["pages"][0]["open"] = json{{"model", "scene:nine_steps"}};
    lesson["pages"][0]["ask"] = json::parse(
        R"json({"kind": "change", "goal": "input[pos=0,d_model=0] > 5", "live": "input[pos=0,d_model=0]",
            "show": ["input[pos=0,d_model=0]=9"]})json");
    lesson["pages"][0]["ask"].update(json::parse(limit));
    lesson["strings"]["en"] = json{{"title", "T"},
                                   {"query.title", "T"},
                                   {"query.text", "T."},
                                   {"query.ask", "A."},
                                   {"query.hint1", "H."},
                                   {"query.hint2", "H."},
                                   {"query.because", "B."},
                                   {"query.live", "It is {0} of {1}."},
                                   {"query.slip.far", "Too far."}};
    return refusal(lesson);
  };
  EXPECT_EQ(with(R"({"above": "5"})"), "");
  EXPECT_NE(with(R"({"above": "5", "below": "6"})").find("ask.live"), std::string::npos) << "two limits";
  EXPECT_NE(with(R"({"above": "20"})").find("ask.live"), std::string::npos) << "not reached in the end";
  EXPECT_NE(with(R"({"below": "100"})").find("ask.live"), std::string::npos) << "passed at the beginning";
  EXPECT_NE(with(R"({"percent": 1})").find("ask.percent"), std::string::npos);
  const char* slip = R"json({"slips": [{"id": "far", "value": "input[pos=0,d_model=0] > 8"}]})json";
  EXPECT_NE(with(slip).find("ask.slips"), std::string::npos) << "what is shown is a mistake";
}

// Where the stage has results, a page says whether they stay away until the answer; a row that is to be drawn
// in the easy window always does.
TEST(LessonFiles, AStageThatMaySayTheAnswerIsRefused) {
  const auto with = [](const char* patch, bool easy = false) {
    json lesson = good();
    lesson["id"] = "nine_steps";
    if (easy) lesson["level"] = "easy";
    lesson["pages"][1].update(json::parse(patch));
    return refusal(lesson);
  };
  const std::string choices =
      R"json("ask": {"kind": "choice", "choices": [{"id": "a", "words": "a", "when": "tokens() == 4"}, {"id": "b", "words": "b", "when": "tokens() == 5"}]}, "because": {})json";
  const std::string lab = R"({"look": {"view": "labs", "lab": "pair"}, )" + choices;
  EXPECT_NE(with((lab + "}").c_str()).find("field predict"), std::string::npos);
  EXPECT_EQ(with((lab + R"(, "predict": true})").c_str()), "");
  EXPECT_EQ(with((lab + R"(, "predict": false})").c_str()), "");
  EXPECT_NE(with((lab + R"(, "predict": 3})").c_str()).find("field predict"), std::string::npos);
  const std::string bars =
      R"("because": {}, "ask": {"kind": "bars", "row": "blocks.0.attn.pattern[head=0,query=2]"})";
  EXPECT_EQ(with(("{" + bars + "}").c_str(), true), "");
  EXPECT_NE(with(("{" + bars + R"(, "predict": false})").c_str(), true).find("field predict"),
            std::string::npos);
  EXPECT_EQ(with((R"({"hide": ["ask_result"], )" + choices + "}").c_str()), "") << "items are hidden, too";
}

// A lesson of one's own with all its texts, sound as it is.
json own() {
  return json::parse(
      R"json({"format": "attnscope-lesson", "version": 1, "id": "own_faults", "level": "full", "minutes": 5,
    "pages": [
    {"id": "row", "open": {"model": "scene:nine_steps"}, "look": {"view": "steps", "cursor": {"step": "blocks.0.attn.v"}},
     "hide": ["blocks.0.attn.pattern[head=0,query=2]"], "explore": [{"lab": "softmax"}, {"view": "kv"}],
     "controls": ["lessons.check"],
     "because": {"holds": ["sum(blocks.0.attn.pattern[head=0,query=2]) > 0.99"], "values": ["tokens()"]},
     "ask": {"kind": "bars", "row": "blocks.0.attn.pattern[head=0,query=2]", "good": 0.1}}],
    "strings": {"en": {"title": "Faults", "row.title": "A row", "row.text": "The row is covered. Press Check.",
     "row.ask": "Draw it.", "row.hint1": "Nearly even.", "row.hint2": "A third each.",
     "row.because": "There are {0} tokens."}}})json");
}

// The same with another text, and fields of its page exchanged. Every fault has an id of its own: texts that
// are there already stay.
std::string refusal_with(const char* id, const std::string& key, const std::string& text,
                         const json& patch = json::object()) {
  json lesson = own();
  lesson["id"] = id;
  if (!key.empty()) lesson["strings"]["en"][key] = text;
  if (!key.empty() && text.empty()) lesson["strings"]["en"].erase(key);
  lesson["pages"][0].update(patch);
  return refusal(lesson);
}

bool says_it(const std::string& said, const std::string& part) {
  return said.find(part) != std::string::npos;
}

TEST(LessonFiles, APageWithoutABecauseOrWithAFalseOneIsRefused) {
  EXPECT_EQ(refusal_with("own_good", "", ""), "");
  EXPECT_TRUE(says_it(refusal_with("own_silent", "row.because", ""), "row.because"));
  EXPECT_TRUE(says_it(refusal_with("own_long", "row.because", "One. Two. Three."), "field because"));
  const json lie = json::parse(R"json({"because": {"holds": ["tokens() == 5"]}})json");
  EXPECT_TRUE(says_it(refusal_with("own_false", "row.because", "It has five.", lie), "because.holds"));
  const json nowhere = json::parse(R"json({"because": {"values": ["blocks.7.attn.q[pos=0]"]}})json");
  EXPECT_TRUE(says_it(refusal_with("own_nowhere", "", "", nowhere), "because.values"));
}

TEST(LessonFiles, APageThatSaysWhatItHidesIsRefused) {
  const std::string said = refusal_with("own_leak", "row.text", "Check. The first of them gets 0.32.");
  EXPECT_TRUE(says_it(said, "own_leak.row.text") && says_it(said, "0.32")) << said;
  EXPECT_TRUE(says_it(refusal_with("own_percent", "row.ask", "Draw it: 32 % and so on."), "32"));
  EXPECT_EQ(refusal_with("own_other", "row.text", "Check. Nothing here has 0.99."), "");
  json text = own();
  text["id"] = "own_figure";
  const auto lesson = lesson_from_text(text.dump(), "mine.json");
  ASSERT_TRUE(lesson) << lesson.error().text();
  const auto drawn = [](const char* words) {
    return [words](const Lesson&, const Page&, const ExpressionScope&) { return std::string(words); };
  };
  EXPECT_TRUE(audit_lesson(*lesson, drawn("token 2 is looked at, 99 %")));
  const auto leaks = audit_lesson(*lesson, drawn("token 0 gets 32.1 %"));
  ASSERT_FALSE(leaks);
  EXPECT_TRUE(says_it(leaks.error().sentence(), "field look")) << leaks.error().sentence();
}

TEST(LessonFiles, ControlsAndWhatIsOpenedAreThoseOfTheScreen) {
  const auto with = [](const char* id, const char* patch) {
    return refusal_with(id, "", "", json::parse(patch));
  };
  EXPECT_TRUE(
      says_it(refusal_with("own_control", "row.text", "The row is covered. Press it."), "field controls"));
  EXPECT_TRUE(says_it(with("own_key", R"json({"controls": ["lessons.no_such"]})json"), "field controls"));
  EXPECT_TRUE(says_it(with("own_lab", R"json({"explore": [{"lab": "kitchen"}]})json"), "explore.lab"));
  EXPECT_TRUE(says_it(with("own_view", R"json({"explore": [{"view": "kitchen"}]})json"), "explore.view"));
  EXPECT_TRUE(says_it(with("own_many", R"json({"explore": []})json"), "field explore"));
  json level = own();
  level["id"] = "own_level", level["level"] = "hard";
  EXPECT_TRUE(says_it(refusal(level), "field level"));
}

TEST(LessonFiles, RowsAndOrdersThatCannotBeAskedAreRefused) {
  const auto with = [](const char* id, const char* ask) {
    json patch{{"hide", json::array()}};
    patch["ask"] = json::parse(ask);
    return refusal_with(id, "", "", patch);
  };
  EXPECT_TRUE(says_it(
      with("own_sum", R"json({"kind": "bars", "row": "row(0.7, 0.7)", "words": ["a", "b"]})json"), "field"));
  EXPECT_TRUE(says_it(
      with("own_names", R"json({"kind": "bars", "row": "row(0.5, 0.5)", "words": ["a"]})json"), "1 names"));
  EXPECT_TRUE(says_it(with("own_slip", R"json({"kind": "bars", "row": "row(0.5, 0.5)", "words": ["a", "b"],
                                         "slips": [{"id": "x", "value": "row(0.5, 0.5)"}]})json"),
                      "slip.x"));
  EXPECT_TRUE(says_it(
      with("own_few", R"json({"kind": "order", "steps": ["blocks.0.attn.q", "blocks.0.attn.v"]})json"),
      "ask.steps"));
  EXPECT_TRUE(says_it(with("own_absent", R"json({"kind": "order", "steps":
                    ["blocks.0.attn.q", "blocks.0.mlp.out", "blocks.0.attn.v"]})json"),
                      "blocks.0.mlp.out"));
  EXPECT_EQ(with("own_order", R"json({"kind": "order", "steps":
                 ["blocks.0.attn.z", "blocks.0.attn.q", "blocks.0.attn.pattern"]})json"),
            "");
}

TEST(LessonFiles, CurvesThingsToBuildAndProbesThatCannotBeAskedAreRefused) {
  const auto with = [](const char* id, const char* ask) {
    json patch{{"hide", json::array()}};
    patch["ask"] = json::parse(ask);
    return refusal_with(id, "", "", patch);
  };
  const auto curve = [&](const char* id, const char* fields) {
    return with(id,
                (R"json({"kind": "curve", "words": ["a", "b"], )json" + std::string(fields) + "}").c_str());
  };
  EXPECT_EQ(curve("own_curve", R"json("row": "row(1, 3)", "top": 4)json"), "");
  EXPECT_TRUE(says_it(curve("own_high", R"json("row": "row(1, 5)", "top": 4)json"), "row(1, 5)"));
  EXPECT_TRUE(says_it(curve("own_topless", R"json("row": "row(1, 3)")json"), "ask.top"));
  const auto build = [&](const char* id, const char* place, const char* when) {
    return with(id, (R"json({"kind": "build", "goals": [{"id": "g", "when": ")json" + std::string(when) +
                     R"json("}], "numbers": [{"id": "n", "place": ")json" + place +
                     R"json("}], "show": ["blocks.0.attn.q.weight[in=0,out=0]=3"]})json")
                        .c_str());
  };
  const char* number = "blocks.0.attn.q.weight[in=0,out=0]";
  EXPECT_TRUE(says_it(build("own_unsaid", number, "1 == 2"), "goal.g")) << "a goal has words";
  EXPECT_TRUE(says_it(build("own_step", "kitchen", "1 == 2"), "ask.numbers.place"));
  EXPECT_TRUE(
      says_it(with("own_aimless", R"json({"kind": "build", "goals": [], "numbers": []})json"), "ask.goals"));
  const auto probe = [&](const char* id, const char* fields) {
    return with(id, (R"json({"kind": "probe", "choices": [{"id": "a", "words": "a", "when": "1"},
                     {"id": "b", "words": "b", "when": "0"}], )json" +
                     std::string(fields) + "}")
                        .c_str());
  };
  const char* looks = R"json("looks": [{"id": "l", "value": "1"}], )json";
  EXPECT_TRUE(
      says_it(probe("own_sound", (std::string(looks) + R"json("budget": 1)json").c_str()), "ask.fault"));
  const std::string fault = std::string(looks) + R"json("fault": ["blocks.0.attn.z[head=0]=0"], )json";
  EXPECT_TRUE(says_it(probe("own_budget", (fault + R"json("budget": 2)json").c_str()), "ask.budget"));
  EXPECT_TRUE(says_it(probe("own_unnamed", (fault + R"json("budget": 1)json").c_str()), "look.l"));
}

// A look tells the faulty copy's number and the page's own; a choice is right of the copy.
TEST(LessonAnswers, AProbeIsOfTheRunWithItsFault) {
  const auto lesson = shipped_lesson("detective");
  ASSERT_TRUE(lesson);
  const Page& page = lesson->pages.front();
  PageRun run;
  ASSERT_TRUE(run.open(page));
  const auto& ask = std::get<ChoiceAsk>(page.ask);
  const Trace &faulty = run.run().trace(0), &sound = run.first().trace(0);
  const auto length = [](const Trace& trace) {
    double out = 0;
    const Tensor z = *trace.tensor(*parse_site("blocks.1.attn.z"));
    for (std::int64_t pos = 0; pos < z.dim(1).size; ++pos)
      for (std::int64_t i = 0; i < z.dim(2).size; ++i) {
        const double value = z.at({3, pos, i});
        out += value * value;
      }
    return std::sqrt(out);
  };
  EXPECT_EQ(length(faulty), 0);
  const auto told = look_told(ask.looks[1], {run.run(), &run.first(), 0, {}});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->faulty.str(), "0");
  EXPECT_NEAR(std::stod(told->whole.str()), length(sound), 5e-4);
}

TEST(LessonAnswers, ACurveIsJudgedByItsMeanDistance) {
  const auto lesson = shipped_lesson("why_sqrt");
  ASSERT_TRUE(lesson);
  const Page& page = lesson->pages.front();
  PageRun run;
  ASSERT_TRUE(run.open(page));
  const auto judged = [&](std::vector<double> heights) {
    return *check_answer(*lesson, page, Answer(DrawnBars{std::move(heights)}),
                         {run.run(), &run.first(), 0, {}});
  };
  EXPECT_TRUE(judged({0.15, 0.35, 0.6, 0.65, 0.85}).right) << "5 % off on average";
  const Verdict far = judged({0.1, 0.4, 0.57, 0.7, 0.3});
  EXPECT_FALSE(far.right);
  EXPECT_NE(far.words.str().find("256"), std::string::npos) << far.words.str();
  EXPECT_NE(far.words.str().find("16"), std::string::npos) << far.words.str();
  EXPECT_EQ(judged({0.1, 0.1, 0.1, 0.1, 0.1}).words.key(), "lesson.why_sqrt.spread.slip.same");
}

TEST(LessonAnswers, ADrawnRowIsJudgedByItsDivergence) {
  EXPECT_NEAR(bars_error({0.5, 0.5}, {0.5, 0.5}), 0, 1e-12);
  EXPECT_NEAR(bars_error({1, 0}, {0.5, 0.5}), std::log(2.0), 1e-12);
  EXPECT_GT(bars_error({1, 0}, {0, 1}), 6) << "a bar of length 0 is a very short one";
  EXPECT_LT(bars_error({1, 0}, {0, 1}), 7);
}

TEST(LessonProgress, IsKeptAndWritten) {
  const testing::TempFolder folder;
  const std::string path = folder.path() + "/deep/progress.json";
  auto fresh = Progress::load(path);
  ASSERT_TRUE(fresh);
  PageProgress& page = fresh->at("Mina, 3", "masks", "causal");
  page.tries = 2, page.right = true, page.score = 1, page.answer = "=10", page.hints = 1;
  fresh->at("", "masks", "zero").hints = 1;
  fresh->at("민아", "softmax", "row").answer = "-0.5";
  fresh->at("민아", "softmax", "row").tries = 1;
  ASSERT_TRUE(fresh->save(path));
  const auto again = Progress::load(path);
  ASSERT_TRUE(again);
  ASSERT_TRUE(again->find("Mina, 3", "masks", "causal"));
  EXPECT_EQ(again->right_in("Mina, 3", "masks"), 1);
  EXPECT_EQ(again->right_in("", "masks"), 0);
  EXPECT_EQ(again->find("nobody", "masks", "causal"), nullptr);
  const std::string csv = again->csv();
  EXPECT_NE(csv.find("\"Mina, 3\",masks,causal,1,0,2,1,1.000,'=10,"), std::string::npos) << csv;
  EXPECT_TRUE(csv.starts_with("\xEF\xBB\xBF")) << "else a spreadsheet takes Hangul for other letters";
  EXPECT_NE(csv.find("민아,softmax,row,0,0,1,0,0.000,-0.5,"), std::string::npos) << csv;
  std::ofstream(path) << "[1, 2]";
  EXPECT_FALSE(Progress::load(path));
}

// A file that says to be a shipped lesson has a progress and texts of its own; a file of another id is known
// by its id, wherever it lies.
TEST(LessonProgress, OfAFileWithAShippedIdIsItsOwn) {
  const testing::TempFolder folder;
  const auto read = [&](const std::string& name, const std::string& id, const char* strings) {
    const std::string path = folder.path() + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << R"json({"format": "attnscope-lesson", "version": 1, "id": ")json" << id
                        << R"json(", "pages": [{"id": "row", "open": {"model": "scene:nine_steps"}}])json"
                        << strings << "}";
    const auto lesson = read_lesson(path);
    EXPECT_TRUE(lesson) << lesson.error().text();
    return *lesson;
  };
  const char* strings = R"json(, "strings": {"en": {"title": "A stranger's", "row.text": "Mine."}})json";
  const Lesson shipped = *shipped_lesson("softmax");
  const Lesson mine = read("a/mine.json", "softmax", strings), copy = read("b/mine.json", "softmax", "");
  EXPECT_EQ(shipped.kept, "softmax");
  EXPECT_TRUE(mine.kept.starts_with("softmax@mine-")) << mine.kept;
  EXPECT_NE(mine.kept, copy.kept) << "two files of one name";
  EXPECT_EQ(read("a/mine.json", "softmax", strings).kept, mine.kept) << "read again";
  EXPECT_EQ(read("c/own.json", "own_heads", "").kept, "own_heads");
  EXPECT_EQ(read("c/head.json", "head", "").kept, "head") << "the end of build_head";
  EXPECT_STREQ(tr(lesson_key(mine, "title")), "A stranger's");
  EXPECT_STREQ(tr(page_key(mine, mine.pages.front(), "text")), "Mine.");
  EXPECT_EQ(lesson_key(copy, "title"), lesson_key(shipped, "title")) << "a copy without texts has those";
  EXPECT_STRNE(tr(lesson_key(shipped, "title")), "A stranger's");
}

}  // namespace
}  // namespace attnscope
