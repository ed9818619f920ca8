// Decoders: how the spellings of tokens become text again. Decoding is not always exact: what a
// normalizer has dropped stays dropped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/text/mapped_text.h"
#include "core/text/pattern.h"

namespace attnscope {

/// From spellings to spellings; what comes out of the last one is joined. Places are the spellings that a
/// character came from.
using Decoder = std::function<std::vector<MappedText>(std::vector<MappedText>)>;
MappedText joined(const std::vector<MappedText>& parts);

/// Letters of the byte-level alphabet to bytes to text; broken sequences become U+FFFD.
Decoder byte_level_decoder();
/// "<0x0A>" to bytes; neighbouring ones that make no text become one U+FFFD each.
Decoder byte_fallback_decoder();
Decoder replace_decoder(Pattern pattern, std::string content);
/// Drops up to `start` leading and `stop` trailing copies of `content` from every spelling.
Decoder strip_decoder(std::string content, int start, int stop);
Decoder fuse_decoder();
/// Pieces that open with `prefix` join the one before them, others get a space in front; `cleanup` takes the
/// space away before signs and in contractions.
Decoder word_piece_decoder(std::string prefix, bool cleanup);
/// `mark` becomes a space; with `drop_first` it becomes nothing in the first spelling.
Decoder metaspace_decoder(std::string mark, bool drop_first);
/// `suffix` ends a word: it becomes a space, but for the last one.
Decoder suffix_decoder(std::string suffix);
/// Repeats become one and `pad` nothing; with `cleanup` `delimiter` becomes a space (Graves 2006).
Decoder ctc_decoder(std::string pad, std::string delimiter, bool cleanup);
Decoder decoder_sequence(std::vector<Decoder> parts);

}  // namespace attnscope
