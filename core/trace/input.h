// What goes into a run: tokens, rows of numbers, an image, what the encoder reads; and which of it is
// padding.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/ops/ops.h"
#include "core/trace/span.h"

namespace attnscope {

/// What was typed where a token stands for a word that the vocabulary does not know, by the token's row.
using TypedWords = std::map<std::int64_t, std::string>;

/// One sequence. `ids` belong to the main stack: the decoder where there is an encoder.
struct Input {
  std::vector<int> ids = {};
  Tensor vectors = {};                            ///< [pos, d_in] for bare modules; empty when ids are given
  std::vector<int> source = {};                   ///< token ids of the encoder, for encoder-decoders
  Tensor pixels = {};                             ///< [channel, row, column], normalised, for image models
  std::vector<int> types = {};                    ///< segment of each token; empty = all 0
  std::vector<std::uint8_t> attention_mask = {};  ///< one per token of `ids`: 0 = padding; empty = all 1
  std::vector<std::uint8_t> source_attention_mask = {};  ///< the same for `source`
  /// Several sequences in one run, one behind another: the rows at which the second and further ones begin.
  /// Each counts its positions from 0 and sees itself only. Empty: one sequence. For runs without edits.
  std::vector<std::int64_t> starts = {};
  std::vector<Span> spans = {};  ///< named parts of the sequence (image, prompt, action), for masks
  TypedWords typed = {},
             source_typed = {};  ///< of `ids` and of `source`; names alone: nothing is computed of it

  std::int64_t length() const {
    return vectors.empty() ? static_cast<std::int64_t>(ids.size()) : vectors.size(0);
  }
};

/// The name of a part of an input of vectors that is this position alone; else empty.
inline std::string vector_name(const Input& input, std::int64_t pos) {
  for (const Span& span : input.spans)
    if (span.begin == pos && span.end == pos + 1 && !input.vectors.empty()) return span.name;
  return {};
}

/// Positions under an attention mask: the first token is position 0, padding before it too.
Positions positions_of(const std::vector<std::uint8_t>& attention_mask, std::int64_t first);
/// Positions of the rows of the main stack.
Positions positions_of(const Input& input);
/// For each row of the main stack the rows of its own sequence; null where there is one alone.
std::shared_ptr<const std::vector<KeySpan>> sequences_of(const Input& input);

}  // namespace attnscope
