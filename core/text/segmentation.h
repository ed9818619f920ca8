// How a text became tokens, step by step, for display: normalized stretches, words, and for
// each word what its vocabulary did: the merges of a BPE, the lattice of a unigram model, the attempts of
// WordPiece. The values are recorded by the code that tokenizes, so the last step is the tokens. Bounded:
// words and steps beyond the limits are counted, not kept.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/mapped_text.h"
#include "core/text/tokenizer.h"
#include "core/text/word_model.h"

namespace attnscope {

struct SegmentationLimits {
  std::size_t words = 256;   // words that keep their steps
  std::size_t steps = 4096;  // entries of each list of a word
};

/// A word as the vocabulary sees it. Bytes [begin, end) of pieces are bytes of text.text(); text.span() gives
/// their place in the input.
struct SegmentedWord {
  MappedText text;
  std::optional<int> added;  // it is this added token, and nothing was cut
  WordSteps steps;
  std::vector<WordPart> parts;  // what it became
  std::size_t first_token = 0;  // of these parts, in the encoding
};

struct Segmentation {
  std::vector<Segment> stretches;    // normalized text between added tokens; at most `words` of them
  std::vector<SegmentedWord> words;  // in the order of the text; at most `words` of them
  std::size_t stretch_count = 0;     // of all
  std::size_t word_count = 0;
  Encoding encoding;  // what encode() gives
};

/// Errors: those of encode().
Result<Segmentation> segment(const Tokenizer& tokenizer, std::string_view text,
                             const SegmentationLimits& limits = {}, bool add_special = true);

/// The pieces of a word after its first `count` merges (0: its letters). For steps of other kinds, and where
/// the steps were cut short: the parts.
std::vector<WordPart> pieces_after(const SegmentedWord& word, std::size_t count);

}  // namespace attnscope
