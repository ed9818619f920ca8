// The formats of attnscope's own files: what is written, what the handbook promises, and what becomes of a
// newer file and of a field that nobody knows.
#include "core/base/file_formats.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/arch/scene.h"
#include "core/arch/shipped.h"
#include "core/base/assets.h"
#include "core/io/json_file.h"
#include "core/io/safetensors.h"
#include "core/io/writers.h"
#include "core/lens/torch_reference.h"
#include "core/lesson/draft.h"
#include "core/lesson/lesson_file.h"
#include "core/lesson/progress.h"
#include "core/session/lecture.h"
#include "core/session/session_file.h"
#include "tests/guide_tables.h"
#include "tests/temp_folder.h"

namespace attnscope::testing {
namespace {

using nlohmann::json;

class FileFormats : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return folder_ / name; }
  static Document opened() {
    auto model = open_shipped_or_path("model:sorter");
    EXPECT_TRUE(model) << model.error().text();
    return new_document(std::make_shared<const OpenedModel>(*std::move(model)));
  }
  static json session() { return *session_to_json(opened(), {{"view", "mask"}}); }
  json progress() const {
    Progress some;
    some.at("Mina", "masks", "causal").right = true;
    EXPECT_TRUE(some.save(path("progress.json")));
    return *read_json_file(path("progress.json"));
  }
  static json lecture() {
    Lecture out;
    out.slides.push_back({{}, {}, std::make_shared<const json>(session())});
    return lecture_to_json(out, "");
  }
  static json asset_json(const char* name) { return json::parse(asset(name)); }

  // Each format that is an object of JSON: one that is written, and its reader's answer, "" where it opens.
  struct Kind {
    FileFormat format;
    json written;
    std::function<std::string(const json&)> read;
  };
  std::vector<Kind> kinds() const {
    const auto said = [](const auto& result) { return result ? std::string() : result.error().text(); };
    return {{kSessionFormat, session(),
             [=](const json& file) { return said(session_from_json(file, "a.attnscope")); }},
            {kLectureFormat, lecture(), [=](const json& file) { return said(lecture_from_json(file, "")); }},
            {kSceneFormat, asset_json("assets/scenes/nine_steps.json"),
             [=](const json& file) { return said(scene_from_text(file.dump(), "a.json")); }},
            {kLessonFormat, asset_json("assets/lessons/01_nine_steps.json"),
             [=](const json& file) { return said(lesson_from_text(file.dump(), "a.json")); }},
            {kProgressFormat, progress(),
             [=, this](const json& file) {
               std::ofstream(path("again.json")) << file;
               return said(Progress::load(path("again.json")));
             }},
            {kReferenceFormat, asset_json("assets/references/sorter.json"),
             [=](const json& file) { return said(read_torch_reference(file.dump(), "reference.json")); }}};
  }

 private:
  TempFolder folder_;
};

TEST_F(FileFormats, WhatIsWrittenSaysWhatIsDocumented) {
  for (const Kind& kind : kinds()) {
    EXPECT_EQ(kind.written.value("format", ""), kind.format.name);
    EXPECT_GE(kind.written.value("version", 0), 1) << kind.format.name;
    EXPECT_LE(kind.written.value("version", 0), kind.format.version) << kind.format.name;
    EXPECT_EQ(kind.read(kind.written), "") << kind.format.name;
  }
  for (const char* name : {"scripts/record.py", "scripts/record_llama.cpp"}) {
    std::ifstream file(std::string(ATTNSCOPE_SOURCE_DIR) + "/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::regex says("\"format\"\\]?(: | = )\"" + std::string(kRecordFormat.name) +
                          "\"[^\"]*\"version\"\\]?(: | = )\"" + std::to_string(kRecordFormat.version) + "\"");
    EXPECT_TRUE(std::regex_search(text, says)) << name;
  }
  each_guide([](const std::string& language) {
    const std::string page = guide_text(language, "files");
    for (const FileFormat& format : kFileFormats) {
      const std::string last = std::to_string(format.version),
                        versions = format.version > 1 ? "1-" + last : last;
      const std::string cells = "| `" + std::string(format.name) + "` | " + versions + " |";
      EXPECT_NE(page.find(cells), std::string::npos) << language << "/files.md: " << cells;
    }
  });
}

TEST_F(FileFormats, ANewerFileIsRefusedAndSaysWhatToDo) {
  for (const Kind& kind : kinds()) {
    json newer = kind.written;
    newer["version"] = kind.format.version + 1;
    EXPECT_NE(kind.read(newer).find("newer attnscope"), std::string::npos)
        << kind.format.name << ": " << kind.read(newer);
  }
  const auto record = [&](const Metadata& told) {
    const std::vector<NamedTensor> arrays{
        {"blocks.0.resid_pre", Tensor::from({1, 2}, {{Axis::pos, 1}, {Axis::d_model, 2}})}};
    EXPECT_TRUE(write_safetensors(path("run.safetensors"), arrays, {}, told));
    const auto model = open_model(path("run.safetensors"));
    return model ? std::string() : model.error().text();
  };
  EXPECT_EQ(record({{"format", kRecordFormat.name}}), "") << "as earlier programs wrote it";
  EXPECT_EQ(record({{"format", kRecordFormat.name}, {"version", "1"}}), "");
  EXPECT_NE(record({{"format", kRecordFormat.name}, {"version", "2"}}).find("newer attnscope"),
            std::string::npos);
  EXPECT_EQ(record({{"version", "2.7.1"}}), "") << "another program's own version";
}

TEST_F(FileFormats, AFieldThatNobodyKnowsIsPassedOverButInLessons) {
  for (const Kind& kind : kinds()) {
    json more = kind.written;
    more["of_later"] = {{"a", 1}};
    if (kind.format.name == std::string(kLessonFormat.name))
      EXPECT_NE(kind.read(more).find("of_later"), std::string::npos);
    else
      EXPECT_EQ(kind.read(more), "") << kind.format.name;
  }
}

}  // namespace
}  // namespace attnscope::testing
