// A text that is typed anew, and the edits of its words: an edit names positions, and what was meant is the
// word that stood there. So it stays where the word still stands, and goes with it where it does not.
#pragma once

#include <vector>

#include "core/session/document.h"

namespace attnscope {

/// The edits of `before` that hold for sequence `sequence` once its tokens of stack `of` are `now`: those
/// without a position, and those whose positions still hold the token that they held. Of a mask the switched
/// cells of other tokens go; its rule stays. An edit of every sequence is one of this sequence where it is
/// the only one, and else stays.
Edits edits_of_same_words(const Document& before, std::size_t sequence, Stack of,
                          const std::vector<int>& now);

/// How many of `before` are not in `now` as they were: taken away, or a mask of which cells went.
std::size_t edits_gone(const Edits& before, const Edits& now);

}  // namespace attnscope
