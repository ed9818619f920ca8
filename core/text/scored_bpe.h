// Byte-pair encoding by scores, as SentencePiece and llama.cpp do it: two neighbours join where the
// vocabulary has what they become, the best-scored piece first. There is no list of merges. Pieces a user has
// set are found first and join nothing; unused pieces are taken apart again. Characters that end up in no
// piece become the unknown token, or their bytes (`<0x0A>`) with byte fallback.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/text/bridges.h"
#include "core/text/byte_trie.h"
#include "core/text/merge_queue.h"
#include "core/text/word_model.h"

namespace attnscope {

enum class PieceKind { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };

struct ScoredPiece {
  std::string spelling;
  float score = 0.0F;
  PieceKind kind = PieceKind::normal;
};

class ScoredBpe final : public WordModel {
 public:
  /// The id of a piece is its index. Errors name the piece.
  static Result<ScoredBpe> make(const std::vector<ScoredPiece>& pieces, std::optional<int> unknown,
                                bool byte_fallback);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int> unknown() const override { return unknown_; }

 private:
  // By unused piece: the length of the left part it was last joined from.
  using Splits = std::unordered_map<std::string_view, std::size_t>;
  int find(std::string_view text) const;  // -1: no piece that a text may be cut into
  // The next letter of a word, or the next piece that a user has set.
  MergeSymbol letter(std::string_view word, std::size_t at) const;
  void cut_stretch(std::string_view word, std::vector<MergeSymbol>& symbols, std::vector<WordPart>& out,
                   WordSteps* steps) const;
  void take_apart(std::string_view word, WordPart part, const Splits& splits,
                  std::vector<WordPart>& out) const;
  void add_unknown(std::string_view word, const WordPart& part, std::vector<WordPart>& out) const;

  Vocabulary vocabulary_;
  std::vector<float> scores_;
  std::vector<PieceKind> kinds_;
  ByteTrie user_;
  ByteIds byte_ids_;  // empty = no fallback
  std::optional<int> unknown_;
  std::size_t longest_ = 0;  // bytes of the longest piece
  std::optional<Bridges> bridges_;
};

}  // namespace attnscope
