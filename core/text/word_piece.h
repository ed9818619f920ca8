// WordPiece vocabularies: from the left, always the longest piece that fits; pieces inside a word carry a
// prefix ("##"). A word with a stretch that nothing fits is one unknown token. And the plainest vocabulary of
// all, where every word is looked up whole. Errors: pieces longer than kMaxSpelling and an unknown token that
// the vocabulary lacks.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/text/byte_trie.h"
#include "core/text/word_model.h"

namespace attnscope {

struct WordPieceOptions {
  std::string unknown = "[UNK]";
  std::string opening_prefix;            // before the first piece of a word (GGUF writes "▁")
  std::string continuing_prefix = "##";  // before every other piece
  std::int64_t max_characters = 100;     // longer words are unknown
};

class WordPiece final : public WordModel {
 public:
  static Result<WordPiece> make(Vocabulary vocabulary, const WordPieceOptions& options);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int> unknown() const override { return unknown_; }

 private:
  void record(std::string_view word, const WordPart& found, WordSteps& steps) const;

  Vocabulary vocabulary_;
  WordPieceOptions options_;
  int unknown_ = 0;
  ByteTrie opening_, continuing_;  // spellings without their prefix
};

/// Every word is one token, or the unknown one.
class WholeWords final : public WordModel {
 public:
  static Result<WholeWords> make(Vocabulary vocabulary, const std::string& unknown);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int> unknown() const override {
    return unknown_ < 0 ? std::nullopt : std::optional(unknown_);
  }

 private:
  Vocabulary vocabulary_;
  int unknown_ = -1;  // -1: unknown words are left out
};

}  // namespace attnscope
