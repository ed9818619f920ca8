// Merges learned from small texts that can be counted by hand, and what tokenizers make of them.
#include "core/text/learn_bpe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/text/segmentation.h"

namespace attnscope {
namespace {

TEST(LearnMerges, TheExampleOfSennrich) {
  std::string text;
  const auto times = [&](const char* word, int count) {
    for (int i = 0; i < count; ++i) text += std::string(text.empty() ? "" : "\n") + word;
  };
  times("low", 5), times("lower", 2), times("newest", 6), times("widest", 3);
  const std::vector<std::string_view> texts{text};
  const auto merges = learn_merges(texts, 4);
  // e s: 9, then es t: 9, then of (l o: 7, o w: 7, ...) the first by spelling.
  EXPECT_EQ(merges, (std::vector<std::string>{"e s", "es t", "l o", "lo w"}));
  EXPECT_LT(learn_merges(texts, 1000).size(), 40u) << "what occurs once is not joined";
}

// All pairs counted anew before every merge, by spellings alone.
TEST(LearnMerges, EqualCountingEverythingAnew) {
  const std::string text = "banana bandana\nban can cannon banner\nananas anna hannah\nnan ban banana";
  std::vector<std::pair<std::vector<std::string>, int>> words;
  for (const char* word : {"banana", " bandana", "ban", " can", " cannon", " banner", "ananas", " anna",
                           " hannah", "nan", " ban", " banana"}) {
    words.push_back({{}, 1});
    for (const char* c = word; *c; ++c)
      words.back().first.push_back(*c == ' ' ? std::string("\xC4\xA0") : std::string(1, *c));
  }
  std::vector<std::string> wanted;
  for (;;) {
    std::map<std::string, int> pairs;
    for (const auto& [pieces, count] : words)
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i) pairs[pieces[i] + " " + pieces[i + 1]] += count;
    std::string best;
    int most = 1;
    for (const auto& [pair, count] : pairs)
      if (count > most) most = count, best = pair;
    if (best.empty()) break;
    wanted.push_back(best);
    const std::string left = best.substr(0, best.find(' ')), right = best.substr(best.find(' ') + 1);
    for (auto& [pieces, count] : words)
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
        if (pieces[i] == left && pieces[i + 1] == right)
          pieces[i] += right, pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  const std::vector<std::string_view> texts{text};
  EXPECT_EQ(learn_merges(texts, 1000), wanted);
}

TEST(LearnMerges, CutTheirOwnTextShorterMergeByMerge) {
  const std::string text =
      "the cat sat on the mat. the dog sat on the log. 고양이가 매트에 앉았다. 고양이가 고양이를 봤다.";
  const std::vector<std::string_view> texts{text};
  const auto merges = learn_merges(texts, 60);
  std::size_t before = text.size() + 1;
  for (std::size_t count = 0; count <= merges.size(); count += 5) {
    const auto tokenizer = tokenizer_of_merges(merges, count);
    ASSERT_TRUE(tokenizer) << tokenizer.error().text();
    EXPECT_EQ((*tokenizer)->vocab_size(), 256 + static_cast<int>(count));
    const auto encoding = (*tokenizer)->encode(text);
    ASSERT_TRUE(encoding);
    EXPECT_LT(encoding->tokens.size(), before);
    EXPECT_EQ((*tokenizer)->decode(encoding->ids()), text);
    before = encoding->tokens.size();
  }
  const auto emoji = (*tokenizer_of_merges(merges, 60))->encode("🙂");
  ASSERT_TRUE(emoji);
  EXPECT_EQ(emoji->tokens.size(), 4u) << "bytes that were never seen stay bytes";
}

TEST(LearnMerges, UnigramHasTheSharesOfThePieces) {
  const std::string text = "low low low lower lower new new newer";
  const std::vector<std::string_view> texts{text};
  const auto merges = learn_merges(texts, 6);
  const auto tokenizer = unigram_of_merges(texts, merges, 6);
  ASSERT_TRUE(tokenizer) << tokenizer.error().text();
  const auto encoding = (*tokenizer)->encode("low lower");
  ASSERT_TRUE(encoding);
  EXPECT_EQ((*tokenizer)->decode(encoding->ids()), "low lower");
  // Every way through the lattice of a word has a sum; the best is what is taken.
  const auto steps = segment(**tokenizer, " lower");
  ASSERT_TRUE(steps);
  ASSERT_FALSE(steps->words.empty());
  EXPECT_EQ(steps->words.front().steps.kind, WordSteps::Kind::lattice);
  EXPECT_GT(steps->words.front().steps.candidates.size(), 5u);
}

}  // namespace
}  // namespace attnscope
