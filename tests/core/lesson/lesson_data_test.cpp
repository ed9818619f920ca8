// Data sets that a page of a lesson or a scene carries: a task's examples, a file beside it, lines of its
// own.
#include <gtest/gtest.h>

#include <fstream>

#include "core/arch/scene.h"
#include "core/arch/shipped.h"
#include "core/lesson/draft.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"
#include "core/session/prompt_list.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using nlohmann::json;

class LessonData : public ::testing::Test {
 protected:
  std::string lesson(const json& data) const {
    const json file = {
        {"format", "attnscope-lesson"},
        {"version", 1},
        {"id", "own"},
        {"pages", {{{"id", "one"}, {"open", {{"model", "model:storyteller"}, {"data", data}}}}}}};
    const std::string path = folder_ / "lesson.json";
    std::ofstream(path) << file.dump();
    return path;
  }
  Result<Document> opened(const json& data) const {
    TRY(const Lesson read, read_lesson(lesson(data)));
    return page_document(read.pages.front().state);
  }
  const testing::TempFolder folder_;
};

TEST_F(LessonData, APageOpensTheExamplesOfATask) {
  const auto document = opened({{"path", "task:storyteller"}, {"limit", 7}, {"seed", 3}});
  ASSERT_TRUE(document) << document.error().text();
  ASSERT_TRUE(document->data.prompts);
  EXPECT_EQ(document->data.prompts->lines.size(), 7u);
  EXPECT_EQ(document->data.prompts->choice.seed, 3u);
  EXPECT_EQ(prompt_looked_at(*document), -1) << "the page's own text is what is read";
  const auto whole = opened("task:storyteller");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->data.prompts->lines.size(), 200u);
}

TEST_F(LessonData, AFileLiesBesideTheLesson) {
  std::ofstream(folder_ / "two.jsonl") << "{\"text\": \"The cat sat\"}\n{\"text\": \"The dog lay\"}\n";
  const auto document = opened("two.jsonl");
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_EQ(document->data.prompts->lines.size(), 2u);
  EXPECT_EQ(prompt_text(*document->opened, document->data.prompts->lines[1]), "The dog lay");
  EXPECT_FALSE(opened("gone.jsonl"));
  const testing::TempFolder other;
  std::ofstream(other / "far.jsonl") << "{\"text\": \"The cat sat\"}\n";
  EXPECT_FALSE(opened(std::string(other / "far.jsonl"))) << "a lesson reads what lies beside it";
  EXPECT_FALSE(opened("task:nobody"));
  EXPECT_FALSE(read_lesson(lesson(7))) << "neither text nor object";
}

TEST_F(LessonData, WhatADraftKeepsIsReadAgain) {
  std::ofstream(folder_ / "two.jsonl")
      << "{\"text\": \"The cat sat\", \"answer\": \"cat\"}\n{\"text\": \"The dog lay\"}\n";
  auto document = opened("two.jsonl");
  ASSERT_TRUE(document);
  const auto draft = lesson_draft(History(*document), "own", "ask");
  ASSERT_TRUE(draft) << draft.error().text();
  std::filesystem::remove(folder_ / "two.jsonl");
  const json data = (*draft)["pages"][0]["open"]["data"];
  const auto again = opened(data);
  ASSERT_TRUE(again) << again.error().text() << data;
  ASSERT_EQ(again->data.prompts->lines.size(), 2u);
  EXPECT_EQ(again->data.prompts->lines[0].answer, "cat");
}

TEST_F(LessonData, ASceneCarriesOneToo) {
  const auto read = open_shipped("scene:tiny_gpt");
  ASSERT_TRUE(read) << read.error().text();
  json scene = json::parse(scene_to_text(*read->scene));
  scene["data"] = {{"path", "own"},
                   {"lines", {{1, {{"ids", {0, 1}}, {"answer", "#1"}}}, {2, {{"ids", {1, 0}}}}}}};
  const std::string path = folder_ / "scene.json";
  std::ofstream(path) << scene.dump();
  auto model = open_model(path);
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(json::parse(scene_to_text(*model->scene))["data"], scene["data"]) << "saved with it";
  const Document document = new_document(std::make_shared<const OpenedModel>(*std::move(model)));
  ASSERT_TRUE(document.data.prompts);
  EXPECT_EQ(document.data.prompts->lines.size(), 2u);
  scene["data"] = "gone.jsonl";
  std::ofstream(path) << scene.dump();
  model = open_model(path);
  ASSERT_TRUE(model);
  const Document without = new_document(std::make_shared<const OpenedModel>(*std::move(model)));
  EXPECT_FALSE(without.data.prompts);
  EXPECT_FALSE(without.opened->warnings.empty()) << "said, not left out";
}

}  // namespace
}  // namespace attnscope
