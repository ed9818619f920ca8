// Data of the tokenizer view, computed once per text by a background job: the steps of core/text, and the
// text span of each token.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/segmentation.h"

namespace attnscope {

/// A span of the text with the tokens in it (several if they are bytes of one character), or none.
struct TokenRun {
  std::int64_t begin = 0, end = 0;  ///< bytes
  std::vector<int> tokens;          ///< indices in the encoding
};

struct TokenizerScene {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::string text;
  Segmentation steps;
  std::string error;                              ///< why there are no steps; empty on success
  std::vector<std::string> names;                 ///< display names of the tokens
  std::vector<int> word_of_token;                 ///< -1: added by the template, or beyond the stored words
  std::vector<TokenRun> runs;                     ///< in order, covering the whole text
  std::vector<int> run_of_token;                  ///< -1: no text
  WordSteps::Kind kind = WordSteps::Kind::whole;  ///< of the first word with steps
  bool normalized = false;                        ///< the normalizer changed the text

  const SegmentedWord* word(int index) const;
};

TokenizerScene make_tokenizer_scene(std::shared_ptr<const Tokenizer> tokenizer, std::string text);

/// Number of steps of a word: merges, characters of a lattice, attempts; 0: none.
std::int64_t step_count(const SegmentedWord& word);
/// Display name of a piece: its token, or its text if the vocabulary lacks it.
std::string piece_name(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece);
/// Cached names of pieces with their width in the mono font; reset when the scene or scale changes.
class PieceNames {
 public:
  struct Named {
    std::string text;
    float width = 0;
  };
  Named of(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece);

 private:
  std::unordered_map<int, Named> known_;
  const void* scene_ = nullptr;
  float scale_ = 0;
};
/// The input bytes of a piece in hex: "ED 95 9C".
std::string hex_bytes(std::string_view bytes);
/// A span of the text on one line, with its spaces unchanged.
std::string text_on_one_line(std::string_view text);

}  // namespace attnscope
