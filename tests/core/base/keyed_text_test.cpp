// Sentences that wait for a language: texts inside of texts, errors, questions from several threads.
#include "core/base/keyed_text.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/base/text.h"
#include "core/base/words.h"

namespace attnscope {
namespace {

class KeyedText : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(
        add_strings("en", "keyed.json", R"({"test.k.lost": "{0} lost {1}.", "test.k.lost.hint": "Find {1}.",
        "test.k.head": "head {0}", "test.k.bare": "Nothing."})")
            .ok());
    ASSERT_TRUE(add_strings("ko", "keyed.json", R"({"test.k.lost": "{0:이/가} {1:을/를} 잃었습니다.",
        "test.k.lost.hint": "{1:을/를} 찾으십시오.", "test.k.head": "헤드 {0}"})")
                    .ok());
  }
  void TearDown() override { ASSERT_TRUE(set_language("en").ok()); }
};

TEST_F(KeyedText, IsPutIntoWordsWhenItIsRead) {
  const Text text = Text::of("test.k.lost", {Text::of("test.k.head", {3}), "\"key\""});
  EXPECT_EQ(text.str(), "head 3 lost \"key\".");
  ASSERT_TRUE(set_language("ko").ok());
  EXPECT_EQ(text.str(), "헤드 3이 \"key\"를 잃었습니다.");
}

TEST_F(KeyedText, KnowsWhetherItHasWords) {
  EXPECT_TRUE(Text().empty());
  EXPECT_FALSE(Text().has_words());
  EXPECT_TRUE(Text("word").has_words());
  EXPECT_TRUE(Text::of("test.k.bare").has_words());
  EXPECT_FALSE(Text::of("test.k.nowhere").has_words());
  EXPECT_EQ(Text::of("test.k.head", {"{0}", "unused"}).str(), "head {0}");
}

TEST_F(KeyedText, AnErrorSpeaksTheLanguageOfTheMoment) {
  const Error error = fail(Code::not_found, "test.k.lost", {"a", "b"});
  EXPECT_EQ(error.text(), "a lost b. Find b.");
  EXPECT_EQ(fail(Code::not_found, "test.k.bare").text(), "Nothing.");
  const Error named = about("dir/file", error);
  EXPECT_EQ(named.text(), "\"dir/file\": a lost b. Find b.");
  EXPECT_EQ(named.code(), Code::not_found);
  ASSERT_TRUE(set_language("ko").ok());
  EXPECT_EQ(named.sentence(), "\"dir/file\": a가 b를 잃었습니다.");
  EXPECT_EQ(named.hint(), "b를 찾으십시오.");
  EXPECT_EQ(about("dir/file", named).sentence(), named.sentence());
}

TEST_F(KeyedText, ArgumentsCannotSpeakToATerminal) {
  const Error error = fail(Code::not_found, "test.k.lost", {"\x1b[31m", std::string(5000, 'x')});
  EXPECT_EQ(error.sentence().find('\x1b'), std::string::npos);
  EXPECT_LE(utf8_length(error.sentence()), kMostOfSentence + 3);
  EXPECT_LE(utf8_length(error.hint()), kMostOfSentence + 3);
}

TEST_F(KeyedText, ManyThreadsMayAskAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread, &wrong] {
      for (int round = 0; round < 500; ++round) {
        const std::string unknown = "test.k.unknown" + std::to_string(round);
        if (tr(unknown) != unknown) ++wrong[static_cast<std::size_t>(thread)];
        const std::string said = fail(Code::not_found, "test.k.lost", {"a", "b"}).sentence();
        if (said != "a lost b." && said != "a가 b를 잃었습니다.") ++wrong[static_cast<std::size_t>(thread)];
        if (thread == 0 && !set_language(round % 2 ? "en" : "ko")) ++wrong[0];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace attnscope
