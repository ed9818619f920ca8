// What the tokenizer view draws, prepared once per text off the UI thread: the steps of core/text, and where
// each token stands in the text. Refuses to cut anything itself.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/segmentation.h"

namespace attnscope {

/// A stretch of the text that one or more tokens stand for (bytes of one character share it), or none.
struct TokenRun {
  std::int64_t begin = 0, end = 0;  ///< bytes
  std::vector<int> tokens;          ///< places in the encoding
};

struct TokenizerScene {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::string text;
  Segmentation steps;
  std::string error;                              ///< why there are no steps; empty when there are
  std::vector<std::string> names;                 ///< of the tokens, for people
  std::vector<int> word_of_token;                 ///< -1: the template added it, or the words ran out
  std::vector<TokenRun> runs;                     ///< in order, over all of the text
  std::vector<int> run_of_token;                  ///< -1: it stands for no text
  WordSteps::Kind kind = WordSteps::Kind::whole;  ///< of the first word that has steps
  bool normalized = false;                        ///< the normalizer changed the text

  const SegmentedWord* word(int index) const;
};

TokenizerScene make_tokenizer_scene(std::shared_ptr<const Tokenizer> tokenizer, std::string text);

/// How far one can walk: merges, characters of a lattice, attempts; 0: nothing to walk.
std::int64_t step_count(const SegmentedWord& word);
/// A piece of a word for people: its spelling, or the text itself where the vocabulary lacks it.
std::string piece_name(const TokenizerScene& scene, const SegmentedWord& word, const WordPart& piece);
/// Names of pieces with their width in the mono font, kept for as long as the scene and the scale stay.
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
/// The bytes of the input that a piece stands for: "ED 95 9C".
std::string hex_bytes(std::string_view bytes);
/// A stretch of the text on one line, its spaces as they are.
std::string text_on_one_line(std::string_view text);

}  // namespace attnscope
