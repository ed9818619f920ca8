// The steps of a text: on every reference case of every kind of tokenizer, the last step is the tokens.
#include "core/text/segmentation.h"

#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

TokenizerPointer open_golden(const std::string& kind) {
  auto opened = open_tokenizer(golden(kind));
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().text());
  return opened ? *opened : nullptr;
}

void check_merges(const SegmentedWord& word, const Tokenizer& tokenizer) {
  const WordSteps& steps = word.steps;
  for (std::size_t i = 0; i < steps.merges.size(); ++i) {
    const auto before = pieces_after(word, i), after = pieces_after(word, i + 1);
    ASSERT_EQ(before.size(), after.size() + 1);
    const std::string whole = tokenizer.token_text(steps.merges[i].id);
    bool found = false;  // two neighbours of the pieces before spell the merged one
    for (std::size_t at = 0; at + 1 < before.size(); ++at) {
      found = found || (after[at].id == steps.merges[i].id && after[at].begin == before[at].begin &&
                        after[at].end == before[at + 1].end);
    }
    ASSERT_TRUE(found) << whole;
  }
}

void check_lattice(const SegmentedWord& word) {
  std::size_t end = 0;
  for (const WordSteps::Candidate& next : word.steps.candidates) {
    if (!next.chosen) continue;
    ASSERT_EQ(next.begin, end);
    ASSERT_TRUE(next.best);
    end = next.end;
  }
  ASSERT_EQ(end, word.text.text().size());
}

void check_attempts(const SegmentedWord& word) {
  std::vector<int> found;
  for (const WordSteps::Attempt& attempt : word.steps.attempts) {
    if (attempt.id >= 0) found.push_back(attempt.id);
  }
  const bool failed = word.steps.attempts.empty() || word.steps.attempts.back().id < 0;
  if (failed) {
    ASSERT_EQ(word.parts.size(), 1u);  // the unknown token
    return;
  }
  std::vector<int> ids;
  for (const WordPart& part : word.parts) ids.push_back(part.id);
  ASSERT_EQ(found, ids);
}

class Steps : public ::testing::TestWithParam<std::string> {};

TEST_P(Steps, EndInTheTokens) {
  const auto tokenizer = open_golden(GetParam());
  ASSERT_TRUE(tokenizer);
  const bool by_rank = starts_with(GetParam(), "bytelevel") || GetParam() == "sentencepiece_bpe";
  for (const Json& expected : Json::parse(read_text(golden(GetParam()) + "/cases.json"))) {
    const std::string text = expected["text"];
    SCOPED_TRACE(text.substr(0, 60));
    const auto steps = segment(*tokenizer, text, {100000, 100000});
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->encoding.ids(), must_encode(*tokenizer, text).ids());
    EXPECT_EQ(steps->word_count, steps->words.size());
    std::vector<int> ids;
    for (const SegmentedWord& word : steps->words) {
      ASSERT_FALSE(word.steps.cut_short);
      for (std::size_t i = 0; i < word.parts.size(); ++i)
        ASSERT_EQ(steps->encoding.tokens.at(word.first_token + i).id, word.parts[i].id);
      for (const WordPart& part : word.parts) ids.push_back(part.id);
      if (word.added) continue;
      if (word.steps.kind == WordSteps::Kind::merges) check_merges(word, *tokenizer);
      if (word.steps.kind == WordSteps::Kind::lattice) check_lattice(word);
      if (word.steps.kind == WordSteps::Kind::attempts) check_attempts(word);
      if (!by_rank) continue;
      const auto last = pieces_after(word, word.steps.merges.size());
      ASSERT_EQ(last.size(), word.parts.size());
      for (std::size_t i = 0; i < last.size(); ++i) ASSERT_EQ(last[i].id, word.parts[i].id);
    }
    EXPECT_EQ(ids, must_encode(*tokenizer, text, false).ids());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Steps,
                         ::testing::Values("bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe",
                                           "unigram", "wordpiece_cased", "wordpiece_uncased", "model_bpe",
                                           "model_unigram"),
                         [](const auto& tested) { return tested.param; });

TEST(Segmentation, TellsAWordsStory) {
  Json file = plain_bpe({"l", "o", "w", "lo", "low", "e", "r", "er"}, {"l o", "e r", "lo w"});
  const auto tokenizer = must_open(file);
  const auto steps = segment(*tokenizer, "lower");
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->words.size(), 1u);
  const SegmentedWord& word = steps->words[0];
  ASSERT_EQ(word.steps.merges.size(), 3u);
  const auto shown = [&](std::size_t count) {
    std::vector<std::string> out;
    for (const WordPart& piece : pieces_after(word, count)) out.push_back(tokenizer->token_text(piece.id));
    return join(out, " ");
  };
  EXPECT_EQ(shown(0), "l o w e r");
  EXPECT_EQ(shown(1), "lo w e r");
  EXPECT_EQ(shown(2), "lo w er");
  EXPECT_EQ(shown(3), "low er");
  EXPECT_EQ(shown(99), "low er");
  EXPECT_EQ(word.steps.merges[1].rank, 1);
  EXPECT_EQ(word.text.span(3, 5).begin, 3);
}

TEST(Segmentation, ShowsNormalizedStretchesAndAddedTokens) {
  const auto tokenizer = open_golden("wordpiece_uncased");
  const auto steps = segment(*tokenizer, "Ünd [MASK] B");
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->stretches.size(), 3u);
  EXPECT_EQ(steps->stretches[0].text.text(), "und ");
  EXPECT_TRUE(steps->stretches[1].added.has_value());
  ASSERT_EQ(steps->words.size(), 3u);
  EXPECT_EQ(steps->words[1].parts.at(0).id, *steps->words[1].added);
  EXPECT_EQ(steps->words[0].text.span(0, 3).end, 4);  // "Ünd" has four bytes
}

TEST(Segmentation, IsBounded) {
  for (const char* kind : {"bytelevel_bpe", "unigram", "wordpiece_cased", "model_bpe", "model_unigram"}) {
    const auto tokenizer = open_golden(kind);
    std::string text = std::string(20000, 'x');
    for (int i = 0; i < 2000; ++i) text += " cat";
    const auto steps = segment(*tokenizer, text, {10, 50});
    ASSERT_TRUE(steps);
    EXPECT_LE(steps->words.size(), 10u);
    EXPECT_GE(steps->word_count, steps->words.size());
    EXPECT_EQ(steps->encoding.ids(), must_encode(*tokenizer, text).ids());
    for (const SegmentedWord& word : steps->words) {
      EXPECT_LE(word.steps.letters.size(), 50u);
      EXPECT_LE(word.steps.merges.size(), 50u);
      EXPECT_LE(word.steps.candidates.size(), 50u);
      EXPECT_LE(word.steps.attempts.size(), 50u);
    }
    const WordSteps& first = steps->words.at(0).steps;
    EXPECT_TRUE(first.cut_short || first.kind == WordSteps::Kind::attempts);  // 100 characters at most
    EXPECT_EQ(pieces_after(steps->words[0], 3).size() > 0, true);
  }
}

}  // namespace
}  // namespace attnscope::testing
