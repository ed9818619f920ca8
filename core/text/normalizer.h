// Normalizers: what a tokenizer does to the text before it looks for words. Each is a function on a
// MappedText. Places in the original text survive every one of them, by the rules of the Hugging Face
// tokenizers: a composed character stands where its first part stood, the parts of a decomposed one all stand
// where it stood.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/text/charsmap.h"
#include "core/text/mapped_text.h"
#include "core/text/pattern.h"

namespace attnscope {

/// Errors: a text that grows beyond its limit (MappedText::become), a regex out of time or stack.
using Normalizer = std::function<Status(MappedText&)>;

/// What characters become: fills `out` for one block of a text; returns how many of its characters go before
/// the first new one.
using RewriteBlock = std::function<int(std::string_view block, std::vector<Rewrite>& out)>;
/// True before a character where a block may begin.
using BlockStart = bool (*)(char32_t);
/// Rewrites a text block by block, so that a long one needs little memory besides itself.
Status rewrite_blocks(MappedText& text, BlockStart starts, const RewriteBlock& rewrite);
inline bool any_character(char32_t) { return true; }

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

struct BertNormalizerOptions {
  bool clean = true;                  // controls out, white space to spaces
  bool spaced_ideographs = true;      // each ideograph between two spaces
  std::optional<bool> strip_accents;  // nothing: as `lowercase`
  bool lowercase = true;
};
/// What BERT does to a text before it cuts words.
Normalizer bert_normalizer(const BertNormalizerOptions& options);
/// Drops every combining mark that stands on its own (decompose the text first).
Normalizer strip_accents_normalizer();
/// SentencePiece's rules for machine translation: controls out, odd spaces to spaces.
Normalizer nmt_normalizer();
/// A compiled table of SentencePiece, used as the Hugging Face tokenizers use it: on short grapheme clusters,
/// and otherwise character by character.
Normalizer precompiled_normalizer(Charsmap table);
/// Ideographs, accents, case and words as llama.cpp treats the texts of BERT models: with `strip_accents`
/// decompositions lose all but their first character; words and signs stand apart with a space between.
Normalizer gguf_bert_normalizer(bool strip_accents, bool lowercase);
Normalizer normalizer_sequence(std::vector<Normalizer> parts);

}  // namespace attnscope
