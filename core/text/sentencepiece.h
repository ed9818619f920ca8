// SentencePiece models ("tokenizer.model", "spiece.model", "*.spm"): the protocol buffer that the trainer
// writes, and the tokenizer it describes (BPE and unigram, byte fallback, pieces set by the user, its own
// normalizer). GGUF files hold the same vocabularies without the buffer. Errors: word and character models,
// and a file that is no such buffer (Llama 3's tokenizer.model is tiktoken text: the error says so).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/normalizer.h"
#include "core/text/pipeline.h"
#include "core/text/scored_bpe.h"

namespace attnscope {

struct SentencePieceModel {
  enum class Kind { unigram = 1, bpe = 2, word = 3, character = 4 };

  std::vector<ScoredPiece> pieces;
  Kind kind = Kind::unigram;
  bool byte_fallback = false;
  std::string bos_piece = "<s>", eos_piece = "</s>";
  std::string charsmap;                  // compiled replacements; empty = none
  bool add_dummy_prefix = true;          // a space before the text
  bool remove_extra_whitespaces = true;  // at the ends, and all but one in the middle
  bool escape_whitespaces = true;        // as "▁"
  bool prefix_at_start_only = false;     // no space after a special token in the middle of a text
  bool whitespace_as_suffix = false;     // words end with the mark instead of opening with it
};

/// Reads the protocol buffer. Errors have the byte, or the piece.
Result<SentencePieceModel> read_sentencepiece(std::string_view bytes);

struct SentencePieceOptions {
  bool add_bos = false;  // what encode(..., add_special = true) adds
  bool add_eos = false;
  std::vector<AddedToken> added;  // beside the model's control pieces
};

/// The parts of the tokenizer. Control pieces and the unknown one are found in the text as they are spelled.
Result<Pipeline> sentencepiece_parts(const SentencePieceModel& model, const SentencePieceOptions& options);
/// SentencePiece's own normalizer: replacements, spaces, the mark.
Result<Normalizer> sentencepiece_normalizer(const SentencePieceModel& model);

}  // namespace attnscope
