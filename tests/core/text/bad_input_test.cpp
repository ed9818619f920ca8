// Files that lie and texts that are none: one sentence and a hint for each, never a crash. Includes the fuzz
// tests.
#include <algorithm>
#include <random>

#include "core/text/bpe.h"
#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

// Opens a file that must be refused, and checks that the sentence names the file and has `part` in it.
void expect_refused(const std::string& text, const std::string& part) {
  const auto made = tokenizer_from_json(text, "bad.json");
  ASSERT_FALSE(made) << text.substr(0, 200);
  EXPECT_TRUE(starts_with(made.error().sentence, "bad.json: ")) << made.error().text();
  EXPECT_NE(made.error().sentence.find(part), std::string::npos) << made.error().text();
  EXPECT_FALSE(made.error().hint.empty());
}

Json small() {
  Json file = plain_bpe({"a", "b", "ab"}, {"a b"});
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  return file;
}

TEST(BadTokenizerFile, IsNoJson) {
  expect_refused("", "breaks off at byte");
  expect_refused("{\"model\": {\"type\": \"BPE\", \"vocab\"", "breaks off at byte");
  expect_refused("[1, 2]", "must be an object");
  expect_refused("{}", "model is missing");
  expect_refused(std::string(100000, '['), "nested deeper than 64");
  expect_refused(std::string("{\"model\": \"\xFF\"}"), "breaks off at byte");
}

TEST(BadTokenizerFile, VocabularyLies) {
  const auto with_vocab = [](const Json& vocab) {
    Json file = small();
    file["model"]["vocab"] = vocab;
    file["model"]["merges"] = Json::array();
    return file.dump();
  };
  expect_refused(with_vocab({{"a", -1}}), "\"a\" has id -1");
  expect_refused(with_vocab({{"a", 4000000000}}), "\"a\" has id 4000000000");
  expect_refused(with_vocab({{"a", 18446744073709551615u}}), "model.vocab[\"a\"] must be a whole number");
  expect_refused(with_vocab({{"a", 1.5}}), "found 1.5");
  expect_refused(with_vocab({{"a", "x"}}), "model.vocab[\"a\"] must be a whole number");
  expect_refused(with_vocab({{"a", 3}, {"b", 3}}), "\"a\" and \"b\" share id 3");
  expect_refused(with_vocab({"a", "b"}), "model.vocab must be an object");
}

TEST(BadTokenizerFile, MergesLie) {
  const auto with_merges = [](const Json& merges) {
    Json file = small();
    file["model"]["merges"] = merges;
    return file.dump();
  };
  expect_refused(with_merges({"a c"}), "needs the token \"c\"");
  expect_refused(with_merges({"b a"}), "needs the token \"ba\"");
  expect_refused(with_merges({"ab"}), "model.merges[0]");
  expect_refused(with_merges({"a b a"}), "model.merges[0]");
  expect_refused(with_merges({{"a", "b", "a"}}), "model.merges[0]");
  expect_refused(with_merges(Json::array({Json::array({"a", 1})})), "model.merges[0][1] must be a string");
  expect_refused(with_merges(7), "model.merges must be a list");
  EXPECT_TRUE(tokenizer_from_json(with_merges({"#version: 0.2", "a b"}), "good.json"));
}

TEST(BadTokenizerFile, UnknownPartsAreNamed) {
  for (const char* key : {"normalizer", "pre_tokenizer", "post_processor", "decoder"}) {
    Json file = small();
    file[key] = {{"type", "Telepathy"}};
    expect_refused(file.dump(), std::string(key) + " has the type \"Telepathy\"");
    file[key] = 5;
    expect_refused(file.dump(), std::string(key) + " must be an object, found 5");
  }
  Json model = small();
  model["model"]["type"] = "Hieroglyphs";
  expect_refused(model.dump(), "model has the type \"Hieroglyphs\", which is not known");
  Json nested = small();
  nested["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Nope"}}}}};
  expect_refused(nested.dump(), "pre_tokenizer.pretokenizers[0] has the type \"Nope\"");
}

TEST(BadTokenizerFile, PartsLie) {
  Json file = small();
  file["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"Regex", "(["}}}, {"behavior", "Isolated"}};
  expect_refused(file.dump(), "pre_tokenizer.pattern: the expression \"([\" does not compile");
  file["pre_tokenizer"] = {{"type", "Split"}, {"pattern", {{"String", "a"}}}, {"behavior", "Eaten"}};
  expect_refused(file.dump(), "pre_tokenizer.behavior");
  file = small();
  file["added_tokens"] = {{{"id", 1}, {"content", "<s>"}}};
  expect_refused(file.dump(), "has the id 1 of another token, \"b\"");
  file["added_tokens"] = {{{"id", 5}, {"content", "<s>"}}, {{"id", 5}, {"content", "<t>"}}};
  expect_refused(file.dump(), "share id 5");
  file["added_tokens"] = {{{"id", -3}, {"content", "<s>"}}};
  expect_refused(file.dump(), "added_tokens[0]");
  file = small();
  file["post_processor"] = {{"type", "BertProcessing"}, {"cls", {"x", -1}}, {"sep", {"x", 1}}};
  expect_refused(file.dump(), "post_processor.cls");
  file["post_processor"] = {
      {"type", "TemplateProcessing"}, {"single", Json::array()}, {"special_tokens", Json::object()}};
  expect_refused(file.dump(), "post_processor.single");
  file = small();
  file["model"]["unk_token"] = "<unk>";
  expect_refused(file.dump(), "the unknown token \"<unk>\"");
}

TEST(BadTokenizerFile, IsNotThere) {
  const auto missing = open_tokenizer("/no/such/tokenizer.json");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().sentence.find("/no/such/tokenizer.json"), std::string::npos);
  const auto folder = open_tokenizer(std::string(ATTNSCOPE_SOURCE_DIR) + "/core");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().sentence.find("no tokenizer.json"), std::string::npos);
}

TEST(BadParts, ByteLevelBpeSaysWhatIsWrong) {
  const auto sentence = [](const ByteLevelBpe& parts) {
    const auto made = make_byte_level_bpe(parts, "x.gguf");
    return made ? "" : made.error().sentence;
  };
  ByteLevelBpe parts;
  parts.vocab = {"a", "b", "a"};
  EXPECT_EQ(sentence(parts), "");
  parts.vocab = {"a", "b", "ab"};
  parts.merges = {"ab"};
  EXPECT_EQ(sentence(parts), "x.gguf: merge 0 (\"ab\") is not two tokens with a space between");
  parts.merges = {"a b"};
  parts.bos = 9;
  EXPECT_EQ(sentence(parts), "x.gguf: the begin token has id 9, which is not in the vocabulary");
  parts.bos = 0;
  parts.patterns = {"("};
  EXPECT_NE(sentence(parts).find("does not compile"), std::string::npos);
  parts.patterns.clear();
  EXPECT_EQ(sentence(parts), "");
}

TEST(BadText, IllFormedBytesAreReplacedAndKeepTheirPlaces) {
  auto opened = open_tokenizer(golden("bytelevel_bpe"));
  ASSERT_TRUE(opened);
  const std::string text = "a\xFF\xE2\x82 b";
  const Encoding encoding = must_encode(**opened, text);
  EXPECT_EQ((*opened)->decode(encoding.ids()), valid_utf8(text));
  EXPECT_EQ(places(encoding)[1], (Places::value_type{1, 2}));
  EXPECT_EQ(encoding.tokens.back().end, 6);
}

TEST(BadText, DisplayIsAlwaysLegible) {
  EXPECT_EQ(display_bytes(" cat"), "·cat");
  EXPECT_EQ(display_bytes("\n"), "⏎");
  EXPECT_EQ(display_bytes("\xE2\x82"), "<0xE2><0x82>");
  EXPECT_EQ(display_bytes(""), "<empty>");
  EXPECT_EQ(display_bytes("  "), "··");
  EXPECT_EQ(display_bytes("a b \t"), "a b ⇥");
  EXPECT_EQ(display_bytes(std::string("\0", 1)), "<0x00>");
  EXPECT_EQ(display_bytes("\xE2\x80\x8D"), "<U+200D>");
  EXPECT_EQ(display_bytes("\xEF\xBF\xBD"), "\xEF\xBF\xBD");
  EXPECT_EQ(display_bytes("e\xCC\x81 ᄒ\xE1\x85\xA1\xE1\x86\xAB"), "é 한");  // composed
}

// Small edits anywhere in the file: cut, double, swap, overwrite with what JSON is made of or with any byte.
std::string mutated(std::string text, std::mt19937& random) {
  static const char* const pieces[] = {"-1",   "null", "\"",          "{",       "}",        "[",  "]",   ",",
                                       "1e99", "true", "99999999999", "\\u0000", "\"type\"", "(?", "\xFF"};
  for (auto edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t count = std::min<std::size_t>(random() % 20, text.size() - at);
    switch (random() % 4) {
      case 0: text.erase(at, count); break;
      case 1: text.insert(at, text.substr(at, count)); break;
      case 2: text.replace(at, count, pieces[random() % std::size(pieces)]); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
    if (text.empty()) text = "{";
  }
  return text;
}

std::string random_bytes(std::mt19937& random) {
  static const char* const pieces[] = {
      " ", "a", "'ll", "<s>", "\n", "한", "e\xCC\x81", "\xF0\x9F\x98\x80", "\xE2\x82", "123", "<0x0A>", "ﬁ"};
  std::string out;
  for (auto left = random() % 24; left > 0; --left) {
    if (random() % 3 == 0) {
      out.push_back(static_cast<char>(random()));
    } else {
      out += pieces[random() % std::size(pieces)];
    }
  }
  return out;
}

// Whatever a tokenizer is made of, these hold for any bytes.
void expect_sane(const Tokenizer& tokenizer, const std::string& text) {
  const auto encoded = tokenizer.encode(text);
  if (!encoded) return;
  for (const Token& token : encoded->tokens) {
    ASSERT_GE(token.begin, 0);
    ASSERT_LE(token.begin, token.end);
    ASSERT_LE(token.end, static_cast<std::int64_t>(text.size()));
    ASSERT_FALSE(tokenizer.token_display(token.id).empty());
  }
  ASSERT_TRUE(is_valid_utf8(tokenizer.decode(encoded->ids(), false)));
}

// A file with every kind of part in it, so that edits reach all of the reader.
Json rich_file() {
  Json file = plain_bpe({"a", "b", "ab", "Ġ", "Ġab", "<s>", "</s>", "<0x0A>", "é"}, {"a b", "Ġ ab"});
  file["model"].update(
      {{"unk_token", "<s>"}, {"byte_fallback", true}, {"fuse_unk", true}, {"ignore_merges", false}});
  file["normalizer"] = {{"type", "Sequence"},
                        {"normalizers",
                         {{{"type", "NFKC"}},
                          {{"type", "Lowercase"}},
                          {{"type", "Replace"}, {"pattern", {{"Regex", "[0-9]+"}}}, {"content", "b"}},
                          {{"type", "Prepend"}, {"prepend", "a"}}}}};
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", "(?i:'ll)|\\s+(?!\\S)|\\p{N}{1,3}"}}},
                              {"behavior", "MergedWithNext"},
                              {"invert", false}},
                             {{"type", "Digits"}, {"individual_digits", true}},
                             {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}}}}};
  file["post_processor"] = {
      {"type", "RobertaProcessing"}, {"cls", {"<s>", 5}}, {"sep", {"</s>", 6}}, {"trim_offsets", true}};
  file["decoder"] = {{"type", "Sequence"},
                     {"decoders",
                      {{{"type", "ByteFallback"}},
                       {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}},
                       {{"type", "Fuse"}}}}};
  file["added_tokens"] = {
      {{"id", 5}, {"content", "<s>"}, {"special", true}, {"lstrip", true}, {"rstrip", true}},
      {{"id", 12}, {"content", "</t>"}, {"normalized", true}, {"single_word", true}}};
  return file;
}

// The kinds of vocabulary that came later, with the parts they bring.
Json rich_unigram() {
  Json file = rich_file();
  file["model"] = {{"type", "Unigram"}, {"unk_id", 0}, {"byte_fallback", true}};
  for (const auto& [piece, score] : {std::pair{"<unk>", 0.0}, {"▁", -2.5}, {"a", -3.0}, {"<0x0A>", -9.0}})
    file["model"]["vocab"].push_back(Json::array({piece, score}));
  file["normalizer"]["normalizers"].push_back(
      {{"type", "Precompiled"}, {"precompiled_charsmap", "BAAAAAAAAAA="}});
  file["normalizer"]["normalizers"].push_back({{"type", "Nmt"}});
  file["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "first"}, {"split", true}};
  file["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}};
  file["added_tokens"] = {{{"id", 7}, {"content", "<s>"}, {"special", true}}};
  return file;
}

Json rich_word_piece() {
  Json file = rich_file();
  file["model"] = {{"type", "WordPiece"},
                   {"unk_token", "a"},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 20},
                   {"vocab", {{"a", 0}, {"##b", 1}, {"ab", 2}, {"##é", 3}, {"1", 4}}}};
  file["normalizer"] = {{"type", "BertNormalizer"}, {"lowercase", true}, {"strip_accents", nullptr}};
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "BertPreTokenizer"}},
                             {{"type", "UnicodeScripts"}},
                             {{"type", "FixedLength"}, {"length", 3}}}}};
  file["decoder"] = {
      {"type", "Sequence"},
      {"decoders", {{{"type", "WordPiece"}, {"prefix", "##"}}, {{"type", "CTC"}, {"pad_token", "a"}}}}};
  file["added_tokens"] = {{{"id", 7}, {"content", "<s>"}, {"special", true}}};
  return file;
}

class Mutations : public ::testing::TestWithParam<int> {};

TEST_P(Mutations, NeverCrash) {
  std::mt19937 random(7);
  const std::string original = (GetParam() == 0   ? rich_file()
                                : GetParam() == 1 ? rich_unigram()
                                                  : rich_word_piece())
                                   .dump();
  const auto whole = tokenizer_from_json(original, "rich.json");
  ASSERT_TRUE(whole) << whole.error().text();
  int opened = 0;
  for (int round = 0; round < 6000; ++round) {
    const auto made = tokenizer_from_json(mutated(original, random), "fuzz.json");
    if (!made) {
      ASSERT_TRUE(starts_with(made.error().sentence, "fuzz.json: "));
      continue;
    }
    ++opened;
    for (int text = 0; text < 3; ++text) expect_sane(**made, random_bytes(random));
  }
  EXPECT_GT(opened, 100);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Mutations, ::testing::Values(0, 1, 2));

TEST(Fuzz, AnyBytesCanBeEncoded) {
  std::mt19937 random(11);
  for (const char* name : {"bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe", "unigram",
                           "wordpiece_cased", "wordpiece_uncased", "model_bpe", "model_unigram"}) {
    auto opened = open_tokenizer(golden(name));
    ASSERT_TRUE(opened);
    for (int round = 0; round < 2000; ++round) expect_sane(**opened, random_bytes(random));
  }
}

// The engine against the definition: join the best-ranked pair, leftmost first, until none is left.
TEST(Bpe, AgreesWithTheDefinition) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> spellings = {"a", "b", "c"};
    std::vector<Bpe::Merge> merges;
    for (int i = 0; i < 12; ++i) {
      const Bpe::Merge merge{spellings[random() % spellings.size()], spellings[random() % spellings.size()]};
      const std::string whole = merge.first + merge.second;
      if (std::find(spellings.begin(), spellings.end(), whole) != spellings.end()) continue;
      spellings.push_back(whole);
      merges.push_back(merge);
    }
    Vocabulary vocabulary;
    for (std::size_t id = 0; id < spellings.size(); ++id)
      ASSERT_TRUE(vocabulary.add(spellings[id], static_cast<int>(id)));
    const auto bpe = Bpe::make(std::move(vocabulary), merges, {});
    ASSERT_TRUE(bpe);
    std::string word;
    for (int i = 0; i < 30; ++i) word.push_back(static_cast<char>('a' + random() % 3));
    std::vector<std::string> parts;
    for (const char c : word) parts.emplace_back(1, c);
    for (std::size_t rank = 0; rank < merges.size();) {
      std::size_t at = 0;
      while (at + 1 < parts.size() &&
             (parts[at] != merges[rank].first || parts[at + 1] != merges[rank].second))
        ++at;
      if (at + 1 >= parts.size()) {
        ++rank;
        continue;
      }
      parts[at] += parts[at + 1];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      rank = 0;
    }
    std::vector<WordPart> cut;
    bpe->cut(word, cut);
    std::vector<std::string> got;
    for (const WordPart& part : cut) got.emplace_back(bpe->vocabulary().spelling(part.id));
    ASSERT_EQ(got, parts) << word;
  }
}

}  // namespace
}  // namespace attnscope::testing
