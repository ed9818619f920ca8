// Unigram vocabularies: every piece has a log probability, and a word is cut where the sum is highest
// (Viterbi, one pass over the word). A character that no piece has costs ten less than the worst piece.
// Source: Kudo 2018 and SentencePiece. Errors: scores that are not finite and pieces longer than
// kMaxSpelling. Unknown characters become one unknown token per run, or their bytes with byte fallback, or
// nothing where the vocabulary has neither.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/bridges.h"
#include "core/text/byte_trie.h"
#include "core/text/word_model.h"

namespace attnscope {

struct UnigramPiece {
  std::string spelling;
  double score = 0.0;
  bool matches = true;       // false: has an id, but is never cut out of a text
  bool set_by_user = false;  // wins over everything shorter
};

struct UnigramOptions {
  std::optional<std::int64_t> unknown;  // an index into the pieces
  bool byte_fallback = false;
  bool sentencepiece = false;  // sums are kept in 32 bits; byte by byte, each character has its own place
};

class Unigram final : public WordModel {
 public:
  /// The id of a piece is its index. Errors name the piece.
  static Result<Unigram> make(const std::vector<UnigramPiece>& pieces, const UnigramOptions& options);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int> unknown() const override {
    return options_.unknown ? std::optional(static_cast<int>(*options_.unknown)) : std::nullopt;
  }

 private:
  struct Node {  // the best path to a byte of the word
    double total = 0.0;
    std::uint32_t begin = 0;  // of its last piece
    int id = -2;              // -2: no path; -1: a character that nothing stands for
    bool unknown = false;
  };
  // The bytes of a word from `first` on. Before it, the best path is known.
  struct Lattice {
    std::size_t first = 0;
    std::vector<Node> nodes;  // of first, first + 1, ...
    Node& at(std::size_t byte) {
      if (byte - first >= nodes.size()) nodes.resize(byte - first + 1);
      return nodes[byte - first];
    }
  };
  class Parts;
  struct Pieces {
    std::vector<double> scores;
    std::vector<char> set_by_user;
    double lowest = 0.0, highest = 0.0;  // of the pieces that are matched
  };

  static Status check(const std::vector<UnigramPiece>& pieces, const UnigramOptions& options);
  double score_of(int id, std::size_t length) const;
  void extend(std::string_view word, std::size_t begin, Lattice& lattice, WordSteps* steps) const;
  void consider(Lattice& lattice, std::size_t end, const Node& next, double score, WordSteps* steps) const;
  static std::vector<WordPart> best_path(Lattice& lattice, std::size_t end);
  static void mark(const std::vector<WordPart>& path, Lattice& lattice, WordSteps& steps);
  void add_unknown(std::string_view word, std::size_t begin, std::size_t end,
                   std::vector<WordPart>& out) const;

  Vocabulary vocabulary_;
  UnigramOptions options_;
  Pieces pieces_;
  ByteTrie trie_;
  Bridges bridges_;
  ByteIds byte_ids_;  // empty = no fallback
};

}  // namespace attnscope
