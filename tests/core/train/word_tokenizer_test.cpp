// Tokenizers made of word lists open as any other tokenizer.json, and texts come back as they were.
#include "core/train/word_tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/text/tokenizer.h"
#include "core/train/random.h"

namespace attnscope {
namespace {

std::shared_ptr<const Tokenizer> opened(const WordTokenizer& parts) {
  auto made = tokenizer_from_json(tokenizer_json(parts).dump(), "tokenizer.json");
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

const std::vector<std::string> kWords{"<bos>", "<eos>", "<unk>", "The", "the", "cat",
                                      "sat",   "on",    "mat",   ".",   "So",  "slept"};

TEST(WordTokenizerTest, TextComesBackAsItWas) {
  const auto tokenizer =
      opened({kWords, {"<bos>", "<eos>", "<unk>"}, "<unk>", "<bos>", "", WordTokenizer::Cut::words});
  ASSERT_TRUE(tokenizer);
  const std::string text = "The cat sat on the mat. So the cat slept.";
  const auto encoded = tokenizer->encode(text);
  ASSERT_TRUE(encoded);
  EXPECT_EQ(encoded->ids(), (std::vector<int>{0, 3, 5, 6, 7, 4, 8, 9, 10, 4, 5, 11, 9}));
  EXPECT_EQ(tokenizer->decode(encoded->ids()), text);
  EXPECT_EQ(tokenizer->vocab_size(), static_cast<int>(kWords.size()));
  EXPECT_EQ(tokenizer->bos(), 0);
  EXPECT_EQ(tokenizer->eos(), 1);
  EXPECT_EQ(encoded->tokens[2].begin, 4);
  EXPECT_EQ(encoded->tokens[2].end, 7);
}

TEST(WordTokenizerTest, OtherWordsAreUnknown) {
  const auto tokenizer = opened({kWords, {"<bos>", "<unk>"}, "<unk>", "", "", WordTokenizer::Cut::words});
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("The dragon sat")->ids(), (std::vector<int>{3, 2, 6}));
}

TEST(WordTokenizerTest, PiecesJoinTheWordBefore) {
  const auto tokenizer = opened({{"[PAD]", "[UNK]", "고양이", "##가", "##는", "잔다", "."},
                                 {"[PAD]", "[UNK]"},
                                 "[UNK]",
                                 "",
                                 "",
                                 WordTokenizer::Cut::words});
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("고양이가 잔다.")->ids(), (std::vector<int>{2, 3, 5, 6}));
  EXPECT_EQ(tokenizer->decode({2, 4, 5, 6}), "고양이는 잔다.");
}

TEST(WordTokenizerTest, LettersNeedNoSpaces) {
  const auto tokenizer =
      opened({{"<bos>", "a", "b", "c", ">"}, {"<bos>"}, "", "<bos>", "", WordTokenizer::Cut::letters});
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("cab>")->ids(), (std::vector<int>{0, 3, 1, 2, 4}));
  EXPECT_EQ(tokenizer->decode({0, 3, 1, 2}), "cab");
}

TEST(WordTokenizerTest, MarksAroundAText) {
  const auto tokenizer = opened({{"[CLS]", "[SEP]", "[MASK]", "cat"},
                                 {"[CLS]", "[SEP]", "[MASK]"},
                                 "",
                                 "[CLS]",
                                 "[SEP]",
                                 WordTokenizer::Cut::words});
  ASSERT_TRUE(tokenizer);
  EXPECT_EQ(tokenizer->encode("cat [MASK]")->ids(), (std::vector<int>{0, 3, 2, 1}));
}

TEST(WordIdsTest, ReadsSpacedWords) {
  const WordIds ids(kWords);
  EXPECT_EQ(ids.read("The cat  sat ."), (std::vector<int>{3, 5, 6, 9}));
  EXPECT_TRUE(ids.has("mat"));
  EXPECT_FALSE(ids.has("dragon"));
  EXPECT_DEATH(ids["dragon"], "check failed");
}

TEST(RandomTest, SameNumbersForTheSamePurpose) {
  SplitMix64 a = random_of(1, 0, 7), b = random_of(1, 0, 7), c = random_of(1, 1, 7);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  // The reference's first output for state 0.
  EXPECT_EQ(SplitMix64(0).next(), 0xE220A8397B1DCDAFULL);
}

TEST(RandomTest, NumbersSpreadEvenly) {
  SplitMix64 random(5);
  std::vector<int> counts(7, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 70000; ++i) {
    ++counts[static_cast<std::size_t>(random.below(7))];
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_NEAR(sum / 70000, 0, 0.02);
  EXPECT_NEAR(squares / 70000, 1, 0.03);
  int inside = 0;
  for (int i = 0; i < 10000; ++i) inside += falls_into(fingerprint(std::vector<int>{i, 3}), 0.25) ? 1 : 0;
  EXPECT_NEAR(inside, 2500, 200);
}

}  // namespace
}  // namespace attnscope
