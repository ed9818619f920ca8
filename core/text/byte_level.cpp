#include "core/text/byte_level.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace attnscope {

namespace {

struct Alphabet {
  std::array<std::string, 256> letters;
  std::array<int, 0x180> bytes;  // by letter; -1 = not a letter (the alphabet ends below U+0144)
};

bool is_printable_latin1(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

// Printable Latin-1 stands for itself; the other bytes take U+0100, U+0101, ... in order.
Alphabet make_alphabet() {
  Alphabet alphabet;
  alphabet.bytes.fill(-1);
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t letter = is_printable_latin1(byte) ? static_cast<char32_t>(byte) : next++;
    append_utf8(alphabet.letters[static_cast<std::size_t>(byte)], letter);
    alphabet.bytes[letter] = byte;
  }
  return alphabet;
}

const Alphabet& alphabet() {
  static const Alphabet made = make_alphabet();
  return made;
}

// Bytes that a lead byte promises, and the range its first follower must lie in (Unicode 15, table 3-7).
struct Lead {
  int length;
  unsigned char low, high;
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
  if (byte >= 0xE0 && byte <= 0xEF) {
    return {3, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
  return {0, 0, 0};
}

}  // namespace

const std::string& byte_letter(unsigned char byte) { return alphabet().letters[byte]; }

std::optional<unsigned char> letter_byte(char32_t letter) {
  if (letter >= alphabet().bytes.size() || alphabet().bytes[letter] < 0) return std::nullopt;
  return static_cast<unsigned char>(alphabet().bytes[letter]);
}

std::string bytes_of_letters(std::string_view spelling) {
  std::string out;
  for (std::size_t at = 0; at < spelling.size();) {
    const auto byte = letter_byte(next_code_point(spelling, at));
    if (!byte) return std::string(spelling);
    out.push_back(static_cast<char>(*byte));
  }
  return out;
}

std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  const auto byte_at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const Lead lead = lead_of(byte_at(at));
  const auto length = static_cast<std::size_t>(lead.length);
  std::size_t good = length == 0 ? 0 : 1;
  while (good > 0 && good < length && at + good < bytes.size()) {
    const unsigned char next = byte_at(at + good);
    if (next < (good == 1 ? lead.low : 0x80) || next > (good == 1 ? lead.high : 0xBF)) break;
    ++good;
  }
  return good;
}

std::string lossy_utf8(std::string_view bytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t good = sequence_length(bytes, at);
    const auto whole = static_cast<std::size_t>(lead_of(static_cast<unsigned char>(bytes[at])).length);
    if (good > 0 && good == whole) {
      out += bytes.substr(at, good);
    } else {
      append_utf8(out, U'\xFFFD');
    }
    at += std::max<std::size_t>(good, 1);
  }
  return out;
}

}  // namespace attnscope
