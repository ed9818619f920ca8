// SentencePiece models as files: ids, spellings and decoded texts of the sentencepiece library (0.1.97), what
// the tokenizer classes make of them, and files that lie.
#include "core/text/sentencepiece.h"

#include "core/text/wire_reader.h"
#include "tests/core/text/helpers.h"
#include "tests/core/text/temporary_folder.h"
#include "tests/core/text/wire_writer.h"

namespace attnscope::testing {
namespace {

class ModelFile : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelFile, EveryCaseAgrees) {
  auto opened = open_tokenizer(golden(GetParam()));
  ASSERT_TRUE(opened) << opened.error().text();
  const Tokenizer& tokenizer = **opened;
  const auto unknown = tokenizer.find("<unk>");
  ASSERT_TRUE(unknown);
  const Json cases = Json::parse(read_text(golden(GetParam()) + "/cases.json"));
  ASSERT_GE(cases.size(), 46u);
  for (const Json& expected : cases) {
    const std::string text = expected["text"];
    SCOPED_TRACE(text.substr(0, 60));
    if (text.find("<s>") != std::string::npos) continue;  // is found whole here, as in LLaMA
    const Encoding encoding = must_encode(tokenizer, text, false);
    EXPECT_EQ(encoding.ids(), expected["ids"].get<std::vector<int>>());
    EXPECT_EQ(spellings(encoding), expected["tokens"].get<std::vector<std::string>>());
    EXPECT_EQ(tokenizer.decode(encoding.ids()), expected["decoded"].get<std::string>());
    std::int64_t end = 0;
    for (const Token& token : encoding.tokens) {
      EXPECT_GE(token.end, end);
      end = token.end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ModelFile, ::testing::Values("model_bpe", "model_unigram"),
                         [](const auto& tested) { return tested.param; });

TEST(ModelFile, TokensKnowTheirBytes) {
  auto opened = open_tokenizer(golden("model_unigram"));
  ASSERT_TRUE(opened);
  const std::string text = "  ﬁx  the";  // two spaces, a ligature of three bytes
  const Encoding encoding = must_encode(**opened, text, false);
  std::string seen;
  for (const Token& token : encoding.tokens) {
    if (starts_with(token.text, "▁the")) {
      EXPECT_EQ(text.substr(static_cast<std::size_t>(token.begin)), "  the");  // one mark for two spaces
    }
  }
  ASSERT_FALSE(encoding.tokens.empty());
  EXPECT_EQ(encoding.tokens[0].begin, 2);
  EXPECT_EQ(encoding.tokens.back().end, static_cast<std::int64_t>(text.size()));
}

TEST(ModelFile, LlamaConventions) {
  auto opened = open_tokenizer(golden("model_bpe"));
  ASSERT_TRUE(opened);
  const Tokenizer& tokenizer = **opened;
  EXPECT_EQ(tokenizer.bos(), tokenizer.find("<s>"));
  EXPECT_EQ(tokenizer.eos(), tokenizer.find("</s>"));
  EXPECT_EQ(must_encode(tokenizer, "").ids(), (std::vector<int>{1}));
  const Encoding encoding = must_encode(tokenizer, "the</s>한é");
  EXPECT_EQ(encoding.tokens[0].text, "<s>");
  EXPECT_TRUE(encoding.tokens[0].special);
  bool found = false;
  for (const Token& token : encoding.tokens) found = found || (token.text == "</s>" && token.begin == 3);
  EXPECT_TRUE(found);
  EXPECT_EQ(tokenizer.decode(encoding.ids()), "the 한é");  // each stretch of text opens with a space
}

TEST(ModelFile, T5Conventions) {
  auto opened = open_tokenizer(golden("model_unigram"));
  ASSERT_TRUE(opened);
  const Tokenizer& tokenizer = **opened;
  EXPECT_EQ(tokenizer.vocab_size(), 164 + 100);
  EXPECT_EQ(tokenizer.find("<extra_id_0>"), std::optional<int>(263));
  EXPECT_EQ(tokenizer.find("<extra_id_99>"), std::optional<int>(164));
  EXPECT_EQ(tokenizer.bos(), std::nullopt);
  const Encoding encoding = must_encode(tokenizer, "the <extra_id_0>");
  ASSERT_GE(encoding.tokens.size(), 2u);
  EXPECT_EQ(encoding.tokens[encoding.tokens.size() - 2].id, 263);
  EXPECT_EQ(encoding.tokens.back().text, "</s>");
}

TEST(ModelFile, LegacyIsHeeded) {
  TemporaryFolder folder;
  folder.copy(golden("model_bpe") + "/tokenizer.model", "tokenizer.model");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizer", "legacy": false})");
  auto opened = open_tokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ((*opened)->decode(must_encode(**opened, "the</s>the").ids()), "thethe");
}

TEST(ModelFile, XlmRobertaShiftsItsIds) {
  TemporaryFolder folder;
  folder.copy(golden("model_bpe") + "/tokenizer.model", "sentencepiece.bpe.model");
  folder.write("config.json", R"({"model_type": "xlm-roberta"})");
  auto opened = open_tokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().text();
  const Tokenizer& tokenizer = **opened;
  auto plain = open_tokenizer(golden("model_bpe"));
  ASSERT_TRUE(plain);
  const auto ids = must_encode(tokenizer, "the cat").ids(),
             inner = must_encode(**plain, "the cat", false).ids();
  ASSERT_EQ(ids.size(), inner.size() + 2);
  EXPECT_EQ(ids.front(), 0);
  EXPECT_EQ(ids.back(), 2);
  for (std::size_t i = 0; i < inner.size(); ++i) EXPECT_EQ(ids[i + 1], inner[i] + 1);
  EXPECT_EQ(tokenizer.find("<mask>"), std::optional<int>(421));
  EXPECT_EQ(tokenizer.decode(ids), "the cat");
}

TEST(ModelFile, MarianTakesItsIdsFromVocabJson) {
  TemporaryFolder folder;
  folder.copy(golden("model_unigram") + "/spiece.model", "source.spm");
  folder.write("vocab.json", R"({"</s>": 0, "<unk>": 1, "▁the": 7, "▁": 3, ">>kor<<": 9, "<pad>": 8})");
  folder.write("config.json", R"({"model_type": "marian"})");
  auto opened = open_tokenizer(folder.path());
  ASSERT_TRUE(opened) << opened.error().text();
  const Encoding encoding = must_encode(**opened, ">>kor<< the the");
  EXPECT_EQ(encoding.ids(), (std::vector<int>{9, 7, 7, 0}));
  EXPECT_EQ((*opened)->decode(encoding.ids()), "the the");
  const auto ids = must_encode(**opened, "z").ids();
  EXPECT_EQ(ids[ids.size() - 2], 1);
  folder.write("vocab.json", R"({"</s>": 0})");
  EXPECT_NE(open_tokenizer(folder.path()).error().sentence().find("vocab.json has no <unk>"),
            std::string::npos);
}

TEST(ModelFile, ClassesWithOtherIdsAreRefused) {
  TemporaryFolder folder;
  folder.copy(golden("model_bpe") + "/tokenizer.model", "sentencepiece.bpe.model");
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "CamembertTokenizerFast"})");
  const auto opened = open_tokenizer(folder.path());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().sentence().find("the class CamembertTokenizer"), std::string::npos);
  EXPECT_FALSE(opened.error().hint().empty());
}

std::string refusal(const std::string& bytes) {
  const auto model = read_sentencepiece(bytes);
  return model ? std::string() : model.error().sentence();
}

TEST(BadModelFile, SaysWhatIsWrong) {
  const auto has = [](const std::string& bytes, const char* part) {
    EXPECT_NE(refusal(bytes).find(part), std::string::npos) << refusal(bytes);
  };
  has("", "there are no pieces in it");
  has("{}", "protocol buffer has a field of a kind that is not read at byte 0 of 2");
  has("\x0A\xFF\xFF\xFF\xFF\x0F", "states a length that runs over its end at byte 0 of 6");
  has("\x0A\xFF", "breaks off at byte 1 of 2");
  has(std::string(12, '\xFF'), "a number of more than 64 bits");
  has(std::string(1, '\0'), "a field that cannot be");
  has("IQ== 0\nIg== 1\n", "list of tiktoken");
  WireWriter file;
  has(file.message(1, WireWriter().text(1, "").real(2, 1.0F)).bytes(), "the piece with id 0 has no spelling");
  has(WireWriter().message(1, WireWriter().text(1, "\xFF")).bytes(), "a spelling that is not UTF-8");
  has(WireWriter().message(1, WireWriter().text(1, "a").number(3, 9)).bytes(), "has the kind 9");
  const WireWriter piece = WireWriter().text(1, "a");
  has(WireWriter().message(1, piece).message(2, WireWriter().number(3, 4)).bytes(),
      "of the kind 4 (character)");
  EXPECT_EQ(refusal(WireWriter().message(1, piece).message(2, WireWriter().number(3, 2)).bytes()), "");
}

TEST(BadModelFile, BrokenTablesAreNamed) {
  SentencePieceModel model;
  model.pieces = {{"a", 0.0F, PieceKind::normal}};
  model.charsmap =
      "\xFF\xFF\xFF\x7F"
      "abcd";
  const auto parts = sentencepiece_parts(model, {});
  ASSERT_FALSE(parts);
  EXPECT_NE(parts.error().sentence().find("says that its tree has 2147483647"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::testing
