// Files that lie and texts that are none: one sentence and a hint for each, never a crash.
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
  EXPECT_TRUE(starts_with(made.error().sentence(), "bad.json: ")) << made.error().text();
  EXPECT_NE(made.error().sentence().find(part), std::string::npos) << made.error().text();
  EXPECT_FALSE(made.error().hint().empty());
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
  EXPECT_NE(missing.error().sentence().find("/no/such/tokenizer.json"), std::string::npos);
  const auto folder = open_tokenizer(std::string(ATTNSCOPE_SOURCE_DIR) + "/core");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().sentence().find("no tokenizer.json"), std::string::npos);
}

TEST(BadParts, ByteLevelBpeSaysWhatIsWrong) {
  const auto sentence = [](const ByteLevelBpe& parts) {
    const auto made = make_byte_level_bpe(parts, "x.gguf");
    return made ? "" : made.error().sentence();
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
