// Words of a text that the vocabulary does not know: the model reads a placeholder for each, people see what
// was typed.
#pragma once

#include "core/session/document.h"

namespace attnscope {

/// By the index of the token that stands for it. A placeholder that was typed itself is none.
TypedWords typed_words(const OpenedModel& opened, const std::string& text, const std::vector<Token>& tokens);
/// Of the encoder's text (Stack::enc) or the main stack's.
TypedWords typed_words(const OpenedModel& opened, const Sequence& sequence, Stack of);
/// The same where a token was put in at `pos` (`by` = 1) or taken out (-1).
TypedWords moved_words(const TypedWords& words, std::size_t pos, int by);
/// Names those of a sequence of the document in its input, padding counted.
void name_typed(const Document& document, std::size_t sequence, Input& input);
/// Writes them into a text that was spelled from ids, where these still have the placeholder.
void write_typed(const OpenedModel& opened, Sequence& spelled, const TypedWords& words);

/// An input that begins with the same special token twice, as a text does that brings the begin token which
/// the tokenizer puts in front: every later position, and every probability, is another one.
bool begins_twice(const OpenedModel& opened, const std::vector<int>& ids);

}  // namespace attnscope
