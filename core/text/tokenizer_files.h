// The files a tokenizer may lie in, inside core/text: each kind becomes the parts of a pipeline. The older
// kinds (vocab.txt, vocab.json with merges.txt) are first written as the tokenizer.json they stand for, so
// that there is one reader.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/text/pipeline.h"

namespace attnscope {

/// Errors begin with `what`.
Result<Pipeline> parts_of_json(std::string_view text, const std::string& what);
Result<Pipeline> parts_of_document(const nlohmann::json& document, const std::string& what);

/// The settings files beside a vocabulary. Objects; empty where there is no such file.
struct TokenizerSettings {  // NOLINT(bugprone-exception-escape): moving JSON does not throw
  nlohmann::json config;    // tokenizer_config.json
  nlohmann::json specials;  // special_tokens_map.json
  nlohmann::json added;     // added_tokens.json: spelling -> id
  std::string model_type;   // of config.json

  /// "BertTokenizer" without "Fast"; by model_type where the config has no class; else empty.
  std::string tokenizer_class() const;
  /// The spelling of "bos_token" and its like: a string or {"content": ...}; `fallback` where there is none.
  std::string token(const char* key, const std::string& fallback) const;
  bool flag(const char* key, bool fallback) const;
  std::int64_t integer(const char* key, std::int64_t fallback) const;
  /// The added tokens with their ids, by every way of writing them that is in use.
  std::vector<AddedToken> added_tokens() const;
};
TokenizerSettings settings_beside(const std::filesystem::path& file);

/// Lines of spellings, whose numbers are the ids.
Result<nlohmann::json> document_of_word_list(std::string_view text, const TokenizerSettings& settings);
/// A vocab.json (spelling -> id) and the text of its merges.txt.
Result<nlohmann::json> document_of_merges(nlohmann::json vocab, std::string_view merges,
                                          const TokenizerSettings& settings);
/// A SentencePiece model used as its tokenizer class does. `vocab`: the vocab.json of MarianMT, or null.
Result<Pipeline> parts_of_sentencepiece(std::string_view bytes, const nlohmann::json& vocab,
                                        const TokenizerSettings& settings);

/// The bytes of a file of at most 256 MB.
Result<std::string> read_tokenizer_file(const std::filesystem::path& path);

}  // namespace attnscope
