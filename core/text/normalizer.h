// Normalizers: what a tokenizer does to the text before it looks for words. Each is a function on a
// MappedText. Places in the original text survive every one of them, by the rules of the Hugging Face
// tokenizers: a composed character stands where its first part stood, the parts of a decomposed one all stand
// where it stood.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/mapped_text.h"
#include "core/text/pattern.h"

namespace attnscope {

using Normalizer = std::function<Status(MappedText&)>;

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

/// Unicode normal forms (Unicode 15, annex 15).
Normalizer unicode_normalizer(UnicodeForm form);
/// Each character on its own, full mapping (no final sigma).
Normalizer lowercase_normalizer();
/// Puts `prefix` in front of a text that is not empty.
Normalizer prepend_normalizer(std::string prefix);
/// Every match becomes `content`, which stands where the match ended. Content of no characters removes it.
Normalizer replace_normalizer(Pattern pattern, std::string content);
/// Drops white space at the ends.
Normalizer strip_normalizer(bool left, bool right);
/// Every byte becomes its letter of the byte-level alphabet; it stands where its character stood.
Normalizer byte_level_normalizer();
Normalizer normalizer_sequence(std::vector<Normalizer> parts);

}  // namespace attnscope
