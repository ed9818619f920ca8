// What happens to the tokens after the vocabulary: tokens around the text (begin, end, [CLS], [SEP]) and
// spaces taken out of the places of tokens. And decoders: how spellings become text again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/text/pattern.h"
#include "core/text/tokenizer.h"

namespace attnscope {

/// A token and the text it matched, which for an added token may have white space around its spelling.
struct PlacedToken {
  Token token;
  std::string matched;
};

/// `add_special` false: only places may change.
using PostProcessor = std::function<void(std::vector<PlacedToken>&, bool add_special)>;

/// Takes leading and trailing spaces out of the places; the one that `add_prefix_space` made is not in the
/// text.
PostProcessor trim_post_processor(bool add_prefix_space);
/// `before` and `after` go around the text with the empty place [0, 0).
PostProcessor template_post_processor(std::vector<Token> before, std::vector<Token> after);
PostProcessor post_processor_sequence(std::vector<PostProcessor> parts);

/// From spellings to spellings; what comes out of the last one is joined.
using Decoder = std::function<std::vector<std::string>(std::vector<std::string>)>;

/// Letters of the byte-level alphabet to bytes to text; broken sequences become U+FFFD.
Decoder byte_level_decoder();
/// "<0x0A>" to bytes; neighbouring ones that make no text become one U+FFFD each.
Decoder byte_fallback_decoder();
Decoder replace_decoder(Pattern pattern, std::string content);
/// Drops up to `start` leading and `stop` trailing copies of `content` from every spelling.
Decoder strip_decoder(std::string content, int start, int stop);
Decoder fuse_decoder();
Decoder decoder_sequence(std::vector<Decoder> parts);

}  // namespace attnscope
