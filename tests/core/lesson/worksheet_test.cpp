// Worksheets: what is hidden stays empty without the answers and is filled in with them; masks are squares to
// fill in; pictures stand in the place of tables; sentences of strangers are text. Drafts of lessons out of
// what was done can be opened again.
#include "core/lesson/worksheet.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/words.h"
#include "core/lesson/audit.h"
#include "core/lesson/draft.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/page_document.h"

namespace attnscope {
namespace {

using nlohmann::json;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string sheet(const std::string& id, bool answers, const std::vector<std::string>& pictures = {}) {
  const auto lesson = shipped_lesson(id);
  EXPECT_TRUE(lesson) << lesson.error().text();
  const auto html = worksheet_html(*lesson, answers, pictures);
  EXPECT_TRUE(html) << html.error().text();
  return html ? *html : std::string();
}

TEST(Worksheet, HidesWhatThePageHidesAndTellsItToTheTeacher) {
  const std::string blank = sheet("nine_steps", false), full = sheet("nine_steps", true);
  EXPECT_EQ(count(blank, "<section>"), 9u);
  EXPECT_EQ(count(blank, "<td class=\"own\"></td>"), 3u + 4u + 2u + 1u)
      << "a query on three pages, a row to draw, what a token fetches and again beside the other head, an "
         "output";
  EXPECT_EQ(count(blank, "0.3211"), 0u);
  EXPECT_EQ(count(blank, "0.1871"), 0u) << "no other page gives it away";
  EXPECT_GT(count(blank, "class=\"line\""), 6u);
  EXPECT_EQ(count(full, "<td class=\"own\"></td>"), 0u);
  EXPECT_EQ(count(full, "class=\"line\""), 0u);
  EXPECT_GT(count(full, "<td class=\"own\">32</td>"), 0u) << "the row to draw, in percent";
  EXPECT_GT(count(full, "W_Q exchanges the last axis alone"), 0u) << "why it is so";
  for (const char* answer :
       {"(2, 4, 2)", "0.1871", "(2, 2, 4, 4)", "0.1427", "\u22120.5140", "input[pos=0,d_model=1]=2"})
    EXPECT_GT(count(full, std::string("Answer: ") + answer), 0u) << answer;
}

TEST(Worksheet, TheInstructionOfARobotStandsOnPaperToo) {
  const std::string text = sheet("robot_policy", false);
  EXPECT_EQ(count(text, "<p class=\"said\">"), 5u);
  EXPECT_GT(count(text, "pick the red cup"), 4u);
  EXPECT_EQ(count(sheet("why_sqrt", false), "<p class=\"said\">"), 0u) << "its figures have the words";
}

TEST(Worksheet, RoundingIsNoAnswer) {
  EXPECT_EQ(count(sheet("vla", true), "Answer: 0.0000"), 0u) << "a loss that is nearly nothing has digits";
  EXPECT_EQ(count(sheet("query_key_value", true), "Answer: 0.5000<"), 1u) << "half a value";
}

TEST(Worksheet, VectorsAreCalledAsTheirPartsAre) {
  const std::string text = sheet("query_key_value", true);
  EXPECT_GT(count(text, "<th>cat</th>"), 0u);
  EXPECT_EQ(count(sheet("nine_steps", true), "<th>cat</th>"), 0u);
}

TEST(Worksheet, AMaskIsDrawnOnPaper) {
  const std::string blank = sheet("masks", false), full = sheet("masks", true);
  EXPECT_EQ(count(blank, "<td>1.0000</td><td>1.0000</td>"), 0u) << "whole numbers have no decimals";
  EXPECT_GE(count(blank, "<td class=\"own\"></td>"), 16u) << "four tokens by four";
  // The band of the page "draw": every token sees itself and the one before it.
  const std::string rows =
      "<td>1</td><td class=\"off\">0</td><td class=\"off\">0</td><td class=\"off\">0</td>";
  EXPECT_EQ(count(full, rows), 1u);
  EXPECT_EQ(count(full, "<td class=\"off\">0</td><td>1</td><td>1</td><td class=\"off\">0</td>"), 1u);
}

TEST(Worksheet, PicturesStandForTablesAndLanguagesFollow) {
  const std::string text = sheet("nine_steps", false, {"", "<svg/>"});
  EXPECT_EQ(count(text, "data:image/svg+xml;base64,PHN2Zy8+"), 1u);
  EXPECT_EQ(count(text, "<td class=\"own\"></td>"), 2u + 4u + 2u + 1u)
      << "the table of the page with a picture is away";
  ASSERT_TRUE(set_language("ko"));
  const std::string korean = sheet("nine_steps", true);
  EXPECT_EQ(count(korean, "<html lang=\"ko\">"), 1u);
  EXPECT_GT(count(korean, "정답: 0.1871"), 0u);
  ASSERT_TRUE(set_language("en"));
}

TEST(Worksheet, EveryLessonCanBePrinted) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  for (const Lesson& lesson : *lessons) {
    const auto html = worksheet_html(lesson, true);
    ASSERT_TRUE(html) << lesson.id << ": " << html.error().text();
    EXPECT_EQ(count(*html, "<section>"), lesson.pages.size()) << lesson.id;
    EXPECT_EQ(count(*html, "<p>Answer: </p>"), 0u) << lesson.id << ": a question without an answer";
  }
  EXPECT_TRUE(missing_keys().empty()) << missing_keys().front();
}

TEST(Worksheet, EveryPageHasANoteForTheTeacher) {
  const auto lessons = shipped_lessons();
  ASSERT_TRUE(lessons);
  for (const char* language : {"en", "ko"}) {
    ASSERT_TRUE(set_language(language));
    for (const Lesson& lesson : *lessons)
      for (const Page& page : lesson.pages) {
        const std::string notes = page_notes(lesson, page);
        EXPECT_GE(notes.size(), 40u) << language << ": " << lesson.id << "/" << page.id << " has no note";
        EXPECT_LE(notes.size(), 600u) << language << ": " << lesson.id << "/" << page.id << " is a sermon";
      }
  }
  ASSERT_TRUE(set_language("en"));
}

TEST(Worksheet, SentencesAreText) {
  const auto lesson = lesson_from_text(R"({"format": "attnscope-lesson", "version": 1, "id": "sign",
    "pages": [{"id": "a", "open": {"model": "scene:nine_steps"}, "look": {"view": "steps"}}],
    "strings": {"en": {"title": "1 < 2 & <b>", "a.title": "<script>", "a.text": "\"x\"", "a.notes": "a > b"}}})",
                                       "sign.json");
  ASSERT_TRUE(lesson) << lesson.error().text();
  const auto html = worksheet_html(*lesson, true);
  ASSERT_TRUE(html) << html.error().text();
  EXPECT_EQ(count(*html, "<script>"), 0u);
  EXPECT_EQ(count(*html, "1 &lt; 2 &amp; &lt;b&gt;"), 2u);
  EXPECT_EQ(count(*html, "a &gt; b"), 1u) << "the notes are the teacher's";
  EXPECT_EQ(count(*worksheet_html(*lesson, false), "a &gt; b"), 0u);
}

TEST(LessonDraft, IsALessonOfWhatWasDone) {
  PageState state;
  state.model = "model:storyteller";
  state.texts = {"The cat sat on the mat because it was tired"};
  auto document = page_document(state);
  ASSERT_TRUE(document) << document.error().text();
  History history(*document);
  const auto change = [&](const char* edit) {
    Document next = history.now();
    auto read = parse_edit(edit);
    ASSERT_TRUE(read);
    put_edit(next, *read);
    history.push(next, Text(edit), "");
  };
  change("blocks.1.attn.z[head=3]=0");
  Document soft = history.now();
  ASSERT_TRUE(set_text(soft, 0, "The cat sat on the mat because it was soft"));
  history.push(soft, Text("soft"), "");
  change("blocks.0.mlp.out*=0.5");
  history.undo();  // what was taken back is no part of it
  const auto draft = lesson_draft(history, "mine_1", "attention");
  ASSERT_TRUE(draft) << draft.error().text();
  const auto lesson = lesson_from_text(draft->dump(), "mine_1.json");
  ASSERT_TRUE(lesson) << lesson.error().text();
  ASSERT_EQ(lesson->pages.size(), 3u);
  EXPECT_EQ(lesson->pages[0].state.edits.size(), 0u);
  EXPECT_EQ(lesson->pages[0].state.texts, state.texts);
  EXPECT_EQ(lesson->pages[1].state.edits.size(), 1u);
  EXPECT_EQ(lesson->pages[1].state.look()["cursor"]["step"], "blocks.1.attn.z");
  EXPECT_EQ(lesson->pages[1].state.look()["cursor"]["head"], 3);
  EXPECT_EQ(lesson->pages[2].state.texts.front(), "The cat sat on the mat because it was soft");
  EXPECT_EQ(std::string(tr(page_key(*lesson, lesson->pages[2], "title"))), "soft");
  const auto audit = audit_lesson(*lesson);
  EXPECT_TRUE(audit) << audit.error().text();
  for (const char* id : {"", "  ", "***"}) EXPECT_EQ(lesson_id_of(id), "mine");
  EXPECT_EQ(lesson_id_of("My Heads (2)"), "my_heads_2");
}

// The document of the last page of the draft after one change.
Result<Document> drafted(const char* model, const std::function<Status(Document&)>& change,
                         Document& changed) {
  PageState state;
  state.model = model;
  TRY(changed, page_document(state));
  History history(changed);
  TRY_OK(change(changed));
  history.push(changed, Text("changed"), "");
  TRY(const json draft, lesson_draft(history, "mine", "steps"));
  TRY(const Lesson lesson, lesson_from_text(draft.dump(), "mine.json"));
  TRY_OK(audit_lesson(lesson));
  return page_document(lesson.pages.back().state);
}

TEST(LessonDraft, KeepsInputsThatNoTextSays) {
  Document now;
  auto scene = drafted("scene:nine_steps", add_position, now);
  ASSERT_TRUE(scene) << scene.error().text();
  EXPECT_EQ(scene->sequences[0].input.vectors.values(), now.sequences[0].input.vectors.values());
  EXPECT_EQ(scene->sequences[0].input.vectors.size(0), 5);
  const auto draw = [](Document& d) {
    Picture picture{8, 8, std::make_shared<std::vector<std::uint8_t>>(8 * 8 * 3, std::uint8_t{90}), ""};
    return set_picture(d, 0, std::move(picture));
  };
  auto seen = drafted("model:pilot", draw, now);
  ASSERT_TRUE(seen) << seen.error().text();
  EXPECT_EQ(seen->sequences[0].input.pixels.values(), now.sequences[0].input.pixels.values());
  EXPECT_EQ(seen->sequences[0].input.ids, now.sequences[0].input.ids);
  const auto token = [](Document& d) { return set_ids(d, 0, {0, 5, 5, 7}, {}); };
  auto ids = drafted("model:storyteller", token, now);
  ASSERT_TRUE(ids) << ids.error().text();
  EXPECT_EQ(ids->sequences[0].input.ids, now.sequences[0].input.ids);
}

TEST(LessonDraft, OfOnesOwnModelIsRefused) {
  const auto draft = lesson_draft(History(), "x", "steps");
  ASSERT_FALSE(draft);
  EXPECT_FALSE(draft.error().hint().empty());
}

}  // namespace
}  // namespace attnscope
