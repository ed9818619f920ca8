// What is done to the tokens after the vocabulary: tokens around the text (begin, end, [CLS], [SEP]) and
// spaces taken out of the places of tokens.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace attnscope {

/// White space that a spelling opens and ends with, in bytes of the original text.
struct Margins {
  std::int32_t leading = 0, first = 0, trailing = 0;  ///< first: of `leading`, the first character
};
/// Of what a token matched, which for an added token may have white space around its spelling.
Margins margins_of(std::string_view matched);

struct PlacedTokens {
  std::vector<Token> tokens;
  std::vector<Margins> margins;  ///< one for each token
  std::size_t in_front = 0;      ///< tokens that were put in front of the text's own
};

/// `add_special` false: only places may change.
using PostProcessor = std::function<void(PlacedTokens&, bool add_special)>;

/// Takes leading and trailing spaces out of the places; the one that `add_prefix_space` made is not in the
/// text.
PostProcessor trim_post_processor(bool add_prefix_space);
/// `before` and `after` go around the text with the empty place [0, 0).
PostProcessor template_post_processor(std::vector<Token> before, std::vector<Token> after);
PostProcessor post_processor_sequence(std::vector<PostProcessor> parts);

}  // namespace attnscope
