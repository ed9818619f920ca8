// The merge engine of byte-pair encoding: a word's letters are joined pair by pair, the best-ranked pair
// first, until no known pair is left. Rank queue over a linked list: O(n log n), so one word of a megabyte is
// no trouble. Refuses merges whose parts or result are not in the vocabulary. Letters it does not know become
// the unknown token, or their bytes (`<0x0A>`) with byte fallback, or nothing where the vocabulary has
// neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/text/vocabulary.h"

namespace attnscope {

/// A piece of a word: its id and the bytes [begin, end) of the word it covers.
struct WordPart {
  int id = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Cuts one word into ids. Every kind of vocabulary is one of these.
class WordModel {
 public:
  virtual ~WordModel() = default;
  virtual void cut(std::string_view word, std::vector<WordPart>& out) const = 0;  // appends to `out`
  virtual const Vocabulary& vocabulary() const = 0;
};

struct BpeOptions {
  std::optional<std::string> unknown;  // spelling of the unknown token
  std::string continuing_prefix;       // before every letter of a word but the first
  std::string end_suffix;              // after the last letter of a word
  bool fuse_unknown = false;           // neighbouring unknown letters are one token
  bool byte_fallback = false;
  bool ignore_merges = false;  // a word that is in the vocabulary stays whole
};

class Bpe final : public WordModel {
 public:
  using Merge = std::pair<std::string, std::string>;
  /// `merges` best first. Errors name the merge and what the vocabulary lacks.
  static Result<Bpe> make(Vocabulary vocabulary, const std::vector<Merge>& merges, const BpeOptions& options);

  void cut(std::string_view word, std::vector<WordPart>& out) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }

 private:
  struct Joined {
    int rank;
    int id;
  };
  struct Symbol;

  Status learn(const std::vector<Merge>& merges);
  std::vector<Symbol> letters(std::string_view word) const;
  void add_unknown(std::vector<Symbol>& symbols, std::size_t begin, std::size_t end,
                   std::string_view bytes) const;
  void merge(std::vector<Symbol>& symbols) const;
  const Joined* joined(int left, int right) const;

  Vocabulary vocabulary_;
  BpeOptions options_;
  std::optional<int> unknown_;
  std::vector<int> byte_ids_;                         // `<0x00>`..`<0xFF>`, -1 = absent; empty = no fallback
  std::unordered_map<std::uint64_t, Joined> merges_;  // by (left id, right id)
};

}  // namespace attnscope
