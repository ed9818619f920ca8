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

// Drops the characters for which `keep` is false; the kept one before them takes over their places.
Status filter(MappedText& text, bool (*keep)(char32_t)) {
  return rewrite_blocks(text, any_character, [&](std::string_view block, std::vector<Rewrite>& out) {
    int dropped = 0;
    for (std::size_t at = 0; at < block.size();) {
      const char32_t c = next_code_point(block, at);
      if (keep(c)) {
        out.push_back({c, 0});
      } else if (out.empty()) {
        ++dropped;
      } else {
        --out.back().change;
      }
    }
    return dropped;
  });
}

Status map_characters(MappedText& text, char32_t (*change)(char32_t)) {
  return rewrite_blocks(text, any_character, [&](std::string_view block, std::vector<Rewrite>& out) {
    for (std::size_t at = 0; at < block.size();) out.push_back({change(next_code_point(block, at)), 0});
    return 0;
  });
}

Status space_ideographs(MappedText& text) {
  return rewrite_blocks(text, any_character, [](std::string_view block, std::vector<Rewrite>& out) {
    for (std::size_t at = 0; at < block.size();) {
      const char32_t c = next_code_point(block, at);
      if (is_ideograph(c)) {
        out.insert(out.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
      } else {
        out.push_back({c, 0});
      }
    }
    return 0;
  });
}

bool is_nmt_control(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool is_nmt_space(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
         c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

// Visits the grapheme clusters of a well-formed text: visit(begin, end).
template <class Visit>
Status each_cluster(std::string_view text, const Visit& visit) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::BreakIterator> breaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status)) return Done{};
  const icu::UnicodeString units =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int>(text.size())));
  breaks->setText(units);
  std::size_t byte = 0;
  int unit = 0;
  for (int end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
    const std::size_t begin = byte;
    while (unit < end) unit += next_code_point(text, byte) > 0xFFFF ? 2 : 1;
    TRY_OK(visit(begin, byte));
  }
  return Done{};
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
      TRY_OK(filter(text, [](char32_t c) { return c != 0 && c != 0xFFFD && !is_control(c); }));
      TRY_OK(map_characters(text, [](char32_t c) { return is_white_space(c) ? U' ' : c; }));
    }
    if (options.spaced_ideographs) TRY_OK(space_ideographs(text));
    if (options.strip_accents.value_or(options.lowercase)) {
      TRY_OK(decompose(text));
      TRY_OK(filter(text, [](char32_t c) { return !is_accent(c); }));
    }
    if (options.lowercase) TRY_OK(lower(text));
    return Done{};
  };
}

Normalizer strip_accents_normalizer() {
  return [](MappedText& text) -> Status { return filter(text, [](char32_t c) { return !is_mark(c); }); };
}

Normalizer nmt_normalizer() {
  return [](MappedText& text) -> Status {
    TRY_OK(filter(text, [](char32_t c) { return !is_nmt_control(c); }));
    return map_characters(text, [](char32_t c) { return is_nmt_space(c) ? U' ' : c; });
  };
}

Normalizer precompiled_normalizer(Charsmap table) {
  return [table = std::move(table)](MappedText& text) -> Status {
    constexpr std::size_t kShortCluster = 6;  // bytes; longer clusters are looked up by their characters
    const std::string_view bytes = text.text();
    MappedText out = text.fresh();
    TRY_OK(each_cluster(bytes, [&](std::size_t begin, std::size_t end) {
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
      return out.bounded();
    }));
    return text.become(std::move(out));
  };
}

Normalizer gguf_bert_normalizer(bool strip_accents, bool lowercase) {
  return [strip_accents, lowercase](MappedText& text) -> Status {
    MappedText out = text.fresh();
    const std::string_view bytes = text.text();
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
    return text.become(std::move(out));
  };
}

}  // namespace attnscope
