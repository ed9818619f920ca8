// The vocabulary models one by one, against their definitions spelled out naively.
#include <algorithm>
#include <functional>
#include <random>

#include "core/text/byte_trie.h"
#include "core/text/renamed_model.h"
#include "core/text/scored_bpe.h"
#include "core/text/unigram.h"
#include "core/text/word_piece.h"
#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

using Words = std::vector<std::string>;

Words pieces_of(const WordModel& model, const std::string& word) {
  std::vector<WordPart> parts;
  model.cut(word, parts);
  Words out;
  for (const WordPart& part : parts) {
    out.push_back(part.as_written ? "?" + word.substr(part.begin, part.end - part.begin)
                                  : std::string(model.vocabulary().spelling(part.id)));
  }
  return out;
}

std::string random_word(std::mt19937& random, std::size_t most, const char* letters, std::uint32_t count) {
  std::string out;
  for (std::size_t left = 1 + random() % most; left > 0; --left) out.push_back(letters[random() % count]);
  return out;
}

TEST(ByteTrie, FindsEveryPrefix) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> spellings;
    for (int i = 0; i < 20; ++i) spellings.push_back(random_word(random, 5, "ab\xFF", 3));
    std::vector<ByteTrie::Entry> entries;
    for (std::size_t i = 0; i < spellings.size(); ++i)
      entries.emplace_back(spellings[i], static_cast<int>(i));
    const ByteTrie trie(entries);
    const std::string text = random_word(random, 8, "ab\xFF", 3);
    std::vector<std::pair<std::size_t, int>> found, expected;
    trie.prefixes(text, [&](std::size_t length, int value) { found.emplace_back(length, value); });
    for (std::size_t length = 1; length <= text.size(); ++length) {
      int last = -1;
      for (std::size_t i = 0; i < spellings.size(); ++i) {
        if (spellings[i] == text.substr(0, length)) last = static_cast<int>(i);
      }
      if (last >= 0) expected.emplace_back(length, last);
    }
    ASSERT_EQ(found, expected);
    ASSERT_EQ(trie.longest(text), expected.empty() ? std::make_pair(std::size_t{0}, -1) : expected.back());
  }
  EXPECT_TRUE(ByteTrie().empty());
  EXPECT_EQ(ByteTrie().longest("a").first, 0u);
}

// The best sum over all ways to cut the word, by trying them all.
double best_total(const std::vector<UnigramPiece>& pieces, double unknown, const std::string& word) {
  if (word.empty()) return 0.0;
  double best = -1e9;
  bool single = false;
  for (const UnigramPiece& piece : pieces) {
    if (!starts_with(word, piece.spelling)) continue;
    single = single || piece.spelling.size() == 1;
    best = std::max(best, piece.score + best_total(pieces, unknown, word.substr(piece.spelling.size())));
  }
  if (!single) best = std::max(best, unknown + best_total(pieces, unknown, word.substr(1)));
  return best;
}

TEST(Unigram, FindsTheBestPath) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<UnigramPiece> pieces{{"<unk>", 0.0}};
    for (int i = 0; i < 12; ++i) {
      const std::string spelling = random_word(random, 4, "abcd", 4);
      const bool known = std::any_of(pieces.begin(), pieces.end(),
                                     [&](const UnigramPiece& piece) { return piece.spelling == spelling; });
      if (!known) pieces.push_back({spelling, -1.0 - static_cast<double>(random() % 1000) / 100.0});
    }
    UnigramOptions options;
    options.unknown = 0;
    const auto model = Unigram::make(pieces, options);
    ASSERT_TRUE(model);
    double lowest = 0.0;
    for (const UnigramPiece& piece : pieces) lowest = std::min(lowest, piece.score);
    const std::string word = random_word(random, 9, "abcde", 5);
    WordSteps steps;
    std::vector<WordPart> parts;
    model->cut_word(word, parts, &steps);
    double total = 0.0;
    std::size_t end = 0;
    for (const WordSteps::Candidate& next : steps.candidates) {
      if (!next.chosen) continue;
      ASSERT_EQ(next.begin, end);
      ASSERT_TRUE(next.best);
      end = next.end;
      total += next.score;
      ASSERT_NEAR(next.total, total, 1e-9);
    }
    ASSERT_EQ(end, word.size());
    ASSERT_NEAR(total, best_total(pieces, lowest - 10.0, word), 1e-9) << word;
  }
}

TEST(Unigram, UnknownCharacters) {
  std::vector<UnigramPiece> pieces{{"<unk>", 0.0}, {"a", -1.0}, {"<0xC3>", -9.0}, {"<0xA9>", -9.0}};
  UnigramOptions options;
  options.unknown = 0;
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "axyéa"), (Words{"a", "?xyé", "a"}));
  options.byte_fallback = true;
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "aéa"), (Words{"a", "<0xC3>", "<0xA9>", "a"}));
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "aéxa"), (Words{"a", "?éx", "a"}));  // all or none
  options.sentencepiece = true;
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "éxa"), (Words{"<0xC3>", "<0xA9>", "?x", "a"}));
  options = {};
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "axa"), (Words{"a", "a"}));
}

TEST(Unigram, PiecesSetByTheUserWin) {
  const std::vector<UnigramPiece> pieces{{"<unk>", 0.0, false},     {"abc", -0.5}, {"a", -1.0},
                                         {"bc", -20.0, true, true}, {"b", -1.0},   {"c", -1.0}};
  UnigramOptions options;
  options.unknown = 0;
  options.sentencepiece = true;
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "abc"), (Words{"abc"}));
  EXPECT_EQ(pieces_of(*Unigram::make(pieces, options), "bbc"), (Words{"b", "bc"}));
}

TEST(Unigram, RefusesWhatItCannotUse) {
  UnigramOptions options;
  options.unknown = 7;
  const std::vector<UnigramPiece> good{{"a", -1.0}};
  EXPECT_EQ(Unigram::make(good, options).error().sentence(),
            "the unknown token has id 7, but there are 1 pieces");
  const std::vector<UnigramPiece> infinite{{"a", -1.0}, {"b", -1.0 / 0.0}};
  EXPECT_EQ(Unigram::make(infinite, {}).error().sentence(),
            "the piece \"b\" (id 1) has a score that is no number");
  const std::vector<UnigramPiece> vast{{std::string(5000, 'a'), -1.0}};
  EXPECT_NE(Unigram::make(vast, {}).error().sentence().find("(id 0) has 5"), std::string::npos);
}

Vocabulary models_vocabulary_of(const Words& spellings) {
  Vocabulary out;
  for (std::size_t id = 0; id < spellings.size(); ++id)
    EXPECT_TRUE(out.add(spellings[id], static_cast<std::int64_t>(id)));
  return out;
}

TEST(WordPiece, LongestFirst) {
  const auto model =
      WordPiece::make(models_vocabulary_of({"[UNK]", "un", "##aff", "##able", "a", "##a", "unaf"}), {});
  ASSERT_TRUE(model);
  EXPECT_EQ(pieces_of(*model, "unaffable"), (Words{"[UNK]"}));  // "unaf" leaves "fable"
  EXPECT_EQ(pieces_of(*model, "unable"), (Words{"un", "##able"}));
  EXPECT_EQ(pieces_of(*model, "aaa"), (Words{"a", "##a", "##a"}));
  EXPECT_EQ(pieces_of(*model, std::string(100, 'a')).size(), 100u);
  EXPECT_EQ(pieces_of(*model, std::string(101, 'a')), (Words{"[UNK]"}));
  WordSteps steps;
  std::vector<WordPart> parts;
  model->cut_word("unable", parts, &steps);
  Words tried;
  for (const auto& attempt : steps.attempts)
    tried.push_back(std::string("unable").substr(attempt.begin, attempt.end - attempt.begin) +
                    (attempt.id < 0 ? "" : "!"));
  EXPECT_EQ(tried, (Words{"unable", "unabl", "unab", "una", "un!", "able!"}));
}

TEST(WordPiece, NeedsItsUnknownToken) {
  WordPieceOptions options;
  options.unknown = "<nope>";
  EXPECT_EQ(WordPiece::make(models_vocabulary_of({"a"}), options).error().sentence(),
            "the unknown token \"<nope>\" is not in the vocabulary");
}

TEST(WholeWords, AreLookedUp) {
  const auto model = WholeWords::make(models_vocabulary_of({"<unk>", "cat"}), "<unk>");
  EXPECT_EQ(pieces_of(*model, "cat"), (Words{"cat"}));
  EXPECT_EQ(pieces_of(*model, "cats"), (Words{"<unk>"}));
  EXPECT_EQ(pieces_of(*WholeWords::make(models_vocabulary_of({"cat"}), "<unk>"), "dog"), Words{});
}

// Joins the two neighbours whose joined spelling has the best score, the leftmost of equals, until none is
// left.
Words naive_scored(const std::vector<ScoredPiece>& pieces, const std::string& word) {
  Words parts;
  for (const char c : word) parts.emplace_back(1, c);
  const auto find = [&](const std::string& spelling) {
    return std::find_if(pieces.begin(), pieces.end(),
                        [&](const ScoredPiece& piece) { return piece.spelling == spelling; });
  };
  for (;;) {
    std::size_t best = parts.size();
    float score = 0.0F;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto piece = find(parts[i] + parts[i + 1]);
      if (piece == pieces.end() || (best < parts.size() && piece->score <= score)) continue;
      best = i;
      score = piece->score;
    }
    if (best == parts.size()) return parts;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(ScoredBpe, AgreesWithTheDefinition) {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    std::vector<ScoredPiece> pieces{{"a", 0.0F}, {"b", 0.0F}, {"c", 0.0F}};
    for (int i = 0; i < 14; ++i) {
      const std::string spelling = random_word(random, 4, "abc", 3);
      const bool known = std::any_of(pieces.begin(), pieces.end(),
                                     [&](const ScoredPiece& piece) { return piece.spelling == spelling; });
      if (!known) pieces.push_back({spelling, -static_cast<float>(random() % 6)});
    }
    const auto model = ScoredBpe::make(pieces, std::nullopt, false);
    ASSERT_TRUE(model);
    const std::string word = random_word(random, 30, "abc", 3);
    ASSERT_EQ(pieces_of(*model, word), naive_scored(pieces, word)) << word;
  }
}

TEST(ScoredBpe, KindsOfPieces) {
  std::vector<ScoredPiece> pieces{
      {"<unk>", 0.0F, PieceKind::unknown}, {"a", -5.0F},   {"b", -5.0F},
      {"ab", -1.0F, PieceKind::unused},    {"aba", -2.0F}, {"ba", -9.0F, PieceKind::user},
      {"<s>", 0.0F, PieceKind::control},   {"<s", -1.0F}};
  const auto model = ScoredBpe::make(pieces, 0, false);
  EXPECT_EQ(pieces_of(*model, "ab"), (Words{"a", "b"}));  // unused: taken apart again
  EXPECT_EQ(pieces_of(*model, "abba"), (Words{"a", "b", "ba"}));
  EXPECT_EQ(pieces_of(*model, "aba"), (Words{"a", "ba"}));   // the user's piece joins nothing
  EXPECT_EQ(pieces_of(*model, "<s>"), (Words{"<s", "?>"}));  // control pieces are never cut
  EXPECT_EQ(pieces_of(*model, "xyzab"), (Words{"?xyz", "a", "b"}));
  pieces.push_back({"c", -1.0F / 0.0F});
  EXPECT_EQ(ScoredBpe::make(pieces, 0, false).error().sentence(),
            "the piece \"c\" (id 8) has a score that is no number");
}

TEST(RenamedModel, GivesOtherIds) {
  const auto inner =
      std::make_shared<WholeWords>(*WholeWords::make(models_vocabulary_of({"a", "b", "c"}), ""));
  const RenamedModel model(inner, models_vocabulary_of({"b", "<unk>", "a"}), 1, {});
  EXPECT_EQ(pieces_of(model, "a"), (Words{"a"}));
  EXPECT_EQ(pieces_of(model, "c"), (Words{"?c"}));
  WordSteps steps;
  std::vector<WordPart> parts;
  model.cut_word("a", parts, &steps);
  EXPECT_EQ(parts.at(0).id, 2);
  EXPECT_EQ(steps.attempts.at(0).id, 2);
}

TEST(UnknownPieces, are_named_once_each_by_every_kind_of_vocabulary) {
  for (const char* name : {"wordpiece_uncased", "unigram", "sentencepiece_bpe"}) {
    const auto opened = open_tokenizer(golden(name));
    ASSERT_TRUE(opened) << name;
    const Tokenizer& tokenizer = **opened;
    if (!tokenizer.unknown()) continue;  // bytes spell everything
    const std::string text = "a \xE2\x98\x83 a \xE2\x98\x83 a";
    const auto made = tokenizer.encode(text);
    ASSERT_TRUE(made);
    const std::vector<int> ids = made->ids();
    const bool read = std::find(ids.begin(), ids.end(), *tokenizer.unknown()) != ids.end();
    EXPECT_EQ(unknown_pieces(tokenizer, text, made->tokens),
              read ? std::vector<std::string>{"\xE2\x98\x83"} : std::vector<std::string>{})
        << name;
    if (std::string(name) == "wordpiece_uncased") {
      EXPECT_TRUE(read);
    }
    EXPECT_TRUE(unknown_pieces(tokenizer, "a", tokenizer.encode("a")->tokens).empty());
  }
}

}  // namespace
}  // namespace attnscope::testing
