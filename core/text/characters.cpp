#include "core/text/characters.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uscript.h>

namespace attnscope {

namespace {

bool has_type(char32_t c, std::uint32_t mask) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0; }

struct CharacterRange {
  char32_t first, last;
};

constexpr CharacterRange kIdeographs[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                          {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                          {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};

}  // namespace

bool is_white_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }

bool is_punctuation(char32_t c) {
  const bool ascii = (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
                     (c >= 0x7B && c <= 0x7E);
  return ascii || has_type(c, U_GC_P_MASK);
}

bool is_control(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return false;
  return has_type(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK);
}

bool is_mark(char32_t c) { return has_type(c, U_GC_M_MASK); }

bool is_accent(char32_t c) { return has_type(c, U_GC_MN_MASK); }

bool is_ideograph(char32_t c) {
  for (const CharacterRange& range : kIdeographs) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

char32_t lower_case(char32_t c) { return static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))); }

char32_t first_of_decomposition(char32_t c) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* rules = icu::Normalizer2::getNFDInstance(status);
  icu::UnicodeString parts;
  const bool changes = U_SUCCESS(status) && rules->getDecomposition(static_cast<UChar32>(c), parts);
  return changes && parts.length() > 0 ? static_cast<char32_t>(parts.char32At(0)) : c;
}

int script_for_cuts(char32_t c) {
  constexpr char32_t kLengthMark = 0x30FC;  // of Kana; Unicode calls it common
  if (c == U' ') return -1;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(static_cast<UChar32>(c), &status);
  if (U_FAILURE(status) || script == USCRIPT_UNKNOWN) return -1;
  const bool kana = script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA || c == kLengthMark;
  return kana ? USCRIPT_HAN : script;
}

}  // namespace attnscope
