// Texts to tokens and back with the tokens that nobody types, and what edits do to segments, named parts and
// padding.
#include <gtest/gtest.h>

#include "core/session/document.h"

namespace attnscope {
namespace {

const std::string kGolden = std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/";

std::shared_ptr<const OpenedModel> spelling_opened(const std::string& model,
                                                   const std::string& tokenizer = {}) {
  auto read = open_model(kGolden + "models/" + model);
  EXPECT_TRUE(read) << read.error().text();
  if (!read) return nullptr;
  if (!tokenizer.empty()) {
    auto words = open_tokenizer(kGolden + "tokenizers/" + tokenizer);
    EXPECT_TRUE(words) << words.error().text();
    read->tokenizer = *words;
  }
  return std::make_shared<const OpenedModel>(*std::move(read));
}

using Ids = std::vector<int>;

// A tokenizer that counts the ids it is asked to spell.
class Counting final : public Tokenizer {
 public:
  explicit Counting(std::shared_ptr<const Tokenizer> inner) : inner_(std::move(inner)) {}
  Result<Encoding> encode(std::string_view text, bool add_special) const override {
    return inner_->encode(text, add_special);
  }
  std::string decode(const Ids& ids, bool skip_special) const override {
    spelled += ids.size();
    return inner_->decode(ids, skip_special);
  }
  Spelling spell(const Ids& ids, bool skip_special) const override {
    spelled += ids.size();
    return inner_->spell(ids, skip_special);
  }
  int vocab_size() const override { return inner_->vocab_size(); }
  std::string token_text(int id) const override { return inner_->token_text(id); }
  std::string token_display(int id) const override { return inner_->token_display(id); }
  std::optional<int> find(std::string_view spelling) const override { return inner_->find(spelling); }
  std::optional<int> bos() const override { return inner_->bos(); }
  std::optional<int> eos() const override { return inner_->eos(); }

  mutable std::size_t spelled = 0;

 private:
  std::shared_ptr<const Tokenizer> inner_;
};

TEST(Spelling, TheTemplatesTokensAreSpecialAndNotPartOfTheText) {
  const auto model = spelling_opened("bert", "wordpiece_uncased");
  ASSERT_TRUE(model);
  const Tokenizer& words = *model->tokenizer;
  const auto made = spelled(*model, "the cat", Stack::single);
  ASSERT_TRUE(made) << made.error().text();
  const Ids ids = made->input.ids;
  ASSERT_GE(ids.size(), 3u);
  EXPECT_EQ(ids.front(), *words.find("[CLS]"));
  EXPECT_EQ(ids.back(), *words.find("[SEP]"));
  const Sequence again = sequence_from_ids(*model, ids);
  EXPECT_EQ(again.text, "the cat");
  EXPECT_TRUE(again.tokens.front().special);
  EXPECT_TRUE(again.tokens.back().special);
  EXPECT_FALSE(again.tokens[1].special);
  EXPECT_EQ(again.tokens[1].begin, 0);
  EXPECT_EQ(again.tokens.back().end, 0);
  EXPECT_EQ(spelled(*model, again.text, Stack::single)->input.ids, ids) << "typing it again changes nothing";
}

TEST(Spelling, AnEditCostsAsMuchAsTheTokensThatAreThere) {
  for (const char* kind : {"bytelevel_bpe", "sentencepiece_bpe", "unigram", "wordpiece_uncased"}) {
    auto model = std::make_shared<OpenedModel>(*spelling_opened("gpt2", kind));
    const auto counting = std::make_shared<Counting>(model->tokenizer);
    model->tokenizer = counting;
    std::string text;
    for (int i = 0; i < 1500; ++i) text += "the cat é한 ";
    const Ids ids = spelled(*model, text, Stack::single)->input.ids;
    ASSERT_GT(ids.size(), 4096u) << kind;
    counting->spelled = 0;
    const Sequence again = sequence_from_ids(*model, ids);
    EXPECT_LE(counting->spelled, 4 * ids.size()) << kind;
    EXPECT_EQ(again.tokens.size(), ids.size());
    EXPECT_NE(again.text.find("cat"), std::string::npos);
    for (const Token& token : again.tokens)
      ASSERT_LE(token.end, static_cast<std::int64_t>(again.text.size()));
  }
}

TEST(Spelling, PartsOfACharacterShareItsPlace) {
  const auto model = spelling_opened("gpt2", "bytelevel_bpe");
  const Tokenizer& words = *model->tokenizer;
  const auto encoded = words.encode("a😀b", false);
  ASSERT_TRUE(encoded);
  const Sequence again = sequence_from_ids(*model, encoded->ids());
  ASSERT_EQ(again.text, "a😀b");
  ASSERT_EQ(again.tokens.size(), encoded->tokens.size());
  for (std::size_t i = 0; i < again.tokens.size(); ++i) {
    EXPECT_EQ(again.tokens[i].begin, encoded->tokens[i].begin) << i;
    EXPECT_EQ(again.tokens[i].end, encoded->tokens[i].end) << i;
  }
}

TEST(Spelling, AMaskedTokenIsWrittenInTheText) {
  const auto model = spelling_opened("bert", "wordpiece_uncased");
  ASSERT_TRUE(model);
  const auto hidden = mask_token(*model);
  ASSERT_TRUE(hidden);
  EXPECT_EQ(model->tokenizer->token_text(*hidden), "[MASK]");
  EXPECT_FALSE(mask_token(*spelling_opened("bert"))) << "without a vocabulary nobody knows";
  Document document = new_document(model);
  ASSERT_TRUE(set_text(document, 0, "the cat"));
  ASSERT_TRUE(replace_token(document, 0, 1, *hidden));
  EXPECT_NE(document.sequences[0].text.find("[MASK]"), std::string::npos) << document.sequences[0].text;
  const Ids ids = document.sequences[0].input.ids;
  ASSERT_TRUE(set_text(document, 0, document.sequences[0].text));
  EXPECT_EQ(document.sequences[0].input.ids, ids);
}

TEST(Spelling, ADecoderBeginsWithItsStartAndLeavesTheEndOut) {
  const auto model = spelling_opened("marian", "model_unigram");
  ASSERT_TRUE(model);
  const ModelConfig& config = model->model->config();
  const auto source = spelled(*model, "hello", Stack::enc), target = spelled(*model, "hello", Stack::dec);
  ASSERT_TRUE(source && target);
  EXPECT_EQ(target->input.ids.front(), config.decoder_start);
  EXPECT_TRUE(target->tokens.front().special);
  EXPECT_NE(source->input.ids.front(), config.decoder_start);
  Ids words = source->input.ids;
  if (words.back() == config.eos) words.pop_back();
  EXPECT_EQ(Ids(target->input.ids.begin() + 1, target->input.ids.end()), words);
}

TEST(Spelling, IdsWithoutATokenizerKeepTheDecodersStartApart) {
  const auto model = spelling_opened("marian");
  ASSERT_TRUE(model);
  const int start = model->model->config().decoder_start;
  Document document = new_document(model);
  const Ids source = document.sequences[0].input.source;
  EXPECT_FALSE(document.sequences[0].source_text.empty());
  ASSERT_TRUE(set_text(document, 0, "7 9 11"));
  EXPECT_EQ(document.sequences[0].input.ids, (Ids{start, 7, 9, 11}));
  EXPECT_EQ(document.sequences[0].text, "7 9 11");
  EXPECT_EQ(document.sequences[0].input.source, source) << "the encoder keeps what it reads";
  ASSERT_TRUE(set_text(document, 0, "5 6", Stack::enc));
  EXPECT_EQ(document.sequences[0].input.source, (Ids{5, 6}));
  EXPECT_EQ(document.sequences[0].source_text, "5 6");
  ASSERT_TRUE(insert_token(document, 0, 1, 8, Stack::enc));
  EXPECT_EQ(document.sequences[0].input.source, (Ids{5, 8, 6}));
  ASSERT_TRUE(delete_token(document, 0, 1));
  EXPECT_EQ(document.sequences[0].input.ids, (Ids{start, 9, 11}));
  ASSERT_TRUE(set_text(document, 0, ""));
  EXPECT_EQ(document.sequences[0].input.ids, Ids{start}) << "a decoder without words still begins";
}

TEST(DocumentEdits, SegmentsMoveAlongWithTheirTokens) {
  const auto model = spelling_opened("bert");
  ASSERT_TRUE(model);
  Document document = new_document(model);
  ASSERT_TRUE(set_text(document, 0, "5 6 7 8"));
  ASSERT_TRUE(set_type(document, 0, 2, 1, true));
  Input& input = document.sequences[0].input;
  EXPECT_EQ(input.types, (Ids{0, 0, 1, 1}));
  ASSERT_TRUE(insert_token(document, 0, 3, 9));
  EXPECT_EQ(input.types, (Ids{0, 0, 1, 1, 1}));
  ASSERT_TRUE(delete_token(document, 0, 0));
  EXPECT_EQ(input.types, (Ids{0, 1, 1, 1}));
  EXPECT_EQ(input.ids, (Ids{6, 7, 9, 8}));
  EXPECT_FALSE(set_type(document, 0, 0, 7));
  EXPECT_FALSE(set_type(document, 0, 40, 1));
  const auto plain = spelling_opened("gpt2");
  Document none = new_document(plain);
  EXPECT_FALSE(set_type(none, 0, 0, 0));
}

TEST(DocumentEdits, NamedPartsMoveAlong) {
  Document document = new_document(spelling_opened("gpt2"));
  ASSERT_TRUE(set_text(document, 0, "1 2 3 4 5 6"));
  ASSERT_TRUE(set_spans(document, 0, "image=2,text=3"));
  const auto spans = [&] { return spans_text(document.sequences[0].input.spans); };
  EXPECT_EQ(spans(), "image=2,text=3");
  ASSERT_TRUE(insert_token(document, 0, 1, 9));
  EXPECT_EQ(spans(), "image=3,text=3");
  ASSERT_TRUE(insert_token(document, 0, 3, 9));
  EXPECT_EQ(spans(), "image=3,text=3") << "in front of the text: between the parts";
  EXPECT_EQ(document.sequences[0].input.spans[1].begin, 4);
  ASSERT_TRUE(delete_token(document, 0, 0));
  EXPECT_EQ(spans(), "image=2,text=3");
  EXPECT_EQ(document.sequences[0].input.spans[1].begin, 3);
  for (const char* bad : {"image", "=3", "image=0", "image=4 text=9"}) {
    EXPECT_FALSE(set_spans(document, 0, bad)) << bad;
    EXPECT_EQ(spans(), "image=2,text=3");
  }
  ASSERT_TRUE(set_spans(document, 0, ""));
  EXPECT_EQ(spans(), "");
}

TEST(DocumentEdits, ABatchIsPaddedToItsLongestOrFurther) {
  Document document = new_document(spelling_opened("gpt2"));
  ASSERT_TRUE(set_text(document, 0, "1 2 3 4 5"));
  ASSERT_TRUE(add_sequence(document, 0));
  ASSERT_TRUE(set_text(document, 1, "6 7"));
  EXPECT_EQ(inputs_of(document)[1].ids.size(), 2u);
  ASSERT_TRUE(set_padding(document, {true, PadSide::left, 0}));
  EXPECT_EQ(inputs_of(document)[1].ids.size(), 5u);
  EXPECT_EQ(inputs_of(document)[1].ids.back(), 7);
  EXPECT_EQ(padding_of(document, 1, Stack::single), (PadCounts{3, 0}));
  EXPECT_EQ(padding_of(document, 0, Stack::single), PadCounts{});
  EXPECT_EQ(padding_of(document, 0, Stack::enc), PadCounts{}) << "there is no encoder";
  ASSERT_TRUE(set_padding(document, {true, PadSide::right, 7}));
  EXPECT_EQ(inputs_of(document)[0].ids.size(), 7u);
  EXPECT_EQ(inputs_of(document)[1].ids[0], 6);
  EXPECT_FALSE(set_padding(document, {true, PadSide::right, 1 << 20}));
  EXPECT_FALSE(set_padding(document, {true, PadSide::right, -1}));
  EXPECT_EQ(document.padding.to, 7) << "a refused padding changes nothing";
  ASSERT_TRUE(delete_sequence(document, 0));
  EXPECT_FALSE(delete_sequence(document, 0));
  EXPECT_EQ(document.sequences[0].input.ids, (Ids{6, 7}));
}

TEST(DocumentEdits, AMaskTextIsCheckedAgainstTheSequences) {
  Document document = new_document(spelling_opened("gpt2"));
  ASSERT_TRUE(set_text(document, 0, "1 2 3"));
  EXPECT_TRUE(set_mask_text(document, "window(2) | prefix(1)"));
  EXPECT_FALSE(set_mask_text(document, "causal | nobody>*")) << "no part of this name";
  EXPECT_FALSE(set_mask_text(document, "matrix([[1,0],[1,1]])")) << "of another shape";
  EXPECT_FALSE(set_mask_text(document, "causal |"));
  EXPECT_EQ(asked_mask(document, AttentionKind::main).text(), "window(2) | prefix(1)");
}

}  // namespace
}  // namespace attnscope
