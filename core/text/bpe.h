// Byte-pair encoding by ranks (Sennrich et al. 2016): neighbours are joined pair by pair, the best-ranked
// pair first. Error: a merge whose parts or result are not in the vocabulary. Letters that are not in
// the vocabulary become the unknown token, or their bytes (`<0x0A>`) with byte fallback, or nothing where
// it has neither.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/text/bridges.h"
#include "core/text/merge_queue.h"
#include "core/text/vocabulary.h"
#include "core/text/word_model.h"

namespace attnscope {

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
  /// `merges` best first. Errors: a merge whose parts or result the vocabulary lacks.
  static Result<Bpe> make(Vocabulary vocabulary, const std::vector<Merge>& merges, const BpeOptions& options);

  void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const override;
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<int> unknown() const override { return unknown_; }

 private:
  struct Joined {
    int rank;
    int id;
  };

  class Letters;
  Status learn(const std::vector<Merge>& merges);
  void learn_bridges(const std::vector<Merge>& merges);
  void cut_stretch(std::vector<MergeSymbol>& symbols, std::vector<WordPart>& out, WordSteps* steps) const;
  void add_unknown(std::vector<MergeSymbol>& symbols, std::size_t begin, std::size_t end,
                   std::string_view bytes) const;
  MergeRule rule(const MergeSymbol& left, const MergeSymbol& right) const;

  Vocabulary vocabulary_;
  BpeOptions options_;
  std::optional<int> unknown_;
  ByteIds byte_ids_;                                  // empty = no fallback
  std::unordered_map<std::uint64_t, Joined> merges_;  // by (left id, right id)
  std::optional<Bridges> bridges_;                    // where every letter stands for itself
};

}  // namespace attnscope
