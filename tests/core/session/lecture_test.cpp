// Lectures: slides come back as the runs they were, wherever their file lies; damage is told; each that
// travels with the program is whole, in both languages.
#include "core/session/lecture.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/arch/shipped.h"
#include "core/session/session.h"
#include "core/system/named_files.h"
#include "tests/edits.h"
#include "tests/temp_folder.h"

namespace attnscope {
namespace {

using namespace attnscope::testing;
using nlohmann::json;

namespace fs = std::filesystem;

Document lecture_document(const std::string& name) {
  auto opened = name.find(':') < name.size() ? open_shipped(name) : open_model(name);
  EXPECT_TRUE(opened) << opened.error().text();
  return new_document(std::make_shared<const OpenedModel>(*std::move(opened)));
}

Slide slide_of(const Document& document, const Document* pinned = nullptr) {
  auto session = session_to_json(document, {{"view", "mask"}}, pinned);
  EXPECT_TRUE(session) << session.error().text();
  return {{"One", "하나"}, {"say", {}}, std::make_shared<const json>(*session)};
}

float first_score(const Document& document) {
  const auto run = run_all(document, {}, {});
  EXPECT_TRUE(run) << run.error().text();
  const Trace& trace = *run->front();
  return trace.tensor(trace.main(StepRole::scores, 0))->values().front();
}

TEST(Lectures, ASlideComesBackWithItsInputsEditsAndPinnedRun) {
  TempFolder folder;
  const Document plain = lecture_document("scene:tiny_gpt");
  Document edited = plain;
  ASSERT_TRUE(set_text(edited, 0, "the dog ran"));
  put_edit(edited, edit("blocks.0.attn.q[pos=0]*=3"));
  Lecture lecture{{"Mine", {}}, {slide_of(edited, &plain), slide_of(plain)}, {}};
  const std::string path = folder / "mine.lecture.json";
  ASSERT_TRUE(write_lecture(path, lecture));
  const Result<Lecture> read = read_lecture(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->title.en, "Mine");
  ASSERT_EQ(read->slides.size(), 2u);
  EXPECT_EQ(read->slides[0].title.ko, "하나");
  EXPECT_EQ(read->slides[0].note.en, "say");
  const auto session = slide_session(*read, 0);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->look().at("view"), "mask");
  const auto again = slide_document(*session);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->sequences.front().input.ids, edited.sequences.front().input.ids);
  ASSERT_EQ(again->edits.size(), 1u);
  EXPECT_EQ(first_score(*again), first_score(edited));
  EXPECT_NE(first_score(*again), first_score(plain));
  const auto pinned = pinned_of(*session, *again);
  ASSERT_TRUE(pinned && *pinned);
  EXPECT_TRUE((*pinned)->edits.empty());
  EXPECT_FALSE(slide_session(*read, 2));
}

TEST(Lectures, AModelBesideTheFileIsFoundWhereBothWereMovedTo) {
  TempFolder from, to;
  fs::copy(std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/models/gpt2", from / "model",
           fs::copy_options::recursive);
  const std::string name = "a.lecture.json";
  ASSERT_TRUE(write_lecture(from / name, {{}, {slide_of(lecture_document(from / "model"))}, {}}));
  fs::rename(from / "model", to / "model");
  fs::rename(from / name, to / name);
  const Result<Lecture> read = read_lecture(to / name);
  ASSERT_TRUE(read) << read.error().text();
  const auto session = slide_session(*read, 0);
  ASSERT_TRUE(session);
  const auto document = slide_document(*session);
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_EQ(document->opened->path, to / "model");
  // Kept elsewhere, it still names the model where it lies.
  ASSERT_TRUE(write_lecture(from / name, *read));
  const auto kept = read_lecture(from / name);
  ASSERT_TRUE(kept);
  EXPECT_EQ((*kept->slides[0].session)["model"]["path"], to / "model");
}

TEST(Lectures, WhatIsMissingOrElsewhereIsASentence) {
  TempFolder folder;
  const json session = {{"format", "attnscope-session"}, {"version", 1}, {"model", {{"path", "/no/model"}}}};
  const json file = {{"format", "attnscope-lecture"},
                     {"version", 1},
                     {"slides", {{{"title", "gone"}, {"session", session}}}}};
  const auto lecture = lecture_from_json(file, folder / "a.lecture.json");
  ASSERT_TRUE(lecture) << "a model that is not there is the matter of its slide";
  const auto slide = slide_session(*lecture, 0);
  ASSERT_TRUE(slide);
  const auto document = slide_document(*slide);
  ASSERT_FALSE(document);
  EXPECT_TRUE(refused_path(document.error())) << document.error().text();
  EXPECT_NE(document.error().text().find("/no/model"), std::string::npos);
}

TEST(Lectures, DamageIsNamedByItsSlide) {
  const json good = {{"session", *slide_of(lecture_document("scene:nine_steps")).session}};
  const auto read = [&](const json& slides, const char* format = "attnscope-lecture", int version = 1) {
    return lecture_from_json({{"format", format}, {"version", version}, {"slides", slides}},
                             "x.lecture.json");
  };
  EXPECT_TRUE(read(json::array({good})));
  EXPECT_FALSE(read(json::array({good}), "attnscope-scene"));
  EXPECT_FALSE(read(json::array({good}), "attnscope-lecture", 2));
  EXPECT_FALSE(read(json::object()));
  json other = good;
  other["session"].erase("model");
  const auto damaged = read(json::array({good, other}));
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().text().find("Slide 2"), std::string::npos) << damaged.error().text();
  const auto none = read(json::array({good, {{"title", "no session"}}}));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("Slide 2"), std::string::npos);
}

TEST(Lectures, InASessionATextAloneIsSpelledByTheModel) {
  const json session = {{"format", "attnscope-session"},
                        {"version", 1},
                        {"model", {{"path", "scene:tiny_gpt"}}},
                        {"inputs", {{{"text", "the dog ran"}}}}};
  const auto file = session_from_json(session, {});
  ASSERT_TRUE(file) << file.error().text();
  const auto document = slide_document(*file);
  ASSERT_TRUE(document) << document.error().text();
  EXPECT_EQ(document->sequences.front().input.ids, (std::vector<int>{0, 2, 4}));
  json wrong = session;
  wrong["inputs"][0]["text"] = "the elephant";
  const auto other = slide_document(*session_from_json(wrong, {}));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().text().find("elephant"), std::string::npos);
}

// ---- those that travel with the program ------------------------------------------------------------

TEST(Lectures, EveryShippedOneIsWholeInBothLanguages) {
  ASSERT_FALSE(shipped_lectures().empty());
  for (const std::string& name : shipped_lectures()) {
    const auto lecture = shipped_lecture(name);
    ASSERT_TRUE(lecture) << lecture.error().text();
    EXPECT_FALSE(lecture->title.en.empty() || lecture->title.ko.empty()) << name;
    EXPECT_GE(lecture->slides.size(), 6u) << name;
    for (std::size_t i = 0; i < lecture->slides.size(); ++i) {
      const Slide& slide = lecture->slides[i];
      const std::string where = name + " " + std::to_string(i + 1);
      for (const LocalText* text : {&slide.title, &slide.note})
        EXPECT_FALSE(text->en.empty() || text->ko.empty()) << where;
      const std::string path = (*slide.session)["model"]["path"];
      EXPECT_TRUE(is_shipped_name(path)) << where << ": " << path;
      const std::string level = (*slide.session)["look"].value("level", "");
      EXPECT_TRUE(level == "easy" || level == "full") << where << ": " << level;
    }
  }
  const auto unknown = shipped_lecture("none");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint().find(shipped_lectures().front()), std::string::npos);
}

}  // namespace
}  // namespace attnscope
