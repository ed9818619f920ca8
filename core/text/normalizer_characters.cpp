// The normalizers that go through a text character by character: BERT's, accents, machine translation, and
// the compiled tables of SentencePiece.
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <functional>

#include "core/base/text.h"
#include "core/text/characters.h"
#include "core/text/normalizer.h"

namespace attnscope {

namespace {

template <class Visit>
void for_each_character(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) visit(next_code_point(text, at));
}

// Drops the characters that `keep` refuses; the ones before them take their place along.
template <class Keep>
void filter(MappedText& text, const Keep& keep) {
  std::vector<Rewrite> out;
  int dropped = 0;
  for_each_character(text.text(), [&](char32_t c) {
    if (keep(c)) {
      out.push_back({c, 0});
    } else if (out.empty()) {
      ++dropped;
    } else {
      --out.back().change;
    }
  });
  text.rewrite(out, dropped);
}

template <class Change>
void map_characters(MappedText& text, const Change& change) {
  std::vector<Rewrite> out;
  for_each_character(text.text(), [&](char32_t c) { out.push_back({change(c), 0}); });
  text.rewrite(out);
}

void space_ideographs(MappedText& text) {
  std::vector<Rewrite> out;
  for_each_character(text.text(), [&](char32_t c) {
    if (is_ideograph(c)) {
      out.insert(out.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
    } else {
      out.push_back({c, 0});
    }
  });
  text.rewrite(out);
}

bool is_nmt_control(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool is_nmt_space(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

// Bytes of a well-formed text at which its grapheme clusters end.
std::vector<std::size_t> grapheme_ends(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  const icu::UnicodeString units =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  std::vector<std::size_t> out;
  if (U_FAILURE(status)) return out;
  breaks->setText(units);
  std::size_t byte = 0;
  int unit = 0;
  for (int end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    while (unit < end) unit += next_code_point(text, byte) > 0xFFFF ? 2 : 1;
    out.push_back(byte);
  }
  return out;
}

// `replacement` stands for bytes [begin, end) of the old text, character for character as far as it goes;
// what it has more shares the place of the last one.
void append_replacement(MappedText& out, const MappedText& old, std::size_t begin, std::size_t end,
                        std::string_view replacement) {
  std::string utf8;
  std::size_t at = begin;
  ByteSpan place = old.span(begin, begin);
  for (std::size_t from = 0; from < replacement.size();) {
    utf8.clear();
    append_utf8(utf8, next_code_point(replacement, from));
    if (at < end) {
      const std::size_t start = at;
      next_code_point(old.text(), at);
      place = old.span(start, at);
    }
    out.append(utf8, place);
  }
}

}  // namespace

Normalizer bert_normalizer(const BertNormalizerOptions& options) {
  return [options, lower = lowercase_normalizer(),
          decompose = unicode_normalizer(UnicodeForm::nfd)](MappedText& text) -> Status {
    if (options.clean) {
      filter(text, [](char32_t c) { return c != 0 && c != 0xFFFD && !is_control(c); });
      map_characters(text, [](char32_t c) { return is_white_space(c) ? U' ' : c; });
    }
    if (options.spaced_ideographs) space_ideographs(text);
    if (options.strip_accents.value_or(options.lowercase)) {
      TRY_OK(decompose(text));
      filter(text, [](char32_t c) { return !is_accent(c); });
    }
    if (options.lowercase) TRY_OK(lower(text));
    return Done{};
  };
}

Normalizer strip_accents_normalizer() {
  return [](MappedText& text) -> Status {
    filter(text, [](char32_t c) { return !is_mark(c); });
    return Done{};
  };
}

Normalizer nmt_normalizer() {
  return [](MappedText& text) -> Status {
    filter(text, [](char32_t c) { return !is_nmt_control(c); });
    map_characters(text, [](char32_t c) { return is_nmt_space(c) ? U' ' : c; });
    return Done{};
  };
}

Normalizer precompiled_normalizer(Charsmap table) {
  return [table = std::move(table)](MappedText& text) -> Status {
    constexpr std::size_t kShortCluster = 6;  // bytes; longer clusters are looked up by their characters
    const std::string_view bytes = text.text();
    MappedText out;
    std::size_t begin = 0;
    for (const std::size_t end : grapheme_ends(bytes)) {
      TRY_OK(check_normalized(out));
      const auto whole = end - begin < kShortCluster ? table.shortest(bytes.substr(begin, end - begin))
                                                     : std::optional<Charsmap::Found>();
      if (whole) append_replacement(out, text, begin, end, whole->replacement);
      while (!whole && begin < end) {
        const std::size_t start = begin;
        next_code_point(bytes, begin);
        const std::string_view character = bytes.substr(start, begin - start);
        const auto found = table.shortest(character);
        append_replacement(out, text, start, begin, found ? found->replacement : character);
      }
      begin = end;
    }
    text = std::move(out);
    return Done{};
  };
}

Normalizer gguf_bert_normalizer(bool strip_accents, bool lowercase) {
  return [strip_accents, lowercase](MappedText& text) -> Status {
    MappedText out;
    const std::string& bytes = text.text();
    std::string utf8;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t begin = at;
      const char32_t written = next_code_point(bytes, at);
      const char32_t c = strip_accents ? first_of_decomposition(written) : written;
      const ByteSpan place = text.span(begin, at);
      if (is_white_space(c)) {
        out.append(" ", place);
        continue;
      }
      if (c == 0 || c == 0xFFFD || is_control(c)) continue;
      utf8.clear();
      append_utf8(utf8, lowercase ? lower_case(c) : c);
      const bool alone = is_punctuation(c) || is_ideograph(c);
      if (alone) out.append(" ", place);
      out.append(utf8, place);
      if (alone) out.append(" ", place);
    }
    text = std::move(out);
    return Done{};
  };
}

}  // namespace attnscope
