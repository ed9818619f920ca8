// The byte-level alphabet: each of the 256 bytes has one printable character (space is "Ġ"), so that any text
// is a string of known letters. Source: the GPT-2 encoder. Also the reading of bytes that may not be
// well-formed UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace attnscope {

/// The letter (UTF-8, one or two bytes) that stands for a byte.
const std::string& byte_letter(unsigned char byte);
/// The byte a letter stands for; nothing where the character is no letter of the alphabet.
std::optional<unsigned char> letter_byte(char32_t letter);
/// The bytes a vocabulary spelling stands for; the spelling itself where it has a character outside the
/// alphabet (added tokens such as "<｜end▁of▁sentence｜>").
std::string bytes_of_letters(std::string_view spelling);
/// Bytes of the character at `at`, or of the longest broken sequence that stands there; 0 where not even that
/// begins.
std::size_t sequence_length(std::string_view bytes, std::size_t at);
/// UTF-8 in which each longest broken sequence is one U+FFFD (Unicode 15, section 3.9, "maximal subparts").
std::string lossy_utf8(std::string_view bytes);

}  // namespace attnscope
