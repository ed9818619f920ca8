// Pre-tokenizers: how a text is cut into words before the vocabulary sees it. Each is a function on the list
// of segments; segments that are already an added token pass untouched, empty ones are dropped.
#pragma once

#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/text/mapped_text.h"
#include "core/text/pattern.h"

namespace attnscope {

using PreTokenizer = std::function<Status(std::vector<Segment>&)>;

/// What becomes of the stretches that match: words of their own, dropped, glued to the word before or after,
/// or (contiguous) neighbouring matches in one word.
enum class Delimiter { isolated, removed, with_previous, with_next, contiguous };

/// `invert`: what matches is the word, the rest is the delimiter.
PreTokenizer split_pre_tokenizer(Pattern pattern, Delimiter delimiter, bool invert);
/// Space in front of each segment that has none (`add_prefix_space`), GPT-2 words (`use_regex`), bytes to
/// letters.
PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex);
PreTokenizer pre_tokenizer_sequence(std::vector<PreTokenizer> parts);

}  // namespace attnscope
