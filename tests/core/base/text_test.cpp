// Text from strangers in sentences: short, printable, well-formed, whatever was put in; and errors about
// files.
#include "core/base/text.h"

#include <gtest/gtest.h>

#include "core/base/result.h"

namespace attnscope {
namespace {

TEST(Quotes, NothingSpeaksToTheTerminal) {
  EXPECT_EQ(in_quotes("a b"), "\"a b\"");
  EXPECT_EQ(in_quotes("한국어 é"), "\"한국어 é\"");
  EXPECT_EQ(in_quotes("\x1b[31mred\a\n"), "\"\uFFFD[31mred\uFFFD\uFFFD\"");
  EXPECT_EQ(in_quotes("\xC2\x9B"), "\"\uFFFD\"");              // the other escape of eight bits
  EXPECT_EQ(in_quotes("exe.\u202Egpj"), "\"exe.\uFFFDgpj\"");  // would be read backwards
  EXPECT_EQ(in_quotes("\xFF\xC0"), "\"\uFFFD\uFFFD\"");
  EXPECT_EQ(in_quotes(std::string("a\0b", 3)), "\"a\uFFFDb\"");
}

TEST(Quotes, LongTextIsCutAtACharacter) {
  EXPECT_EQ(in_quotes(std::string(50'000, 'a'), 3), "\"aaa...\"");
  EXPECT_EQ(in_quotes("가나다라", 3), "\"가나다...\"");
  EXPECT_EQ(in_quotes("가나다", 3), "\"가나다\"");
  EXPECT_EQ(in_quotes("\"x\".npz"), "'\"x\".npz'") << "quotes inside are told from those around";
  EXPECT_EQ(in_quotes("\"it's\""), "\"\\\"it's\\\"\"");
  EXPECT_EQ(utf8_length(quoted_path(std::string(5000, '/'))), 2u + 90u);
}

// Whatever becomes an error, its text is fit to be printed.
TEST(Fail, SentencesArePrintableAndShort) {
  const Error error = Error{Code::bad_format, "\x1b]0;title\a" + std::string(60'000, 'x'), "\r\nhint"};
  EXPECT_EQ(error.text().find_first_of("\x1b\a\r\n"), std::string::npos);
  EXPECT_LE(utf8_length(error.text()), 1000u);
}

TEST(Fail, AboutAFileNamesItOnce) {
  const Error plain = Error{Code::bad_shape, "The tensor is missing.", "Look."};
  EXPECT_EQ(about("a/b", plain).sentence(), "\"a/b\": The tensor is missing.");
  EXPECT_EQ(about("a/b", about("a/b", plain)).sentence(), "\"a/b\": The tensor is missing.");
  EXPECT_EQ(about("a/b", Error{Code::bad_shape, "There is no \"a/b/c\".", {}}).sentence(),
            "There is no \"a/b/c\".");
  EXPECT_EQ(about("a/b", plain).hint(), "Look.");
}

TEST(Text, AStarOfAPatternIsAnyRunOfBytes) {
  for (const auto& [pattern, text] : {std::pair("blocks.*.attn.q.weight", "blocks.11.attn.q.weight"),
                                      std::pair("*", ""), std::pair("*.weight", "a.weight.weight"),
                                      std::pair("a*b*c", "aXbXbc"), std::pair("", ""), std::pair("a**", "a")})
    EXPECT_TRUE(glob_match(pattern, text)) << pattern << " " << text;
  for (const auto& [pattern, text] : {std::pair("", "a"), std::pair("a", "ab"), std::pair("*b", "abc"),
                                      std::pair("a*b*c", "acb"), std::pair("*q", "")})
    EXPECT_FALSE(glob_match(pattern, text)) << pattern << " " << text;
}

}  // namespace
}  // namespace attnscope
