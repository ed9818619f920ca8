// The one interface between text and token ids; every vocabulary (BPE, unigram, WordPiece) stands behind it.
// Offsets are bytes of the text the caller gave, so that a token can be highlighted in it. Does not throw.
// Ill-formed UTF-8 is no error (each bad byte is read as U+FFFD and keeps its place). The truncation and
// padding of a tokenizer.json are not applied: all of the text is shown and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/no_copy.h"
#include "core/base/result.h"

namespace attnscope {

struct Token {
  int id = 0;
  std::string text;        // vocabulary spelling, e.g. "Ġcat"
  std::int64_t begin = 0;  // bytes of the input text; tokens that the template added have [0, 0)
  std::int64_t end = 0;
  bool special = false;
};

struct Encoding {
  std::vector<Token> tokens;
  std::vector<int> ids() const;
};

/// A text and where each of the ids that spell it stands in it: bytes [first, second). Ids that share a
/// character share its place.
struct Spelling {
  std::string text;
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
};

struct Segmentation;
struct SegmentationLimits;

/// Text to ids and back. Immutable once made, so any number of threads may share one.
class Tokenizer : NoCopy {
 public:
  Tokenizer() = default;
  virtual ~Tokenizer();

  /// The tokens of `text`. `add_special` adds what the vocabulary's template adds (for example a begin
  /// token). Errors: text over 256 MB; a pattern of the file that runs out of time or stack on this text.
  virtual Result<Encoding> encode(std::string_view text, bool add_special = true) const = 0;
  /// The same, with the steps that led there (core/text/segmentation.h). A tokenizer without steps records
  /// none.
  virtual Result<Encoding> encode_recorded(std::string_view text, bool add_special,
                                           const SegmentationLimits& limits, Segmentation& record) const;
  /// Well-formed UTF-8 for any ids; bytes that do not add up to a character give U+FFFD, unknown ids nothing.
  virtual std::string decode(const std::vector<int>& ids, bool skip_special = true) const = 0;
  /// The same, and where each id stands. Its cost grows with the number of ids, no faster.
  virtual Spelling spell(const std::vector<int>& ids, bool skip_special = true) const = 0;
  /// Highest id + 1; there may be unused ids below it.
  virtual int vocab_size() const = 0;
  /// Vocabulary spelling; empty for an id that is not used.
  virtual std::string token_text(int id) const = 0;
  /// For people, never empty: "·cat", "⏎", "<0xE2>"; "<id 7>" for an id that is not used.
  virtual std::string token_display(int id) const = 0;
  virtual std::optional<int> find(std::string_view vocab_spelling) const = 0;
  virtual std::optional<int> bos() const = 0;
  virtual std::optional<int> eos() const = 0;
  /// What stands for a piece of text that the vocabulary cannot spell.
  virtual std::optional<int> unknown() const { return std::nullopt; }

  /// Ids whose text matches `query`, for the token picker: equal texts first (then equal but for a leading
  /// space), then those that begin with it, then those that hold it; shortest first. ASCII case is ignored.
  std::vector<int> search(std::string_view query, int limit) const;

 private:
  mutable std::once_flag searchable_once_;
  mutable std::vector<std::pair<int, std::string>> searchable_;  // (id, decoded text in lower case)
};

/// Opens a folder, or one file: tokenizer.json; a SentencePiece model (*.model, *.spm); vocab.json or
/// merges.txt beside each other; vocab.txt. What lies beside it (tokenizer_config.json,
/// special_tokens_map.json, added_tokens.json) is applied. Errors have the file and what is wrong in it.
Result<std::shared_ptr<const Tokenizer>> open_tokenizer(const std::string& path);
/// True where the folder has one of these files, or where the file is there.
bool has_tokenizer(const std::string& path);
/// Reads the text of a tokenizer.json; `what` names it in errors.
Result<std::shared_ptr<const Tokenizer>> tokenizer_from_json(std::string_view text, const std::string& what);

/// What a byte-level BPE is made of where there is no tokenizer.json (GGUF, vocab.json + merges.txt).
struct ByteLevelBpe {
  std::vector<std::string> vocab;     // spelling of each id; empty = unused id
  std::vector<std::string> merges;    // "a b", best first
  std::vector<std::string> patterns;  // each cuts the words of the one before; empty = the GPT-2 pattern
  std::vector<int> special;           // ids that are matched whole in the text and skipped when decoding
  std::vector<int> added;             // ids that are matched whole, and shown
  std::optional<int> bos, eos;
  bool add_bos = false;  // what encode(..., add_special = true) adds
  bool add_eos = false;
  bool add_prefix_space = false;
  bool ignore_merges = false;  // a word that is in the vocabulary is one token, without any merges
};
/// Errors have `what` and the entry that is wrong.
Result<std::shared_ptr<const Tokenizer>> make_byte_level_bpe(const ByteLevelBpe& parts,
                                                             const std::string& what);

/// The pieces of `text` that became the unknown token among its `tokens`, each once, in their order.
std::vector<std::string> unknown_pieces(const Tokenizer& tokenizer, std::string_view text,
                                        const std::vector<Token>& tokens);

/// Any bytes as one legible line: leading and trailing spaces "·", newline "⏎", tab "⇥", bytes that are no
/// character "<0xE2>", characters that cannot be seen "<U+200D>"; letters and their marks composed.
std::string display_bytes(std::string_view bytes);

}  // namespace attnscope
