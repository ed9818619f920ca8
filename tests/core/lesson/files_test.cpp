// Lesson files that are broken are refused with page and field; progress is kept and written as CSV.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/lesson/audit.h"
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
    {"id": "query", "ask": {"kind": "number", "answer": "blocks.0.attn.q[pos=0,head*d_head=1]", "tolerance": 0.001}}]})");
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
          R"({"kind": "choice", "choices": [{"id": "a", "words": "a", "when": "1"}, {"id": "b", "words": "b", "when": "2"}]})")
          .find("ask.choices"),
      std::string::npos)
      << "all are right";
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

}  // namespace
}  // namespace attnscope
