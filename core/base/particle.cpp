#include "core/base/particle.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {
namespace {

constexpr std::u32string_view kPassedOver = U"\"'`\u2019\u201D\u00BB)]}>\u300D\u300F\u3009\u300B ";
constexpr std::u32string_view kPowers =
    U"\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079";  // 승

bool is_lower(char32_t c) { return c >= U'a' && c <= U'z'; }
bool is_capital(char32_t c) { return c >= U'A' && c <= U'Z'; }
bool is_latin(char32_t c) { return is_lower(c) || is_capital(c); }
bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_vowel(char32_t c) { return std::u32string_view(U"aeiouy").find(c) != std::u32string_view::npos; }

Ending of_hangul(char32_t c) {
  constexpr char32_t kFinals = 28, kRieul = 8;
  const char32_t final_consonant = (c - 0xAC00) % kFinals;
  if (final_consonant == 0) return Ending::vowel;
  return final_consonant == kRieul ? Ending::rieul : Ending::consonant;
}

Ending of_digit(char32_t c) {  // 영 일 이 삼 사 오 육 칠 팔 구
  if (c == U'1' || c == U'7' || c == U'8') return Ending::rieul;
  return c == U'0' || c == U'3' || c == U'6' ? Ending::consonant : Ending::vowel;
}

Ending of_letter(char32_t lower) {  // 엘 알 엠 엔
  if (lower == U'l' || lower == U'r') return Ending::rieul;
  return lower == U'm' || lower == U'n' ? Ending::consonant : Ending::vowel;
}

Ending of_word(std::u32string_view word) {  // in small letters, with a vowel
  const auto back = [&](std::size_t n) { return n <= word.size() ? word[word.size() - n] : U'\0'; };
  const char32_t last = back(1), before = back(2);
  if (last == U'l' || (last == U'e' && before == U'l')) return Ending::rieul;
  if (last == U'm' || last == U'n' || (last == U'g' && before == U'n')) return Ending::consonant;
  if (last == U'e' && (before == U'm' || before == U'n') && is_vowel(back(3))) return Ending::consonant;
  if (last == U'k' && before == U'c') return Ending::consonant;
  const bool closes = last == U'c' || last == U'k' || last == U'p' || last == U't';
  return closes && is_vowel(before) && !is_vowel(back(3)) ? Ending::consonant : Ending::vowel;
}

Ending of_latin(std::u32string word) {
  const bool capitals = std::all_of(word.begin(), word.end(), is_capital);
  for (char32_t& c : word) c = is_capital(c) ? c + (U'a' - U'A') : c;
  const bool spelled = capitals || word.size() == 1 || std::none_of(word.begin(), word.end(), is_vowel);
  return spelled ? of_letter(word.back()) : of_word(word);
}

}  // namespace

Ending ending(std::string_view word) {
  std::u32string letters;
  for (std::size_t at = 0; at < word.size();) letters += next_code_point(word, at);
  while (!letters.empty() && kPassedOver.find(letters.back()) != std::u32string_view::npos)
    letters.pop_back();
  if (letters.empty()) return Ending::unknown;
  const char32_t last = letters.back();
  if (last >= 0xAC00 && last <= 0xD7A3) return of_hangul(last);
  if (last >= U'0' && last <= U'9') return of_digit(last);
  if (kPowers.find(last) != std::u32string_view::npos) return Ending::consonant;
  if (last == U'%') return Ending::vowel;  // 퍼센트
  if (!is_latin(last)) return Ending::unknown;
  std::size_t begin = letters.size();
  while (begin > 0 && is_latin(letters[begin - 1])) --begin;
  return of_latin(letters.substr(begin));
}

std::string particle(std::string_view word, std::string_view pair) {
  const std::size_t slash = pair.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::string(pair);
  const std::string closed(pair.substr(0, slash)), open(pair.substr(slash + 1));
  if (is_ascii_letter(closed.front())) return word == "1" ? closed : open;
  switch (ending(word)) {
    case Ending::vowel: return open;
    case Ending::consonant: return closed;
    case Ending::rieul: return closed == "으로" ? open : closed;
    case Ending::unknown: break;
  }
  if (!ends_with(closed, open)) return closed + '(' + open + ')';
  return '(' + closed.substr(0, closed.size() - open.size()) + ')' + open;
}

}  // namespace attnscope
