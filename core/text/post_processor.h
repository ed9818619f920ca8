// What happens to the tokens after the vocabulary: tokens around the text (begin, end, [CLS], [SEP]) and
// spaces taken out of the places of tokens.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

}  // namespace attnscope
