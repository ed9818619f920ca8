// Every component of a tokenizer.json against what the Hugging Face tokenizers make of the same texts
// (tests/golden/tokenizers/components.json, made with version 0.23).
#include "core/text/json_parts.h"
#include "tests/core/text/helpers.h"

namespace attnscope::testing {
namespace {

const Json& reference() {
  static const Json file = Json::parse(read_text(golden("components.json")));
  return file;
}

std::string sentence(const Error& error) { return error.text(); }

std::int64_t characters_before(const std::string& text, std::int32_t byte) {
  return static_cast<std::int64_t>(
      utf8_length(std::string_view(text).substr(0, static_cast<std::size_t>(byte))));
}

TEST(Components, NormalizersAgree) {
  ASSERT_GE(reference()["normalizers"].size(), 19u);
  for (const Json& entry : reference()["normalizers"]) {
    SCOPED_TRACE(entry["part"].dump().substr(0, 200));
    const auto normalizer = normalizer_from(JsonNode(entry["part"], "normalizer"));
    ASSERT_TRUE(normalizer) << sentence(normalizer.error());
    for (const Json& expected : entry["cases"]) {
      const std::string input = expected[0];
      MappedText text = MappedText::of(input);
      ASSERT_TRUE((*normalizer)(text));
      EXPECT_EQ(text.text(), expected[1].get<std::string>()) << input;
      const ByteSpan all = text.span(0, text.text().size());
      EXPECT_LE(all.end, static_cast<std::int32_t>(input.size()));
    }
  }
}

TEST(Components, PreTokenizersAgreeInWordsAndPlaces) {
  ASSERT_GE(reference()["pre_tokenizers"].size(), 22u);
  for (const Json& entry : reference()["pre_tokenizers"]) {
    SCOPED_TRACE(entry["part"].dump());
    const auto cut = pre_tokenizer_from(JsonNode(entry["part"], "pre_tokenizer"));
    ASSERT_TRUE(cut) << sentence(cut.error());
    for (const Json& expected : entry["cases"]) {
      const std::string input = expected[0];
      Json words = Json::array();
      ASSERT_TRUE((*cut)({MappedText::of(input), std::nullopt}, [&](const Segment& word) -> Status {
        const ByteSpan place = word.text.span(0, word.text.size());
        words.push_back({std::string(word.text.text()), characters_before(input, place.begin),
                         characters_before(input, place.end)});
        return Done{};
      }));
      EXPECT_EQ(words, expected[1]) << input;
    }
  }
}

TEST(Components, DecodersAgree) {
  ASSERT_GE(reference()["decoders"].size(), 13u);
  for (const Json& entry : reference()["decoders"]) {
    SCOPED_TRACE(entry["part"].dump());
    const auto decoder = decoder_from(JsonNode(entry["part"], "decoder"));
    ASSERT_TRUE(decoder) << sentence(decoder.error());
    for (const Json& expected : entry["cases"]) {
      std::vector<MappedText> spellings;
      for (const std::string spelling : expected[0])
        spellings.push_back(MappedText::at(spelling, {static_cast<std::int32_t>(spellings.size()),
                                                      static_cast<std::int32_t>(spellings.size()) + 1}));
      EXPECT_EQ(joined((*decoder)(std::move(spellings))).text(), expected[1].get<std::string>())
          << expected[0];
    }
  }
}

TEST(Components, RemovedCharactersKeepThePlacesOfTheOthers) {
  const Json part = {{"type", "BertNormalizer"}};
  const auto normalizer = normalizer_from(JsonNode(part, "normalizer"));
  ASSERT_TRUE(normalizer);
  const std::string input =
      "\x07\x07"
      "A\x07 é";  // controls before, inside
  MappedText text = MappedText::of(input);
  ASSERT_TRUE((*normalizer)(text));
  ASSERT_EQ(text.text(), "a e");
  EXPECT_EQ(text.span(0, 1).begin, 2);
  EXPECT_EQ(text.span(0, 1).end, 3);
  EXPECT_EQ(text.span(2, 3).begin, 5);
  EXPECT_EQ(text.span(2, 3).end, 7);
}

TEST(Components, MetaspaceReadsBothSpellings) {
  const auto words = [](const Json& part, const char* input) -> std::string {
    const auto cut = pre_tokenizer_from(JsonNode(part, "pre_tokenizer"));
    if (!cut) return sentence(cut.error());
    std::vector<std::string> out;
    EXPECT_TRUE((*cut)({MappedText::of(input), std::nullopt}, [&](const Segment& word) -> Status {
      out.emplace_back(word.text.text());
      return Done{};
    }));
    return join(out, "|");
  };
  Json part = {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", true}};
  EXPECT_EQ(words(part, "a b"), "▁a|▁b");
  part["add_prefix_space"] = false;
  EXPECT_EQ(words(part, "a b"), "a|▁b");
  part["prepend_scheme"] = "always";
  EXPECT_NE(words(part, "a b").find("must be a Metaspace whose prepend_scheme is \"never\""),
            std::string::npos);
  part["replacement"] = "__";
  EXPECT_NE(words(part, "a b").find("pre_tokenizer.replacement must be one character"), std::string::npos);
}

TEST(Components, BrokenTablesAreRefused) {
  const auto refusal = [](const std::string& table) {
    const Json part = {{"type", "Precompiled"}, {"precompiled_charsmap", table}};
    const auto made = normalizer_from(JsonNode(part, "normalizer"));
    return made ? std::string() : sentence(made.error());
  };
  EXPECT_EQ(refusal(""), "");
  EXPECT_NE(refusal("!!").find("normalizer.precompiled_charsmap: the base64 text breaks off at character 0"),
            std::string::npos);
  EXPECT_NE(refusal("AA").find("says that its tree has 0"), std::string::npos);
  EXPECT_NE(refusal("/////w==").find("says that its tree has 4294967295"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::testing
