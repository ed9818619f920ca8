// What the tokenizer tests share: reading files, opening a tokenizer or failing with its sentence, spans in
// characters, small tokenizer.json texts.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/text/tokenizer.h"

namespace attnscope::testing {

using Json = nlohmann::json;
using TokenizerPointer = std::shared_ptr<const Tokenizer>;

inline std::string golden(const std::string& name) {
  return std::string(ATTNSCOPE_SOURCE_DIR) + "/tests/golden/tokenizers/" + name;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream out;
  out << file.rdbuf();
  return std::move(out).str();
}

inline TokenizerPointer must_open(const Json& file) {
  auto made = tokenizer_from_json(file.dump(), "test.json");
  EXPECT_TRUE(made) << (made ? "" : made.error().text());
  return made ? *made : nullptr;
}

inline Encoding must_encode(const Tokenizer& tokenizer, std::string_view text, bool add_special = true) {
  auto encoded = tokenizer.encode(text, add_special);
  EXPECT_TRUE(encoded) << (encoded ? "" : encoded.error().text());
  return encoded ? *encoded : Encoding{};
}

inline std::vector<std::string> spellings(const Encoding& encoding) {
  std::vector<std::string> out;
  for (const Token& token : encoding.tokens) out.push_back(token.text);
  return out;
}

using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;

inline Places places(const Encoding& encoding) {
  Places out;
  for (const Token& token : encoding.tokens) out.emplace_back(token.begin, token.end);
  return out;
}

/// Byte places as character places of `text`, the way the reference gives them.
inline Places places_in_characters(const Encoding& encoding, const std::string& text) {
  const auto characters = [&](std::int64_t byte) {
    return static_cast<std::int64_t>(
        utf8_length(std::string_view(text).substr(0, static_cast<std::size_t>(byte))));
  };
  Places out;
  for (const Token& token : encoding.tokens) out.emplace_back(characters(token.begin), characters(token.end));
  return out;
}

/// A tokenizer whose vocabulary is the given spellings in order, with no other part.
inline Json plain_bpe(const std::vector<std::string>& vocab, const std::vector<std::string>& merges) {
  Json table = Json::object();
  for (std::size_t id = 0; id < vocab.size(); ++id) table[vocab[id]] = id;
  return {{"model", {{"type", "BPE"}, {"vocab", table}, {"merges", merges}}}};
}

/// The words a pre-tokenizer makes of `text`: a vocabulary with every word in it, and merges ignored.
inline std::vector<std::string> words_by(const Json& pre_tokenizer, const std::string& text,
                                         const std::vector<std::string>& expected) {
  Json file = plain_bpe({}, {});
  for (const std::string& word : expected)
    file["model"]["vocab"].emplace(word, file["model"]["vocab"].size());
  file["model"]["ignore_merges"] = true;
  file["pre_tokenizer"] = pre_tokenizer;
  const auto tokenizer = must_open(file);
  return tokenizer ? spellings(must_encode(*tokenizer, text)) : std::vector<std::string>{};
}

}  // namespace attnscope::testing
