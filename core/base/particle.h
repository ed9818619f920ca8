// Korean particles have two forms; the final sound of the word before decides which one is used.
#pragma once

#include <string>
#include <string_view>

namespace attnscope {

/// What a word ends in when a Korean reads it aloud. `rieul` is the consonant that 으로/로 treats as a vowel.
enum class Ending { vowel, rieul, consonant, unknown };

/// Hangul by its final consonant; digits as 영, 일, 이 ...; a Latin letter that stands alone, and the last
/// one of a run in capitals or without vowels, by its name (에이, 비 ...); a Latin word by this rule of
/// thumb: l, le, n, m, ng, and ne and me behind a vowel, end in a consonant (model, scale, token, name), so
/// do c, k, p and t behind a single vowel, and ck (step, logit, block); all others in a vowel (layer, mask,
/// head). Quotes, brackets and spaces at the end are passed over. Anything else is unknown.
Ending ending(std::string_view word);

/// The particle for `word` out of `pair`, "이/가": the form behind a consonant, a slash, the form behind a
/// vowel. Both, 이(가) or (으)로, behind a word whose ending is unknown.
/// Out of a pair in Latin letters, "token/tokens": the first where `word` is "1", else the second.
std::string particle(std::string_view word, std::string_view pair);

}  // namespace attnscope
