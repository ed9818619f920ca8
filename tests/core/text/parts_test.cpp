// Normalizers, pre-tokenizers, added tokens and templates, each on small examples worked out by hand or
// against ICU.
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <random>

#include "core/text/added_tokens.h"
#include "core/text/byte_level.h"
#include "core/text/normalizer.h"
#include "core/text/pattern.h"
#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

using Words = std::vector<std::string>;

std::string icu_normalized(UnicodeForm form, const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* rules = form == UnicodeForm::nfc    ? icu::Normalizer2::getNFCInstance(status)
                                  : form == UnicodeForm::nfd  ? icu::Normalizer2::getNFDInstance(status)
                                  : form == UnicodeForm::nfkc ? icu::Normalizer2::getNFKCInstance(status)
                                                              : icu::Normalizer2::getNFKDInstance(status);
  std::string out;
  rules->normalize(icu::UnicodeString::fromUTF8(text), status).toUTF8String(out);
  return out;
}

std::string parts_random_text(std::mt19937& random) {
  static const char32_t blocks[] = {0x20,   0xC0,  0x300, 0x340,  0x1100, 0x1161, 0x11A8,
                                    0xAC00, 0x900, 0xF70, 0x1E00, 0x3040, 0xFB00, 0x1D15E};
  std::string out;
  for (int i = 0; i < 12; ++i)
    append_utf8(out, blocks[random() % std::size(blocks)] + static_cast<char32_t>(random() % 0x30));
  return out;
}

TEST(Normalizer, UnicodeFormsAgreeWithIcu) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = parts_random_text(random);
    for (const auto form : {UnicodeForm::nfc, UnicodeForm::nfd, UnicodeForm::nfkc, UnicodeForm::nfkd}) {
      MappedText mapped = MappedText::of(text);
      ASSERT_TRUE(unicode_normalizer(form)(mapped));
      ASSERT_EQ(mapped.text(), icu_normalized(form, text)) << text;
      const ByteSpan all = mapped.span(0, mapped.text().size());
      ASSERT_GE(all.begin, 0);
      ASSERT_LE(all.end, static_cast<std::int32_t>(text.size()));
    }
  }
}

TEST(Normalizer, PlacesStayInTheOriginalBytes) {
  MappedText text = MappedText::of("ﬁx");  // one character of three bytes becomes two
  ASSERT_TRUE(unicode_normalizer(UnicodeForm::nfkc)(text));
  EXPECT_EQ(text.text(), "fix");
  EXPECT_EQ(text.span(0, 1).end, 3);
  EXPECT_EQ(text.span(1, 2).begin, 0);
  EXPECT_EQ(text.span(2, 3).begin, 3);
  MappedText accent = MappedText::of("e\xCC\x81x");  // two characters become one
  ASSERT_TRUE(unicode_normalizer(UnicodeForm::nfc)(accent));
  EXPECT_EQ(accent.text(), "éx");
  EXPECT_EQ(accent.span(0, 2).begin, 0);
  EXPECT_EQ(accent.span(2, 3).begin, 3);
}

TEST(Normalizer, SmallOnes) {
  const auto run = [](const Normalizer& normalizer, const std::string& input) {
    MappedText text = MappedText::of(input);
    EXPECT_TRUE(normalizer(text));
    return std::string(text.text());
  };
  EXPECT_EQ(run(lowercase_normalizer(), "ÀB ΣΣ İ"), "àb σσ i̇");
  EXPECT_EQ(run(prepend_normalizer("▁"), "a"), "▁a");
  EXPECT_EQ(run(prepend_normalizer("▁"), ""), "");
  EXPECT_EQ(run(replace_normalizer(Pattern::literal(" "), "▁"), " a b"), "▁a▁b");
  EXPECT_EQ(run(replace_normalizer(*Pattern::regex("[0-9]+"), ""), "a12b3"), "ab");
  EXPECT_EQ(run(strip_normalizer(true, true), " \n a b\t"), "a b");
  EXPECT_EQ(run(strip_normalizer(true, false), "  "), "");
  EXPECT_EQ(run(strip_normalizer(false, true), " a "), " a");
  EXPECT_EQ(run(byte_level_normalizer(), " é"), "ĠÃ©");
}

Json split_by(const char* kind, const char* pattern, const char* behavior, bool invert = false) {
  return {{"type", "Split"}, {"pattern", {{kind, pattern}}}, {"behavior", behavior}, {"invert", invert}};
}

void expect_words(const Json& pre_tokenizer, const std::string& text, const Words& expected) {
  EXPECT_EQ(words_by(pre_tokenizer, text, expected), expected) << pre_tokenizer;
}

// The example of the reference's documentation of these behaviours: "the-final--countdown" cut at "-".
TEST(PreTokenizer, SplitBehaviours) {
  const std::string text = "the-final--countdown";
  expect_words(split_by("String", "-", "Removed"), text, {"the", "final", "countdown"});
  expect_words(split_by("String", "-", "Isolated"), text, {"the", "-", "final", "-", "-", "countdown"});
  expect_words(split_by("String", "-", "MergedWithPrevious"), text, {"the-", "final-", "-", "countdown"});
  expect_words(split_by("String", "-", "MergedWithNext"), text, {"the", "-final", "-", "-countdown"});
  expect_words(split_by("String", "-", "Contiguous"), text, {"the", "-", "final", "--", "countdown"});
  expect_words(split_by("Regex", "[a-z]+", "Removed", true), text, {"the", "final", "countdown"});
  expect_words(split_by("String", ".", "Removed"), "a.b", {"a", "b"});  // a literal, not "any character"
}

TEST(PreTokenizer, DigitsPunctuationWhitespace) {
  expect_words({{"type", "Digits"}, {"individual_digits", true}}, "a12²", {"a", "1", "2", "²"});
  expect_words({{"type", "Digits"}}, "a12 3", {"a", "12", " ", "3"});
  expect_words({{"type", "Punctuation"}}, "a!?$b", {"a", "!", "?", "$", "b"});
  expect_words({{"type", "Punctuation"}, {"behavior", "Contiguous"}}, "a!?b", {"a", "!?", "b"});
  expect_words({{"type", "Whitespace"}}, "it's 5!", {"it", "'", "s", "5", "!"});
  expect_words({{"type", "WhitespaceSplit"}}, " it's\n5 ", {"it's", "5"});
  expect_words({{"type", "ByteLevel"}, {"add_prefix_space", true}}, "Hi you", {"ĠHi", "Ġyou"});
  expect_words({{"type", "Sequence"},
                {"pretokenizers",
                 {split_by("String", "|", "Removed"), {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}},
               "a b|c", {"a", "Ġb", "c"});
}

const char* const kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

TEST(Pattern, WordsOfWellKnownModels) {
  expect_words(split_by("Regex", kQwen2, "Isolated"), "It'S 123 x\r\n\r\n  y  ",
               {"It", "'S", " ", "1", "2", "3", " x", "\r\n\r\n", " ", " y", "  "});
  expect_words({{"type", "ByteLevel"}, {"add_prefix_space", false}}, "I'M we'll",
               {"I", "'", "M", "Ġwe", "'ll"});  // GPT-2's contractions know lower case only
  const char* others[] = {
      R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"([一-龥぀-ゟ゠-ヿ]+)",
      R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)"};
  for (const char* expression : others) {
    const auto compiled = Pattern::regex(expression);
    ASSERT_TRUE(compiled) << compiled.error().text();
    const auto cut = compiled->cut("It's {a} 漢字 12345 ünï\n");
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->back().end, std::string("It's {a} 漢字 12345 ünï\n").size());
  }
}

TEST(Pattern, SpeaksTheDialectOfTheFiles) {
  EXPECT_EQ(icu_expression(R"(\h+(?m:.)[\h_](?im)x)"), R"([0-9a-fA-F]+(?s:.)[0-9a-fA-F_](?is)x)");
  EXPECT_EQ(icu_expression(R"(a\p{N}{1,3}+b)"), R"(a(?:\p{N}{1,3})+b)");
  EXPECT_EQ(icu_expression(R"((ab|[c\]]){2}+)"), R"((?:(ab|[c\]]){2})+)");
  EXPECT_EQ(icu_expression(R"(a{b}+)"), R"(a{b}+)");
  const auto spaces = Pattern::regex(R"(\s+)");
  ASSERT_TRUE(spaces);
  for (const char* space : {"\x0B", "\xC2\x85", "\xC2\xA0", "\xE3\x80\x80", "\xE2\x80\xA8"}) {
    EXPECT_TRUE(spaces->cut(space)->at(0).matched) << display_bytes(space);
  }
  EXPECT_EQ(Pattern::regex("^b$")->cut("a\nb\nc")->size(), 3u);  // anchors are per line
  EXPECT_EQ(Pattern::regex("a.b")->cut("a\rb")->size(), 1u);     // a line ends at \n only
}

TEST(Pattern, GivesUpWithASentence) {
  const auto unbalanced = Pattern::regex("(a");
  ASSERT_FALSE(unbalanced);
  EXPECT_NE(unbalanced.error().sentence().find("\"(a\""), std::string::npos);
  EXPECT_FALSE(Pattern::regex(std::string(1000, '(') + std::string(1000, ')')));
  const auto slow = Pattern::regex("(a|aa)+$");
  ASSERT_TRUE(slow);
  const auto cut = slow->cut(std::string(60, 'a') + "b");
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().sentence().find("gave up"), std::string::npos);
}

Json with_added(const std::vector<Json>& added) {
  Json file = plain_bpe({"a", "b", " ", "<x>", "<x>y", "A"}, {});
  file["added_tokens"] = added;
  return file;
}

Json added(int id, const char* content, Json flags = Json::object()) {
  Json out = {{"id", id}, {"content", content}, {"special", false}, {"normalized", false}};
  out.update(flags);
  return out;
}

TEST(AddedTokens, LongestFirstWithWhiteSpaceAndWordBorders) {
  const auto tokens_of = [](const Json& file, const char* text) {
    const auto tokenizer = must_open(file);
    return must_encode(*tokenizer, text);
  };
  EXPECT_EQ(tokens_of(with_added({added(3, "<x>"), added(4, "<x>y")}), "a<x>yb<x>").ids(),
            (std::vector<int>{0, 4, 1, 3}));
  const Encoding wide =
      tokens_of(with_added({added(3, "<x>", {{"lstrip", true}, {"rstrip", true}})}), "a  <x> b");
  EXPECT_EQ(wide.ids(), (std::vector<int>{0, 3, 1}));
  EXPECT_EQ(places(wide)[1], (Places::value_type{1, 7}));
  EXPECT_EQ(wide.tokens[1].text, "<x>");
  const Json word = with_added({added(9, "ab", {{"single_word", true}})});
  EXPECT_EQ(tokens_of(word, "ab aba").ids(), (std::vector<int>{9, 2, 0, 1, 0}));
  Json lower = with_added({added(9, "AB", {{"normalized", true}})});
  lower["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_EQ(tokens_of(lower, "aB A").ids(), (std::vector<int>{9, 2, 0}));
}

TEST(AddedTokens, SpecialOnesAreSkippedWhenDecoding) {
  const auto tokenizer = must_open(with_added({added(3, "<x>", {{"special", true}}), added(9, "<new>")}));
  EXPECT_TRUE(must_encode(*tokenizer, "<x>").tokens[0].special);
  EXPECT_EQ(tokenizer->decode({3, 0, 9, 77}), "a <new>");  // no decoder: spellings with spaces between
  EXPECT_EQ(tokenizer->decode({3, 0}, false), "<x> a");
  EXPECT_EQ(tokenizer->vocab_size(), 10);
  EXPECT_EQ(tokenizer->token_display(7), "<id 7>");
  EXPECT_EQ(tokenizer->token_display(-1), "<id -1>");
  EXPECT_EQ(tokenizer->token_text(7), "");
}

Json byte_level_file() {
  Json file = plain_bpe({"H", "i", "Ġ", "Hi", "ĠHi", "<s>", "</s>", "ĠĠ"}, {"H i", "Ġ Hi", "Ġ Ġ"});
  file["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", true}};
  file["decoder"] = {{"type", "ByteLevel"}};
  file["added_tokens"] = {added(5, "<s>", {{"special", true}}), added(6, "</s>", {{"special", true}})};
  return file;
}

TEST(PostProcessor, RobertaTrimsAndSurrounds) {
  Json file = byte_level_file();
  file["post_processor"] = {{"type", "RobertaProcessing"},
                            {"cls", {"<s>", 5}},
                            {"sep", {"</s>", 6}},
                            {"trim_offsets", true},
                            {"add_prefix_space", true}};
  const auto tokenizer = must_open(file);
  const Encoding encoding = must_encode(*tokenizer, "Hi Hi  ");
  EXPECT_EQ(encoding.ids(), (std::vector<int>{5, 4, 4, 7, 6}));
  EXPECT_EQ(places(encoding), (Places{{0, 0}, {0, 2}, {3, 5}, {7, 7}, {0, 0}}));
  EXPECT_EQ(must_encode(*tokenizer, "Hi", false).ids(), (std::vector<int>{4}));
  EXPECT_EQ(tokenizer->decode(encoding.ids()), " Hi Hi  ");
  EXPECT_EQ(tokenizer->bos(), std::optional<int>(5));
  EXPECT_EQ(tokenizer->eos(), std::optional<int>(6));
}

TEST(PostProcessor, TemplateAndByteLevelInSequence) {
  Json file = byte_level_file();
  const Json begin = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json special = {{"<s>", {{"id", "<s>"}, {"ids", {5, 6}}, {"tokens", {"<s>", "</s>"}}}}};
  file["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"}, {"trim_offsets", true}, {"add_prefix_space", false}},
        {{"type", "TemplateProcessing"}, {"single", {begin, text}}, {"special_tokens", special}}}}};
  const auto tokenizer = must_open(file);
  const Encoding encoding = must_encode(*tokenizer, " Hi");
  EXPECT_EQ(encoding.ids(), (std::vector<int>{5, 6, 4}));
  EXPECT_EQ(places(encoding), (Places{{0, 0}, {0, 0}, {1, 3}}));
}

TEST(ByteLevel, AlphabetIsABijection) {
  for (int byte = 0; byte < 256; ++byte) {
    std::size_t at = 0;
    const std::string& letter = byte_letter(static_cast<unsigned char>(byte));
    EXPECT_EQ(letter_byte(next_code_point(letter, at)),
              std::optional<unsigned char>(static_cast<unsigned char>(byte)));
    EXPECT_EQ(at, letter.size());
  }
  EXPECT_EQ(byte_letter(' '), "Ġ");
  EXPECT_EQ(byte_letter('\n'), "Ċ");
  EXPECT_EQ(byte_letter(0xAD), "Ń");
  EXPECT_EQ(bytes_of_letters("<｜end｜>"), "<｜end｜>");
}

TEST(ByteLevel, BrokenSequencesBecomeOneReplacementEach) {
  const std::string lost = "\xEF\xBF\xBD";
  EXPECT_EQ(lossy_utf8("a\xE2\x82z"), "a" + lost + "z");
  EXPECT_EQ(lossy_utf8("\xFF\xC0\x80"), lost + lost + lost);
  EXPECT_EQ(lossy_utf8("\xED\xA0\x80"), lost + lost + lost);
  EXPECT_EQ(lossy_utf8("\xF0\x9F\x98"), lost);
  EXPECT_EQ(lossy_utf8("é\xF0\x9F\x98\x80"), "é\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace attnscope::testing
