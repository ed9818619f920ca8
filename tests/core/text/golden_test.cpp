// Every case of the reference tokenizers: ids, spellings, places, decoding. The reference is Hugging Face
// tokenizers.
#include "tests/core/text/helpers.h"

namespace attnscope::testing {

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryCaseAgrees) {
  auto opened = open_tokenizer(golden(GetParam()));
  ASSERT_TRUE(opened) << opened.error().text();
  const Tokenizer& tokenizer = **opened;
  const Json cases = Json::parse(read_text(golden(GetParam()) + "/cases.json"));
  ASSERT_GE(cases.size(), 38u);
  for (const Json& expected : cases) {
    const std::string text = expected["text"];
    SCOPED_TRACE(text.substr(0, 60));
    const Encoding encoding = must_encode(tokenizer, text);
    EXPECT_EQ(encoding.ids(), expected["ids"].get<std::vector<int>>());
    EXPECT_EQ(spellings(encoding), expected["tokens"].get<std::vector<std::string>>());
    EXPECT_EQ(places_in_characters(encoding, text), expected["offsets_in_characters"].get<Places>());
    EXPECT_EQ(must_encode(tokenizer, text, false).ids(),
              expected["ids_without_specials"].get<std::vector<int>>());
    EXPECT_EQ(tokenizer.decode(encoding.ids()), expected["decoded"].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Golden,
                         ::testing::Values("bytelevel_bpe", "bytelevel_bpe_split", "sentencepiece_bpe",
                                           "unigram", "wordpiece_cased", "wordpiece_uncased"),
                         [](const auto& tested) { return tested.param; });

TEST(GoldenVocabulary, EveryIdHasADisplayAndIsFound) {
  auto opened = open_tokenizer(golden("bytelevel_bpe/tokenizer.json"));
  ASSERT_TRUE(opened) << opened.error().text();
  for (int id = 0; id < (*opened)->vocab_size(); ++id) {
    EXPECT_FALSE((*opened)->token_display(id).empty()) << id;
    EXPECT_TRUE(is_valid_utf8((*opened)->token_display(id))) << id;
    EXPECT_EQ((*opened)->find((*opened)->token_text(id)), std::optional<int>(id));
  }
}

}  // namespace attnscope::testing
