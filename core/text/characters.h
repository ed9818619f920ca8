// Character classes that tokenizers use, from Unicode's own tables (ICU).
#pragma once

namespace attnscope {

/// Unicode White_Space.
bool is_white_space(char32_t c);
/// Punctuation of any script, and the ASCII signs that BERT counts as such ($ + < = > ^ ` | ~).
bool is_punctuation(char32_t c);
/// Controls, formats, private use and surrogates; tab and line ends are not among them.
bool is_control(char32_t c);
/// Any mark that combines with the letter before it.
bool is_mark(char32_t c);
/// Marks without a width of their own: accents.
bool is_accent(char32_t c);
/// The ideographs that BERT sets apart: the Unified and Compatibility blocks, neither Kana nor Hangul.
bool is_ideograph(char32_t c);
/// Upper case to lower, character by character (a character that has no single lower case stays).
char32_t lower_case(char32_t c);
/// First character of the canonical decomposition: the letter without its accents.
char32_t first_of_decomposition(char32_t c);
/// ICU's number of the script; Kana counts as Han, and -1 stands for "any" (a space, unassigned).
int script_for_cuts(char32_t c);

}  // namespace attnscope
