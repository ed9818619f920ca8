// Every Korean text, of the tables and of the scenes, keeps the rules of the glossary. The rules are tried on
// made-up text.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/layering/files.h"
#include "tests/layering/korean_rules.h"

namespace attnscope::layering {
namespace {

namespace fs = std::filesystem;

const fs::path kGlossary = kRoot / "assets/strings/ko/glossary.json";

void expect_korean(const Glossary& glossary, const std::string& file, const std::string& key,
                   const std::string& text) {
  for (const std::string& fault : korean_faults(glossary, file, text))
    ADD_FAILURE() << "ko/" << file << ".json: " << key << ": " << fault << ": " << text;
}

TEST(Korean, EveryTextOfTheTablesKeepsTheGlossary) {
  const Glossary glossary = read_glossary(read(kGlossary));
  std::size_t seen = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kGlossary.parent_path())) {
    if (entry.path() == kGlossary) continue;
    const nlohmann::json table = nlohmann::json::parse(read(entry.path()));
    for (const auto& [key, text] : table.items()) {
      expect_korean(glossary, entry.path().stem().string(), key, text.get<std::string>());
      ++seen;
    }
  }
  EXPECT_GT(seen, 5000U);
}

TEST(Korean, TitlesAndNotesOfScenesKeepTheGlossary) {
  const Glossary glossary = read_glossary(read(kGlossary));
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "assets/scenes")) {
    const nlohmann::json scene = nlohmann::json::parse(read(entry.path()));
    for (const char* name : {"title", "note"})
      expect_korean(glossary, "scene_" + entry.path().stem().string(), name, scene.at(name).at("ko"));
  }
}

// A page without code, targets of links and what the program's tables wrote.
std::string prose_of(const std::string& page) {
  static const std::regex code("`[^`]*`|\\]\\([^)]*\\)|<!--.*?-->");
  std::istringstream lines(page);
  std::string out;
  bool fenced = false, table = false;
  for (std::string line; std::getline(lines, line);) {
    fenced ^= line.starts_with("```");
    table = (table || line.starts_with("<!-- table:")) && !line.starts_with("<!-- end of table");
    if (!fenced && !table && !line.starts_with("```")) out += line + "\n";
  }
  return std::regex_replace(out, code, "]");
}

TEST(Korean, EveryPageOfTheHandbookKeepsTheGlossary) {
  const Glossary glossary = read_glossary(read(kGlossary));
  int pages = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "assets/guide/ko")) {
    std::istringstream lines(prose_of(read(entry.path())));
    for (std::string line; std::getline(lines, line);)
      expect_korean(glossary, "guide", entry.path().stem().string(), line);
    ++pages;
  }
  EXPECT_GE(pages, 20);
}

TEST(Korean, TitlesAndNotesOfLecturesKeepTheGlossary) {
  const Glossary glossary = read_glossary(read(kGlossary));
  std::size_t seen = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot / "assets/lectures")) {
    const nlohmann::json lecture = nlohmann::json::parse(read(entry.path()));
    const std::string file = "lecture_" + entry.path().stem().string();
    expect_korean(glossary, file, "title", lecture.at("title").at("ko"));
    for (const nlohmann::json& slide : lecture.at("slides"))
      for (const char* name : {"title", "note"})
        expect_korean(glossary, file, slide.at("title").at("en"), slide.at(name).at("ko")), ++seen;
  }
  EXPECT_GT(seen, 100U);
}

// A glossary of two terms for the tests below.
const Glossary& small_glossary() {
  static const Glossary glossary = read_glossary(R"({"terms": [
      {"term": "KV cache", "korean": "KV 캐시", "forbidden": ["KV-cache"]},
      {"term": "logit", "korean": "Logit", "forbidden": ["logit", "로짓"]},
      {"term": "width", "korean": "너비", "forbidden": ["폭"]},
      {"term": "level of speech", "korean": "하십시오", "forbidden": ["…세요"]}],
    "names": ["GPT-2"], "latin": ["Logit", "KV", "Query"], "units": ["ms"], "keyboard": ["Ctrl"],
    "literals": {"cli": ["zero"], "errors_": ["true"]}})");
  return glossary;
}

std::vector<std::string> faults_of(const std::string& text, const std::string& file = "view") {
  return korean_faults(small_glossary(), file, text);
}

using Faults = std::vector<std::string>;

TEST(KoreanRules, ForbiddenSpellingsAreFoundWhereAWordBegins) {
  EXPECT_EQ(faults_of("로짓은 큽니다."), Faults{"\"로짓\" is spelled Logit"});
  EXPECT_EQ(faults_of("폭을 고르십시오."), Faults{"\"폭\" is spelled 너비"});
  EXPECT_EQ(faults_of("대역폭을 고르십시오."), Faults{});
  EXPECT_EQ(faults_of("A와 B의 logit:A, logit_diff:A,B"), Faults{});
  EXPECT_EQ(faults_of("두 logit을 뺍니다.").front(), "\"logit\" is spelled Logit");
  EXPECT_EQ(faults_of("KV-cache의 크기").front(), "\"KV-cache\" is spelled KV 캐시");
}

TEST(KoreanRules, OneLevelOfSpeech) {
  EXPECT_EQ(faults_of("글을 입력하세요."), Faults{"\"…세요\" is spelled 하십시오"});
  EXPECT_EQ(faults_of("글을 입력하십시오."), Faults{});
}

TEST(KoreanRules, ParticlesFollowTheirWord) {
  EXPECT_EQ(faults_of("{0}를 엽니다."), Faults{"the particle of {0}를 is fixed"});
  EXPECT_EQ(faults_of("“{0}”가 {1}"), Faults{"the particle of {0}”가 is fixed"});
  EXPECT_EQ(faults_of("“{0:을/를}” 봅니다."), Faults{"the particle of {0:을/를}” stands inside the quotes"});
  EXPECT_EQ(faults_of("{0:를/을} 봅니다."), Faults{"{0:를/을} is no pair of particles"});
  EXPECT_EQ(faults_of("{0:을/를} “{1}”{1:~과/와} {2}가지, {3}이며 값({4})과"), Faults{});
}

TEST(KoreanRules, NoBlankBeforePercent) {
  EXPECT_EQ(faults_of("분산의 {0} %입니다."), Faults{"a blank stands before %"});
  EXPECT_EQ(faults_of("57 %"), Faults{"a blank stands before %"});
  EXPECT_EQ(faults_of("{0}%와 57%"), Faults{});
}

TEST(KoreanRules, EnglishWordsAreFoundOutsideCodeAndNames) {
  EXPECT_EQ(faults_of("Query의 pattern"), Faults{"the glossary has no \"pattern\""});
  EXPECT_EQ(faults_of("zero로 바꿉니다."), Faults{"the glossary has no \"zero\""});
  EXPECT_EQ(faults_of("zero로 바꿉니다.", "cli"), Faults{});
  EXPECT_EQ(faults_of("true나", "errors_io"), Faults{});
  EXPECT_EQ(faults_of("GPT-2의 {0} ms, Ctrl+Z"), Faults{});
  EXPECT_EQ(faults_of("“the cat”, \"n_layers\", --steps, blocks.0.attn.z[head=1], @FILE.npz, config.json"),
            Faults{});
}

}  // namespace
}  // namespace attnscope::layering
