// The course: every concept of the documents is there, in their order and in both languages; the program
// computes what each number is said to be, and where the documents print another one, the row says why.
#include "core/lesson/course.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

// The concepts of each document, numbered from 01.
const std::vector<std::pair<std::string, int>> kConcepts{{"000", 59}, {"001", 38}, {"002", 34},
                                                         {"003", 40}, {"004", 38}, {"more", 23}};

std::vector<CourseRow> shipped() {
  auto rows = course_rows();
  EXPECT_TRUE(rows);
  return rows ? *std::move(rows) : std::vector<CourseRow>();
}

const std::vector<CourseAnswer>& answers() {
  static const std::vector<CourseAnswer> kAnswers = [] {
    auto out = compute_course(shipped());
    EXPECT_TRUE(out) << out.error().text();
    return out ? *std::move(out) : std::vector<CourseAnswer>();
  }();
  return kAnswers;
}

TEST(Course, HasEveryConceptOfTheDocumentsInTheirOrder) {
  std::vector<std::string> wanted, found;
  for (const auto& [chapter, count] : kConcepts)
    for (int i = 1; i <= count; ++i) wanted.push_back(chapter + "-" + format("%02d", i));
  EXPECT_EQ(wanted.size(), 209U + 23U);
  std::set<std::string> ids;
  std::string last;
  for (const CourseRow& row : shipped()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    if (row.is_concept())
      found.push_back(last = row.id);
    else
      EXPECT_EQ(row.of, last) << row.id << " stands under another concept";
    EXPECT_TRUE(row.is_concept() || row.number) << row.id;
  }
  EXPECT_EQ(found, wanted);
}

TEST(Course, EachNumberIsTheOneThatIsStatedToBeRight) {
  int numbers = 0, differ = 0;
  for (const CourseAnswer& one : answers()) {
    EXPECT_TRUE(one.stated) << one.row.id << ": " << format("%.9g", one.program.value_or(0));
    EXPECT_EQ(one.agrees, one.why.empty());
    numbers += one.row.number ? 1 : 0;
    differ += one.agrees ? 0 : 1;
  }
  EXPECT_GE(numbers, 60);
  EXPECT_GT(differ, 8);
}

TEST(Course, EveryRowHasItsTextsInBothLanguages) {
  for (const std::string& language : languages()) {
    ASSERT_TRUE(set_language(language));
    for (const CourseAnswer& one : answers()) {
      const std::string key = "course." + one.row.id;
      EXPECT_TRUE(has_string(key)) << language << " " << key;
      EXPECT_EQ(has_string(key + ".says"), one.row.is_concept()) << language << " " << key;
      EXPECT_EQ(has_string(key + ".half"), one.row.half) << language << " " << key;
      EXPECT_EQ(has_string(key + ".why"), !one.agrees) << language << " " << key;
      const std::string sentence = one.sentence.str();
      EXPECT_EQ(sentence.ends_with("."), one.row.is_concept()) << language << " " << key << " " << sentence;
      EXPECT_EQ(sentence.find('{'), std::string::npos) << sentence;
    }
  }
  EXPECT_TRUE(set_language("en"));
}

// Years, sizes that a sentence takes as given, and signs of a formula; any other number of a sentence comes
// from the program.
TEST(Course, ASentenceHasNoNumberThatNothingComputes) {
  const std::set<std::string> given{"20",   "2017", "2019",  "2020", "2023", "512", "64",
                                    "1024", "4096", "10000", "0.9",  "0.1",  "0.5"};
  const std::regex number(R"((^|[^A-Za-z0-9.\-])([0-9]+\.[0-9]+|[0-9]{2,}))");
  for (const std::string& language : languages()) {
    ASSERT_TRUE(set_language(language));
    for (const CourseRow& row : shipped()) {
      if (!row.is_concept()) continue;
      const std::string text = tr("course." + row.id + ".says");
      for (std::sregex_iterator at(text.begin(), text.end(), number), none; at != none; ++at)
        EXPECT_TRUE(given.contains((*at)[2])) << row.id << ": " << text;
      for (std::size_t i = 0; i < 4; ++i) {
        const bool used = text.find("{" + std::to_string(i)) != std::string::npos;
        EXPECT_EQ(used, i < row.values.size()) << row.id << " {" << i << "}";
      }
    }
  }
  EXPECT_TRUE(set_language("en"));
}

TEST(Course, NumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(course_number(63045632), "63,045,632");
  EXPECT_EQ(course_number(0.26283), "0.26283");
  EXPECT_EQ(course_number(0.00001), "1·10⁻⁵");
  EXPECT_EQ(course_number(10.0 / 3e6), "3.33333·10⁻⁶");
}

// The edits of a place are those of the run that its expressions read.
TEST(Course, ARowIsComputedWithTheEditsOfItsPlace) {
  const auto computed = [](const std::string& place, const std::string& model) {
    const auto rows = read_course(R"({"rows": [{"id": "000-x", "place": ")" + place + R"(", "model": ")" +
                                      model + R"(", "holds": "edits() == 1"}]})",
                                  "x");
    EXPECT_TRUE(rows);
    const auto made = compute_course(*rows);
    EXPECT_TRUE(made);
    return made && made->front().stated;
  };
  const std::string place = "scene:nine_steps --view steps --edit blocks.0.attn.q[pos=0]=0";
  EXPECT_TRUE(computed(place, "scene:nine_steps"));
  EXPECT_FALSE(computed("scene:nine_steps --view steps", "scene:nine_steps"));
  EXPECT_FALSE(computed(place, "scene:it_cat_mat")) << "the edits of another model";
}

TEST(Course, ARowWithoutAPlaceSaysSo) {
  for (const CourseRow& row : shipped()) EXPECT_TRUE(!row.place.empty() || row.half) << row.id;
}

TEST(Course, AWrongStatementIsFound) {
  const auto rows = read_course(R"({"rows": [{"id": "000-x", "place": "--view mask", "program": "2 * 3",
    "printed": 6, "right": 7}]})",
                                "x");
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->front().place, "--view mask --level full");
  const auto made = compute_course(*rows);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->front().agrees);
  EXPECT_FALSE(made->front().stated);
}

// What a sentence claims without a number of the documents is checked as well.
TEST(Course, AClaimThatDoesNotHoldIsFound) {
  for (const bool holds : {true, false}) {
    const std::string claim = holds ? "2 * 3 > 5" : "2 * 3 > 7";
    const auto rows = read_course(
        R"({"rows": [{"id": "000-x", "place": "--view mask", "holds": ")" + claim + R"("}]})", "x");
    ASSERT_TRUE(rows);
    const auto made = compute_course(*rows);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->front().stated, holds);
  }
}

TEST(Course, WhatDoesNotReadIsNamed) {
  const std::string part = R"({"rows": [{"id": "000-x", "place": "--view mask", "program": "2 * 3")";
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {"[", "rows"},
           {R"({"rows": [{}]})", "id"},
           {R"({"rows": [{"id": "000-x"}]})", "place"},
           {R"({"rows": [{"id": "000-x", "place": "", "values": [3]}]})", "values"},
           {R"({"rows": [{"id": "000-x", "place": "", "of": "000-y", "program": "1", "printed": 1,
                "right": 1}]})",
            "of"},
           {R"({"rows": [{"id": "000-x", "place": "", "holds": 3}]})", "holds"},
           {part + R"(, "right": 7}]})", "printed"},
           {part + R"(, "printed": "six", "right": 7}]})", "printed"}}) {
    const auto rows = read_course(text, "x.json");
    ASSERT_FALSE(rows) << text;
    EXPECT_NE(rows.error().text().find(name), std::string::npos) << rows.error().text();
  }
  auto rows = *read_course(part + R"(, "printed": 6, "right": 6, "model": "scene:none"}]})", "x.json");
  EXPECT_FALSE(compute_course(rows));
}

}  // namespace
}  // namespace attnscope
