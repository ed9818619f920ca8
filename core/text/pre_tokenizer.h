// Pre-tokenizers: how a text is cut into words before the vocabulary model. Each takes one segment and
// hands its words on, one by one, so that the words of a long text need not lie in memory together. Segments
// that are already an added token pass untouched, empty ones are dropped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/mapped_text.h"
#include "core/text/pattern.h"

namespace attnscope {

/// Receives the words. An error ends the iteration.
using WordSink = std::function<Status(const Segment&)>;
using PreTokenizer = std::function<Status(const Segment&, const WordSink&)>;

/// Treatment of the stretches that match: words of their own, dropped, glued to the word before or after,
/// or (contiguous) neighbouring matches in one word.
enum class Delimiter { isolated, removed, with_previous, with_next, contiguous };

/// `invert`: what matches is the word, the rest is the delimiter.
PreTokenizer split_pre_tokenizer(Pattern pattern, Delimiter delimiter, bool invert);
/// Space in front of each segment that has none (`add_prefix_space`), GPT-2 words (`use_regex`), bytes to
/// letters.
PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex);
/// Which words get a mark in front: those at the start of the whole text, all, or none.
enum class PrependMark { first, always, never };
/// Spaces become `mark` ("▁"), which opens words; with `split` every word begins at a mark.
PreTokenizer metaspace_pre_tokenizer(std::string mark, PrependMark prepend, bool split);
/// White space goes, every sign of punctuation is a word: BERT's words.
PreTokenizer bert_pre_tokenizer();
/// A word ends where the script changes (Kana counts as Han, spaces belong to what precedes them).
PreTokenizer script_pre_tokenizer();
/// Words of `length` characters.
PreTokenizer fixed_length_pre_tokenizer(std::size_t length);
PreTokenizer pre_tokenizer_sequence(std::vector<PreTokenizer> parts);

}  // namespace attnscope
