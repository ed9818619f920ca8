// The interface of vocabulary models: cuts one word into pieces with ids, and optionally records
// how it came to that cut. The record is made by the code that cuts; there is no second implementation.
// Limit: a record has at most WordSteps::limit entries a list; cut_short is set when there were more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text/vocabulary.h"

namespace attnscope {

/// A piece of a word: its id and the bytes [begin, end) of the word it covers.
struct WordPart {
  WordPart() = default;
  WordPart(int piece, std::size_t first, std::size_t last, bool spelled_as_written = false)
      : id(piece),
        begin(static_cast<std::uint32_t>(first)),
        end(static_cast<std::uint32_t>(last)),
        as_written(spelled_as_written) {}

  int id = 0;  // -1 in a record: a piece that the vocabulary does not have (yet)
  std::uint32_t begin = 0, end = 0;
  bool as_written = false;  // spelled like the text, not like its id (the unknown token of Unigram)
};

/// How one word was cut. Which of the lists is filled depends on `kind`.
struct WordSteps {
  enum class Kind { whole, merges, lattice, attempts };

  /// The pieces that open with the letters `left` and `right` became one. Letters count from 0 in `letters`.
  struct Merge {
    int left = 0, right = 0;
    int id = 0;          // of what they became
    int rank = -1;       // of the merge in the file; -1: the vocabulary goes by scores
    double score = 0.0;  // of the piece, where the vocabulary goes by scores
  };
  /// A piece that fits the word at [begin, end).
  struct Candidate {
    int id = 0;
    std::size_t begin = 0, end = 0;
    double score = 0.0;    // of the piece (log probability)
    double total = 0.0;    // of the best path that ends with it
    bool best = false;     // no path to `end` is better
    bool chosen = false;   // on the best path through the word
    bool unknown = false;  // stands for a character no piece has
  };
  /// A stretch that was looked up, the longest first.
  struct Attempt {
    std::size_t begin = 0, end = 0;
    int id = -1;  // -1: not in the vocabulary
  };

  Kind kind = Kind::whole;
  std::vector<WordPart> letters;      // merges: what the word opens with
  std::vector<Merge> merges;          // in the order they happened
  std::vector<Candidate> candidates;  // lattice: by begin, then by length
  std::vector<Attempt> attempts;      // attempts; whole: one where words are looked up
  std::size_t limit = 4096;           // entries of each list
  bool cut_short = false;             // there was more than `limit`

  /// False where a list of `size` entries is full; then cut_short is set.
  bool room_for(std::size_t size) {
    cut_short = cut_short || size >= limit;
    return size < limit;
  }
};

/// Cuts one word into ids. Every kind of vocabulary is one of these.
class WordModel {
 public:
  virtual ~WordModel() = default;
  /// Appends to `out`; `steps` may be null.
  virtual void cut_word(std::string_view word, std::vector<WordPart>& out, WordSteps* steps) const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// The id of text that no piece spells, where the vocabulary has one.
  virtual std::optional<int> unknown() const { return std::nullopt; }

  void cut(std::string_view word, std::vector<WordPart>& out) const { cut_word(word, out, nullptr); }
};

/// Longest spelling (bytes) that models which try every length accept: a word costs its length times this.
inline constexpr std::size_t kMaxSpelling = 4096;

}  // namespace attnscope
